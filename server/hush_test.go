package server

import (
	"errors"
	"testing"
)

// TestNotInThisConversation: a card stays out of the rest of one conversation, and of no other.
func TestNotInThisConversation(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist})
	ask := func(session, query string) Preflight {
		t.Helper()
		p, err := w.Preflight(ctx, PreflightRequest{Query: query, SessionID: session})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := ask("a", "add a telegram command that restarts the server")
	if len(first.Lessons) != 1 {
		t.Fatal(first)
	}
	if _, err := w.NeverFor(ctx, NeverRequest{Path: "lessons/allow.md", AnswerID: first.AnswerID, Session: true}); err != nil {
		t.Fatal(err)
	}
	if p := ask("a", "add another telegram command that stops the server"); len(p.Lessons) != 0 {
		t.Errorf("it came again: %+v", p.Lessons)
	}
	if got, err := w.Touch(ctx, TouchRequest{SessionID: "a", Files: []string{w.dir + "/bot/telegram.go"}, Command: "run the telegram bot"}); err != nil || got.Text != "" {
		t.Errorf("it came at an action: %q %v", got.Text, err)
	}
	if p := ask("b", "add a telegram command that restarts the server"); len(p.Lessons) != 1 {
		t.Errorf("another conversation got %+v", p.Lessons)
	}
	if _, err := w.NeverFor(ctx, NeverRequest{Path: "lessons/allow.md", AnswerID: "none", Session: true}); !errors.Is(err, ErrUnknownAnswer) {
		t.Error(err)
	}
}
