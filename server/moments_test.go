package server

import (
	"path/filepath"
	"testing"
)

// TestAnAnswerTellsWhenItsCardsWereShown: a card that came with the prompt and one whose title alone was told. The title
// is told of once, where deeds kept the card.
func TestAnAnswerTellsWhenItsCardsWereShown(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"lessons/token.md":  "---\ntype: lesson\npaths: [\"send.go\"]\n---\n# Never log the token of the bot\n\n## Prevention Checklist\n\n- [ ] No token stands in the log\n  ```check\n  forbid: 'log.*token'\n  paths: [send.go]\n  matches: ['log(token)']\n  passes: ['log(text)']\n  ```\n",
		"lessons/refund.md": "---\ntype: lesson\n---\n# Store the refund before the mail goes out\n\n## Prevention Checklist\n\n- [ ] The refund is stored before the mail\n",
	})
	if h, err := w.Heads(ctx, HeadsRequest{SessionID: "s", Host: "claude", Begins: true}); err != nil || h.Named != 2 {
		t.Fatalf("titles: %+v, %v", h, err)
	}
	turn := func(query, line string) Footer {
		t.Helper()
		p, err := w.Preflight(ctx, PreflightRequest{Query: query, SessionID: "s"})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(w.dir, "send.go")
		for _, e := range []Event{
			{Kind: MessageEvent, SessionID: "s", Text: query},
			{Kind: EditEvent, SessionID: "s", Files: []string{file}, Changes: []Change{{File: file, Added: []string{line}}}},
		} {
			if _, err := w.Observe(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
		r := AnswerRequest{AnswerID: p.AnswerID, SessionID: "s", Answer: "The code is in place now.", Watched: true}
		first, err := w.Answered(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := w.Answered(ctx, r) // another hook tells of it too
		if err != nil || len(again.Lessons) != len(first.Lessons) {
			t.Errorf("told twice: %d cards, then %d (%v)", len(first.Lessons), len(again.Lessons), err)
		}
		return first
	}
	const token, refund = "lessons/token.md", "lessons/refund.md"
	f := turn("store the refund before the mail goes out", "post(text)")
	if len(f.Moments) != 2 || f.Moments[token] != "start" || f.Moments[refund] != "prompt" || f.Tokens == 0 {
		t.Errorf("moments %v, %d tokens", f.Moments, f.Tokens)
	}
	f = turn("store the refund before the mail goes out", "post(text + name)")
	if len(f.Moments) != 1 || f.Moments[refund] != "before" || f.Tokens != 0 {
		t.Errorf("once more: moments %v, %d tokens", f.Moments, f.Tokens)
	}
	f = turn("rename the parameter", "log(token)")
	if len(f.Unaddressed) != 1 || f.Unaddressed[0].State != "broken" || f.Moments[token] != "start" {
		t.Errorf("what breaks a card of which the title alone was told: %+v", f)
	}
}
