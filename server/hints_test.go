package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/server/brain"
)

// hinting are messages of which the second may be a complaint, and does not say so plainly.
var hinting = []string{"add a map to the second page", "the map is off on the second page"}

// says observes messages of a conversation whose agent edits a file after each, and returns what comes of the last.
func (w *workspace) says(t *testing.T, session, host string, texts ...string) Observed {
	t.Helper()
	var last Observed
	for _, text := range texts {
		var err error
		last, err = w.Observe(ctx, Event{Kind: MessageEvent, SessionID: session, Text: text, Agent: host})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Observe(ctx, Event{Kind: EditEvent, SessionID: session, Files: []string{filepath.Join(w.dir, session+".ts")}}); err != nil {
			t.Fatal(err)
		}
	}
	return last
}

// TestInvitation: on a hint, and only then, an agent that has our tools may be told that it may draft a lesson; no person is asked.
func TestInvitation(t *testing.T) {
	at := now()
	w := clocked(t, &at)
	w.Attach(Notify{Candidate: func(c Candidate) { t.Errorf("a person is asked: %+v", c) }})
	if seen := w.says(t, "s1", "claude", hinting...); !seen.Hint || seen.Invite || seen.Candidate != nil {
		t.Errorf("without our tools: %+v", seen)
	}
	if _, err := w.Observe(ctx, Event{Kind: ToolsEvent, Agent: "claude-code"}); err != nil {
		t.Fatal(err)
	}
	if seen := w.says(t, "s2", "claude", hinting...); !seen.Hint || !seen.Invite {
		t.Errorf("with them: %+v", seen)
	}
	for host, text := range map[string]string{"gemini": hinting[1], "claude": "now add a footer"} {
		if seen := w.says(t, "s3"+host, host, hinting[0], text); seen.Invite {
			t.Errorf("%s, %q: %+v", host, text, seen)
		}
	}
	// The agent may draft what it was invited to, although it has drafted one by itself.
	for i := range 2 {
		r := wish("The map leaves its page " + strings.Repeat("again", i))
		r.SessionID = "s2"
		if made, err := w.Confirm(ctx, r); err != nil || made.Path == "" {
			t.Errorf("draft %d: %+v, %v", i, made, err)
		}
	}
	w.SetExtras(ExtraSettings{Environment: &Extras{Agents: []Gift{GiftTitles, GiftNotes}}})
	if seen := w.says(t, "s4", "claude", hinting...); seen.Hint || seen.Invite {
		t.Errorf("turned off: %+v", seen)
	}
	w.SetExtras(ExtraSettings{Environment: &Extras{}})
	at = at.Add(brain.AgentKnown + time.Hour)
	if seen := w.says(t, "s5", "claude", hinting...); seen.Invite {
		t.Errorf("long after the agent was last seen with our tools: %+v", seen)
	}
}

// TestADraftIsHalfWritten in the language of the conversation, from what was seen.
func TestADraftIsHalfWritten(t *testing.T) {
	w := newWorkspace(t, nil)
	file := filepath.Join(w.dir, "map.ts")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	edit := func(removed, added string) {
		t.Helper()
		if _, err := w.Observe(ctx, Event{Kind: EditEvent, SessionID: "s", Files: []string{file}, Changes: []Change{{File: file, Removed: []string{removed}, Added: []string{added}}}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Observe(ctx, Event{Kind: MessageEvent, SessionID: "s", Text: "두 번째 페이지에 지도를 넣어줘"}); err != nil {
		t.Fatal(err)
	}
	edit("", "const width = 320")
	c, err := w.raised(Event{Kind: MessageEvent, SessionID: "s", Text: "지도가 여전히 안 보여"})
	if err != nil || c == nil || c.Language != string(Korean) {
		t.Fatalf("%+v, %v", c, err)
	}
	edit("const width = 320", "const width = 640")
	made, err := w.Confirm(ctx, CreateRequest{Title: "지도의 폭이 고정되어 있었다", CandidateID: c.ID, Language: English, Fields: CreateFields{RootCause: "폭이 고정되어 있었다.", Checklist: []string{"지도의 폭은 `window.innerWidth`에서 온다"}}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(w.dir, ".brain", filepath.FromSlash(made.Path)))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"## 상황\n\n> 두 번째 페이지에 지도를 넣어줘", "## 실수 / 위험\n\n> 지도가 여전히 안 보여", "+const width = 320", "## 해결\n\n```diff\n# map.ts\n-const width = 320\n+const width = 640\n```"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the card lacks %q:\n%s", part, text)
		}
	}
}

// TestRepositoryOfAConversation: a rollback is noticed although no editor has the folder open, with what was taken back; two of them in a minute are two.
func TestRepositoryOfAConversation(t *testing.T) {
	repo := newRepository(t, "package one", "package two", "package three")
	w := newWorkspace(t, nil, watching)
	raised := make(chan Candidate, 100)
	t.Cleanup(w.Attach(Notify{Candidate: func(c Candidate) { raised <- c }}))
	next := func(what string) Candidate {
		t.Helper()
		select {
		case c := <-raised:
			return c
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s: no candidate", what)
			return Candidate{}
		}
	}
	if _, err := w.Observe(ctx, Event{Kind: MessageEvent, SessionID: "s", Text: hinting[0], Dir: repo}); err != nil {
		t.Fatal(err)
	}
	w.awaitRepository(t, repo)
	runGit(t, repo, "revert", "--no-edit", "HEAD")
	if c := next("revert"); c.Trigger != "rollback" || !strings.Contains(c.Proof, "-package three") {
		t.Errorf("%+v", c)
	}
	if err := os.WriteFile(filepath.Join(repo, "other.go"), []byte("package other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	runGit(t, repo, "add", "-A")
	runGit(t, repo, "commit", "-q", "-m", "Make another")
	runGit(t, repo, "reset", "-q", "--hard", "HEAD~1")
	if c := next("reset"); c.Title != "Make another" {
		t.Errorf("%+v", c)
	}
	// A soft reset and a stash are signs beside a hint, and nothing by themselves.
	file := filepath.Join(repo, "app.go")
	w.says(t, "soft", "", hinting[0])
	if _, err := w.Observe(ctx, Event{Kind: MessageEvent, SessionID: "soft", Text: hinting[1], Files: []string{file}}); err != nil {
		t.Fatal(err)
	}
	runGit(t, repo, "reset", "-q", "--soft", "HEAD~1")
	if c := next("soft reset"); c.Trigger != "complaint" || !strings.Contains(strings.Join(c.Evidence, "\n"), "reset: moving to HEAD~1") {
		t.Errorf("%+v", c)
	}
}
