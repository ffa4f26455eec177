package server

import (
	"path/filepath"
	"testing"
)

// TestAClaimIsDoubtedOnlyWhereAllIsKnown: what a conversation ran before this process, or where nobody tells of it, may
// stand behind what an answer claims.
func TestAClaimIsDoubtedOnlyWhereAllIsKnown(t *testing.T) {
	w := newWorkspace(t, nil)
	turn := func(s *Server, session, tool string, r AnswerRequest) int {
		t.Helper()
		p, err := s.Preflight(ctx, PreflightRequest{Query: "store the refund first, " + session + tool, SessionID: session})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(w.dir, "refund.go")
		for _, e := range []Event{
			{Kind: MessageEvent, SessionID: session, Text: "store the refund first"},
			{Kind: EditEvent, SessionID: session, Files: []string{file}, Changes: []Change{{File: file, Added: []string{"store()"}}}},
			{Kind: ToolEvent, SessionID: session, Tool: tool},
		} {
			if _, err := s.Observe(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
		r.AnswerID, r.SessionID, r.Answer, r.Watched = p.AnswerID, session, "Stored. All tests pass. "+tool, true
		f, err := s.Answered(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		return len(f.Doubts)
	}
	if n := turn(w.Server, "a", "Read", AnswerRequest{Commands: true}); n != 1 {
		t.Errorf("an edit and no command: %d doubts", n)
	}
	if n := turn(w.Server, "b", "Task", AnswerRequest{Commands: true}); n != 0 {
		t.Errorf("a sub-agent that a hook told of: %d doubts", n)
	}
	if n := turn(w.Server, "e", "Read", AnswerRequest{}); n != 0 {
		t.Errorf("a host that may not tell of commands: %d doubts", n)
	}
	if n := turn(w.Server, "c", "Read", AnswerRequest{Commands: true, Elsewhere: true}); n != 0 {
		t.Errorf("a sub-agent in the transcript: %d doubts", n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t)
	if n := turn(w.Server, "a", "Grep", AnswerRequest{Commands: true}); n != 0 {
		t.Errorf("a conversation that began before this process: %d doubts", n)
	}
	if n := turn(w.Server, "d", "Read", AnswerRequest{Commands: true}); n != 1 {
		t.Errorf("a conversation that began with it: %d doubts", n)
	}
}
