package server

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
)

func TestQuarantine(t *testing.T) {
	const path, reason = "lessons/allow.md", `It says "always": wrong since v2's API # 'now'`
	w := newWorkspace(t, map[string]string{path: allowlist})
	title := "Telegram remote execution must require allowlist"
	before := w.files(t)
	for _, bad := range []string{"", " \n", strings.Repeat("가", lessons.MaxReason+1)} {
		var wrong *RequestError
		if _, err := w.Quarantine(ctx, QuarantineRequest{Path: path, Reason: bad}); !errors.As(err, &wrong) {
			t.Errorf("the reason %q: %v", brain.Head(bad, 20), err)
		}
	}
	c, err := w.Quarantine(ctx, QuarantineRequest{Path: path, Reason: " " + reason + "\n"})
	if err != nil || c.Status != lessons.Quarantined || c.Quarantine != reason {
		t.Fatalf("%+v, %v", c, err)
	}
	quarantined := w.files(t)

	// It is put before nothing, and found by whoever looks for it.
	if p, err := w.Preflight(ctx, PreflightRequest{Query: restart}); err != nil || p.Block != "" {
		t.Errorf("injected: %q, %v", p.Block, err)
	}
	if r, err := w.Retrieve(ctx, RetrieveRequest{Query: restart, All: true}); err != nil || len(r.Lessons) != 1 || r.Lessons[0].Status != lessons.Quarantined {
		t.Errorf("not found: %+v, %v", r, err)
	}
	if list, err := w.Cards(ctx, CardFilter{Status: lessons.Quarantined}); err != nil || len(list) != 1 || list[0].Quarantine != reason {
		t.Errorf("not listed: %+v, %v", list, err)
	}

	// What says the same neither bumps it nor lifts the quarantine, and is told why.
	made, err := w.Confirm(ctx, CreateRequest{Title: title + "!"})
	if err != nil || made.DuplicateOf != path || made.Quarantined != reason {
		t.Errorf("recorded anew: %+v, %v", made, err)
	}
	made, err = w.Confirm(ctx, CreateRequest{Auto: true, Title: title, Fields: CreateFields{RootCause: "Each handler was trusted.", Checklist: []string{"The allowlist is checked first"}}})
	if err != nil || made.Quarantined != reason {
		t.Errorf("recorded by an agent: %+v, %v", made, err)
	}
	found, err := w.raised(Event{Kind: MessageEvent, SessionID: "s", Text: "record this: " + title})
	if err != nil || found == nil || found.Similar != path || found.Quarantined != reason {
		t.Errorf("candidate %+v, %v", found, err)
	}
	for name, act := range map[string]func() error{
		"bump":    func() error { _, err := w.Bump(ctx, path, ""); return err },
		"promote": func() error { _, err := w.Promote(ctx, path, ""); return err },
		"status":  func() error { _, err := w.SetStatus(ctx, "lessons/other.md", lessons.Quarantined); return err },
	} {
		if err := act(); err == nil {
			t.Errorf("%s was done", name)
		}
	}
	if diff := cmp.Diff(quarantined, w.files(t)); diff != "" {
		t.Errorf("changed: %s", diff)
	}
	again, err := w.Confirm(ctx, CreateRequest{Title: title, Fields: CreateFields{AllowTwins: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []MergeRequest{{Into: path, From: again.Path}, {Into: again.Path, From: path}} {
		if _, err := w.Merge(ctx, r); !errors.Is(err, ErrQuarantined) {
			t.Errorf("merge %+v: %v", r, err)
		}
	}
	// Where another card says the same too, that one counts.
	if made, err := w.Confirm(ctx, CreateRequest{Title: title}); err != nil || made.DuplicateOf != again.Path || made.Quarantined != "" {
		t.Errorf("a third one: %+v, %v", made, err)
	}
	if twin, ok := w.Titles().Twin(title, ""); !ok || twin.Path != again.Path {
		t.Errorf("the twin is %+v", twin)
	}
	isTwin := func(p lessons.Problem) bool {
		return p.Code == QuarantinedTitle && slices.Equal(p.Args, []string{path, reason})
	}
	if problems := w.Diagnoser()(again.Path, []byte(w.files(t)[again.Path])); !slices.ContainsFunc(problems, isTwin) {
		t.Errorf("problems %+v", problems)
	}
	if done, err := w.Undo(ctx, UndoRequest{}); err != nil || done.Verb != "create" {
		t.Errorf("%+v, %v", done, err)
	}

	// Another reason, then lifted: nothing is left of it. Each is taken back to the byte.
	if _, err := w.Quarantine(ctx, QuarantineRequest{Path: path, Reason: "plain words"}); err != nil {
		t.Fatal(err)
	}
	lifted, err := w.SetStatus(ctx, path, lessons.Active)
	if err != nil || lifted.Status != lessons.Active || lifted.Quarantine != "" || strings.Contains(w.files(t)[path], "quarantine") {
		t.Errorf("lifted: %+v, %v\n%s", lifted, err, w.files(t)[path])
	}
	if list := w.Candidates(); len(list) != 1 || list[0].Quarantined != "" {
		t.Errorf("the candidate still says %+v", list)
	}
	for _, want := range []string{"restore", "quarantine", "quarantine"} {
		if done, err := w.Undo(ctx, UndoRequest{}); err != nil || done.Verb != want {
			t.Errorf("%+v, %v; want %s", done, err, want)
		}
	}
	if diff := cmp.Diff(before, w.files(t)); diff != "" {
		t.Error(diff)
	}
	if rows, err := w.Log(ctx, LogRequest{Path: path}); err != nil || !slices.ContainsFunc(rows, func(r LogRow) bool { return r.Verb == "quarantine" && r.Why == reason }) {
		t.Errorf("log %+v, %v", rows, err)
	}
}

func TestTwinByTitle(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"lessons/allow.md": "# 텔레그램 허용목록\n",
		"lessons/retry.md": "# Retry payments with an idempotency key\n",
		"lessons/old.md":   "---\nstatus: archived\n---\n# Retry payments in the old gateway\n",
		"lessons/weak.md":  "# Retry payments\n",
	})
	for title, want := range map[string]string{
		"Retry payments with an idempotency key!": "lessons/retry.md",
		"How do I retry payments?":                "lessons/weak.md",
		"텔레그램의 허용목록":                              "lessons/allow.md",
		"Retry payments in the old gateway":       "", // archived
		"Use UTC in reports":                      "",
		"the of":                                  "",
	} {
		got := ""
		if twin, ok := w.Titles().Twin(title, ""); ok {
			got = twin.Path
		}
		if got != want {
			t.Errorf("the twin of %q is %q, want %q", title, got, want)
		}
	}
}
