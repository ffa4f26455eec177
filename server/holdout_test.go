package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestHoldOut: some conversations go without a card, each at all its turns and at actions too;
// both sides are counted once a conversation, and so is what came back.
func TestHoldOut(t *testing.T) {
	const question = "check the allowlist before a telegram command runs"
	at := now()
	policy := "---\ntype: policy\nseverity: high\n---\n# Secrets stay out of logs\n\n## Prevention Checklist\n\n- [ ] No token is logged\n"
	w := newWorkspace(t, map[string]string{
		"lessons/allow.md": strings.Replace(allowlist, "severity: high", "paths: [\"bot/**\"]", 1), "policies/secrets.md": policy,
	}, func(c *Config) { c.Now, c.Extras.Environment = func() time.Time { return at }, &Extras{HoldOut: 30} })
	served := func(p Preflight) bool {
		return slices.ContainsFunc(p.Lessons, func(h Hit) bool { return h.Path == "lessons/allow.md" })
	}
	var want TrialStats
	for n := range 100 {
		session := fmt.Sprint("conversation ", n)
		held := false
		for turn := range 2 {
			p, err := w.Preflight(ctx, PreflightRequest{Query: question, SessionID: session})
			if err != nil || !strings.Contains(p.Block, "policies/secrets.md") {
				t.Fatalf("%s: the policy is not there: %v\n%s", session, err, p.Block)
			}
			without := !served(p)
			if turn > 0 && without != held {
				t.Errorf("%s: withheld %v, then %v", session, held, without)
			}
			held = without
		}
		touch, err := w.Touch(ctx, TouchRequest{SessionID: session, Files: []string{w.dir + "/bot/telegram.go"}})
		if err != nil || held && touch.Text != "" {
			t.Errorf("%s: handed over at an action: %q, %v", session, touch.Text, err)
		}
		back := n%5 == 0
		if back {
			for range 2 {
				at = at.Add(time.Hour)
				if c, err := w.raised(Event{Kind: MessageEvent, SessionID: session, Text: "remote execution over telegram still does not require the allowlist, it happened again", Files: []string{w.dir + "/bot/telegram.go"}}); err != nil || c == nil {
					t.Fatalf("no candidate: %v", err)
				}
			}
		}
		for _, side := range []struct {
			is       bool
			n, again *int
		}{{!held, &want.Given, &want.GivenRecurred}, {held, &want.Withheld, &want.WithheldRecurred}} {
			if side.is {
				*side.n++
				if back {
					*side.again++
				}
			}
		}
	}
	if want.Withheld < 15 || want.Withheld > 45 || want.WithheldRecurred == 0 {
		t.Errorf("of 100 conversations: %+v", want)
	}
	// A look aside is no turn, and nothing is held out where no conversation has a name.
	for _, r := range []PreflightRequest{{Query: question, SessionID: "conversation 1", Aside: true}, {Query: question}} {
		if _, err := w.Preflight(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	check := func() {
		t.Helper()
		all, err := w.Stats(ctx)
		if err != nil || all.HoldOut != 30 {
			t.Errorf("%d %%, %v", all.HoldOut, err)
		}
		if diff := cmp.Diff(want, all.Trial); diff != "" {
			t.Error(diff)
		}
	}
	check()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t)
	check()

	// Off, every conversation gets the card, and the figures stay as they are.
	w.SetExtras(ExtraSettings{Environment: &Extras{}})
	for n := range 100 {
		p, err := w.Preflight(ctx, PreflightRequest{Query: question, SessionID: fmt.Sprint("later ", n)})
		if err != nil || !served(p) {
			t.Fatalf("withheld though it is off: %v\n%s", err, p.Block)
		}
	}
	if all, err := w.Stats(ctx); err != nil || all.HoldOut != 0 || all.Trial != want {
		t.Errorf("%+v, %v", all.Trial, err)
	}
}

// TestHoldOutCountsWhatArrived: a conversation whose only block the host dropped was given
// nothing; and a merge and its undo take the figures along.
func TestHoldOutCountsWhatArrived(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist, "lessons/queue.md": refused}, func(c *Config) { c.Extras.Editor = &Extras{HoldOut: 1} })
	var ids []string
	for n := range 4 {
		p, err := w.Preflight(ctx, PreflightRequest{Query: restart, SessionID: fmt.Sprint("s", n)})
		if err != nil || len(p.Lessons) != 1 {
			t.Fatalf("%+v, %v", p, err)
		}
		ids = append(ids, p.AnswerID)
	}
	if _, err := w.Answered(ctx, AnswerRequest{AnswerID: ids[0], Answer: "It is done.", Transcript: true}); err != nil {
		t.Fatal(err)
	}
	if got := w.stats(t, "lessons/allow.md").Trial; got != (TrialStats{Given: 3}) {
		t.Errorf("%+v", got)
	}
	if _, err := w.Merge(ctx, MergeRequest{Into: "lessons/queue.md", From: "lessons/allow.md"}); err != nil {
		t.Fatal(err)
	}
	if got := w.stats(t, "lessons/queue.md").Trial; got != (TrialStats{Given: 3}) {
		t.Errorf("after the merge %+v", got)
	}
	if _, err := w.Undo(ctx, UndoRequest{}); err != nil {
		t.Fatal(err)
	}
	if a, b := w.stats(t, "lessons/allow.md").Trial, w.stats(t, "lessons/queue.md").Trial; a != (TrialStats{Given: 3}) || b != (TrialStats{}) {
		t.Errorf("after the undo %+v and %+v", a, b)
	}
}

func TestHoldOutSettings(t *testing.T) {
	n := func(v int) *Extras { return &Extras{HoldOut: v} }
	for _, c := range []struct {
		said ExtraSettings
		want int
	}{
		{ExtraSettings{}, 0},
		{ExtraSettings{Editor: n(0), Environment: n(20)}, 20},
		{ExtraSettings{Editor: n(10), Environment: n(20)}, 10},
		{ExtraSettings{Editor: n(-3)}, 0},
		{ExtraSettings{Environment: n(90)}, maxHoldOut},
		{ExtraSettings{Editor: n(10)}.With(ExtraSettings{Environment: n(5)}), 10},
		{ExtraSettings{Editor: n(10)}.With(ExtraSettings{Editor: n(0)}), 0},
	} {
		if got := c.said.wanted().HoldOut; got != c.want {
			t.Errorf("%v: %d, want %d", c.said, got, c.want)
		}
	}
}
