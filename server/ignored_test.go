package server

import (
	"errors"
	"path/filepath"
	"testing"
)

// TestIgnoredLineBreaksNoItem holds that one line, and no other, may break one item, also
// after a restart, until it counts again.
func TestIgnoredLineBreaksNoItem(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/token.md": `---
title: Tokens reached the log of the bot
paths: ["bot/*.go"]
---

# Tokens reached the log of the bot

## Root Cause

Whole requests were printed.

## Prevention Checklist

- [ ] Handlers never log the token
  ` + "```check" + `
  forbid: 'log\.Print.*token'
  matches: ['log.Println(token)']
  passes: ['log.Println("sent")']
  ` + "```\n"})
	file := filepath.Join(w.dir, "bot", "send.go")
	broken := func(lines ...string) (line string) {
		t.Helper()
		p, err := w.Preflight(ctx, PreflightRequest{Query: "log what the telegram bot sends, token and all", SessionID: "s", Files: []string{file}})
		if err != nil {
			t.Fatalf("preflight %+v, %v", p, err)
		}
		w.Deeds.Begin("s", "")
		if _, err := w.Observe(ctx, Event{Kind: EditEvent, SessionID: "s", At: now(), Files: []string{file}, Changes: []Change{{File: file, Added: lines}}}); err != nil {
			t.Fatal(err)
		}
		f, err := w.Answered(ctx, AnswerRequest{AnswerID: p.AnswerID, Answer: "The bot now logs each message that it sends."})
		if err != nil || len(f.Verdicts) != 1 {
			t.Fatalf("footer %+v, %v", f, err)
		}
		if v := f.Verdicts[0]; v.State == "broken" {
			return v.Place.Text
		}
		return ""
	}
	const one, two = "log.Print(token)", "log.Print(name, token)"
	if got := broken("\t" + one); got != one {
		t.Fatalf("broken by %q", got)
	}
	mark := IgnoreRequest{Path: "lessons/token.md", Item: "Handlers never log the token", File: "bot/send.go", Text: one}
	var bad *RequestError
	if _, err := w.IgnoreHere(ctx, mark); !errors.As(err, &bad) || bad.Field != "reason" {
		t.Errorf("without a reason: %v", err)
	}
	mark.Reason = "the log is private"
	list, err := w.IgnoreHere(ctx, mark)
	if err != nil || len(list) != 1 || list[0].Reason != mark.Reason || !list[0].At.Equal(now()) {
		t.Errorf("ignored %+v, %v", list, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t)
	if got := broken("\t" + one); got != "" {
		t.Errorf("broken by %q, which may", got)
	}
	if got := broken(one, two); got != two {
		t.Errorf("broken by %q, not by the other line", got)
	}
	mark.Off = true
	if list, err := w.IgnoreHere(ctx, mark); err != nil || len(list) != 0 {
		t.Errorf("still ignored: %+v, %v", list, err)
	}
	if got := broken(one); got != one {
		t.Errorf("broken by %q after it counts again", got)
	}
}
