package server

import (
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/lessons"
)

func TestPause(t *testing.T) {
	var past, talk atomic.Int64 // minutes; conversations
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist, "rules/always.md": "---\ntype: policy\n---\n# Every commit is signed\n"}, func(c *Config) {
		c.Now = func() time.Time { return now().Add(time.Duration(past.Load()) * time.Minute) }
	})
	comes := func() string {
		t.Helper()
		p, err := w.Preflight(ctx, PreflightRequest{Query: "add a telegram command that restarts the server", SessionID: "s" + strconv.Itoa(int(talk.Add(1)))})
		if err != nil {
			t.Fatal(err)
		}
		h, err := w.Heads(ctx, HeadsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return p.Block + p.Context + h.Text
	}
	if comes() == "" {
		t.Fatal("nothing comes without a pause")
	}
	// What an answer left open does not come either.
	p, err := w.Preflight(ctx, PreflightRequest{Query: "add a telegram command that restarts the server", SessionID: "left"})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := w.Answered(ctx, AnswerRequest{AnswerID: p.AnswerID, Answer: "I added the telegram command with its handler, and it restarts the server."}); err != nil || len(f.Unaddressed) == 0 {
		t.Fatal(f, err)
	}
	if on, err := w.Pause(ctx, PauseRequest{Minutes: 60}); err != nil || !on.Until.Equal(now().Add(time.Hour)) {
		t.Fatalf("paused until %s, %v", on.Until, err)
	}
	if p, err := w.Preflight(ctx, PreflightRequest{Query: "go on with the telegram command", SessionID: "left"}); err != nil || p.Block+p.Context != "" {
		t.Errorf("in a pause the next request gets %q, %v", p.Block+p.Context, err)
	}
	touched, err := w.Touch(ctx, TouchRequest{SessionID: "t", Files: []string{filepath.Join(w.dir, "bot.go")}, Command: "telegram"})
	if got := comes() + touched.Text; got != "" || err != nil {
		t.Errorf("in a pause comes %q, %v", got, err)
	}
	if found, err := w.Retrieve(ctx, RetrieveRequest{Query: "telegram"}); err != nil || len(found.Lessons) == 0 {
		t.Errorf("a search finds %+v, %v", found, err)
	}
	if past.Store(60); comes() == "" {
		t.Error("nothing comes after the pause")
	}
	if on, err := w.Pause(ctx, PauseRequest{}); err != nil || on.Until != Endless {
		t.Errorf("paused until %s, %v", on.Until, err)
	}
	w.Close()
	w.open(t)
	if past.Store(1 << 20); comes() != "" {
		t.Error("a pause without an end ended")
	}
	if on, err := w.Pause(ctx, PauseRequest{Off: true}); err != nil || !on.Until.IsZero() || comes() == "" {
		t.Errorf("after the pause: %s, %v", on.Until, err)
	}
	if _, err := w.Pause(ctx, PauseRequest{Minutes: -1}); err == nil || !strings.Contains(err.Error(), "minutes") {
		t.Errorf("a pause of -1 minutes: %v", err)
	}
}

func TestLeftItemsOfACardThatIsPutAway(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist})
	p, err := w.Preflight(ctx, PreflightRequest{Query: "add a telegram command that restarts the server", SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := w.Answered(ctx, AnswerRequest{AnswerID: p.AnswerID, Answer: "I added the telegram command with its handler, and it restarts the server."}); err != nil || len(f.Unaddressed) == 0 {
		t.Fatal(f, err)
	}
	if _, err := w.SetStatus(ctx, "lessons/allow.md", lessons.Archived); err != nil {
		t.Fatal(err)
	}
	if p, err := w.Preflight(ctx, PreflightRequest{Query: "go on with the telegram command", SessionID: "s"}); err != nil || p.Block != "" {
		t.Errorf("the next request gets %q, %v", p.Block, err)
	}
}
