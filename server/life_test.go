package server

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/life"
)

// files returns the brain's files by path.
func (w *workspace) files(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := w.Brain().Walk(ctx, func(rel string, _ fs.FileInfo) error {
		src, err := w.Brain().Read(rel)
		out[rel] = string(src)
		return err
	}, func(rel string, err error) { t.Errorf("%s: %v", rel, err) })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (w *workspace) stats(t *testing.T, path string) CardStats {
	t.Helper()
	all, err := w.Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all.Cards, func(c CardStats) bool { return c.Path == path })
	if i < 0 {
		return CardStats{}
	}
	return all.Cards[i]
}

const restart = "add a telegram command that restarts the server"

func TestUsageCountsOncePerTurn(t *testing.T) {
	at := now()
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist, "lessons/queue.md": refused}, func(c *Config) { c.Now = func() time.Time { return at } })
	ask := func(session string) Preflight {
		t.Helper()
		p, err := w.Preflight(ctx, PreflightRequest{Query: restart, SessionID: session})
		if err != nil || len(p.Lessons) != 1 {
			t.Fatalf("preflight %+v, %v", p, err)
		}
		return p
	}
	answer := func(p Preflight, text string) {
		t.Helper()
		if _, err := w.Answered(ctx, AnswerRequest{AnswerID: p.AnswerID, Answer: text}); err != nil {
			t.Fatal(err)
		}
	}
	good := "The handler checks the allowlist before any command runs, and a test sends the command from an unknown chat."
	first := ask("s1")
	answer(first, good)
	answer(first, "I wrote it as you asked.") // the same turn again: counted once
	at = at.AddDate(0, 0, 8)
	answer(ask("s2"), "I wrote it as you asked.")
	answer(ask("s3"), "Which server do you mean?") // says nothing of the card
	if _, err := w.Preflight(ctx, PreflightRequest{Query: "where do penguins live?", SessionID: "s3"}); err != nil {
		t.Fatal(err)
	}
	// A block that the host dropped was not served.
	lost := ask("s4")
	if _, err := w.Answered(ctx, AnswerRequest{AnswerID: lost.AnswerID, Answer: "I wrote it as you asked.", Transcript: true}); err != nil {
		t.Fatal(err)
	}
	got := w.stats(t, "lessons/allow.md") // what the first answer only says is not counted as kept
	if got.Served != 3 || got.Addressed != 0 || got.Unaddressed != 1 || got.Recurred != 0 || got.LastUsed != "2026-11-29" {
		t.Errorf("%+v", got)
	}
	all, err := w.Stats(ctx)
	if err != nil || len(all.Never) != 1 || all.Never[0].Path != "lessons/queue.md" || all.Active != 2 {
		t.Errorf("%+v, %v", all, err)
	}

	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t)
	if diff := cmp.Diff(got, w.stats(t, "lessons/allow.md")); diff != "" {
		t.Errorf("after a restart: %s", diff)
	}
}

// TestRecurrence: a complaint in the conversation that was given the card counts against it,
// once a conversation.
func TestRecurrence(t *testing.T) {
	at := now()
	w := newWorkspace(t, map[string]string{"lessons/allow.md": strings.Replace(allowlist, "severity", "paths: [\"bot/**\"]\nseverity", 1), "lessons/queue.md": refused},
		func(c *Config) { c.Now = func() time.Time { return at } })
	complain := func(session string) {
		t.Helper()
		at = at.Add(time.Hour)
		c, err := w.raised(Event{Kind: MessageEvent, SessionID: session, Text: "remote execution over telegram still does not require the allowlist, it happened again", Files: []string{w.dir + "/bot/telegram.go"}})
		if err != nil || c == nil {
			t.Fatalf("no candidate: %v", err)
		}
	}
	complain("never asked")
	if _, err := w.Preflight(ctx, PreflightRequest{Query: restart, SessionID: "something else"}); err != nil {
		t.Fatal(err)
	}
	if c, err := w.raised(Event{Kind: MessageEvent, SessionID: "something else", Text: "the help text still fails to show, it broke again", Files: []string{w.dir + "/bot/telegram.go"}}); err != nil || c == nil {
		t.Fatalf("no candidate: %v", err) // about the card's file, and not about its mistake
	}
	for _, session := range []string{"a", "b"} {
		if _, err := w.Preflight(ctx, PreflightRequest{Query: restart, SessionID: session}); err != nil {
			t.Fatal(err)
		}
		complain(session)
	}
	complain("b")
	if got := w.stats(t, "lessons/allow.md"); got.Served != 3 || got.Recurred != 2 {
		t.Errorf("%+v", got)
	}
	if got := w.stats(t, "lessons/queue.md"); got.Recurred != 0 {
		t.Errorf("a card that nobody was given: %+v", got)
	}
}

func TestTidyAndUndo(t *testing.T) {
	old := "---\ntype: lesson\nsource: auto\nlast-seen: 2026-01-05\n---\n# An old one\n"
	twin := strings.Replace(strings.Replace(allowlist, "severity: high\n", "source: auto\n", 1), "- [ ] A test sends", "- [ ] Replies name no user\n- [ ] A test sends", 1)
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist, "lessons/old.md": old, "qa/old.md": "# a note\n", "lessons/twin.md": twin})
	before := w.files(t)
	plan, err := w.Tidy(ctx, TidyRequest{})
	if err != nil || plan.Applied || len(plan.Suggestions) != 2 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if s := plan.Suggestions[0]; s.Path != "lessons/twin.md" || s.Into != "lessons/allow.md" || s.Reason != life.SameKey {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff(before, w.files(t)); diff != "" {
		t.Errorf("a plan changed: %s", diff)
	}
	done, err := w.Tidy(ctx, TidyRequest{Apply: true})
	if err != nil || !done.Applied || len(done.Failed) != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	after := w.files(t)
	if text := after["lessons/allow.md"]; !strings.Contains(text, "occurrences: 6\n") || !strings.Contains(text, "- [ ] Replies name no user\n") {
		t.Errorf("merged to %s", text)
	}
	if _, there := after["lessons/twin.md"]; there || !strings.Contains(after["lessons/old.md"], "status: archived\n") || !strings.Contains(after["lessons/old.md"], "archived-at: 2026-11-21\n") {
		t.Errorf("files %v, old %s", slices.Sorted(maps.Keys(after)), after["lessons/old.md"])
	}
	if again, err := w.Tidy(ctx, TidyRequest{Apply: true}); err != nil || len(again.Suggestions) != 0 {
		t.Errorf("a second time: %+v, %v", again, err)
	}
	if hits, err := w.Retrieve(ctx, RetrieveRequest{Query: "an old one", All: true}); err != nil || len(hits.Lessons) == 0 {
		t.Errorf("an archived card is not found: %+v, %v", hits, err)
	}
	undone, err := w.Undo(ctx, UndoRequest{})
	if err != nil || undone.Verb != "tidy" || len(undone.Cards) != 3 {
		t.Errorf("%+v, %v", undone, err)
	}
	if diff := cmp.Diff(before, w.files(t)); diff != "" {
		t.Errorf("after the undo: %s", diff)
	}
}

func TestPromoteAndVerify(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"lessons/rates-are-per-chat.md": "# taken\n",
		"drafts/weak.md":                "---\ntype: lesson\nstatus: draft\n---\n# Weak\n",
		"drafts/rates.md":               "---\ntype: lesson\nstatus: draft\n---\n# Rates are per chat\n\n## Root Cause\n\nOne counter for all.\n\n## Prevention Checklist\n\n- [ ] The counter's key holds the chat id\n",
	})
	var weak *WeakError
	if _, err := w.Promote(ctx, "drafts/weak.md", ""); !errors.As(err, &weak) {
		t.Errorf("a weak draft: %v", err)
	}
	c, err := w.Promote(ctx, "drafts/rates.md", "")
	if err != nil || c.Path != "lessons/rates-are-per-chat-2.md" || c.Status != lessons.Active {
		t.Fatalf("%+v, %v", c, err)
	}
	c, err = w.Verify(ctx, c.Path, true)
	if err != nil || !c.Verified {
		t.Errorf("%+v, %v", c, err)
	}
	for _, want := range []string{"verify", "promote"} {
		if done, err := w.Undo(ctx, UndoRequest{}); err != nil || done.Verb != want {
			t.Errorf("%+v, %v", done, err)
		}
	}
	if src, err := w.Brain().Read("drafts/rates.md"); err != nil || !strings.Contains(string(src), "status: draft\n") {
		t.Errorf("%s, %v", src, err)
	}
}
