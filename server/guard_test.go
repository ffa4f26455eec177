package server

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
)

// fenced writes a fence of checks where a raw string cannot.
func fenced(s string) string { return strings.ReplaceAll(s, "~~~", "```") }

var tokens = fenced(`---
type: lesson
title: Tokens reached the log
guard: deny
---

## Root Cause

The whole request was logged.

## Prevention Checklist

- [ ] Handlers never log the token
  ~~~check
  forbid: 'log\.Info.*token'
  paths: ["bot/**"]
  matches: ['log.Info(token)']
  ~~~
- [ ] Nobody pushes with force
  ~~~check
  command: 'git push.*--force'
  matches: ['git push --force']
  ~~~
- [ ] The handler has a test
  ~~~check
  touch: {when: "bot/**", also: "**/*_test.go"}
  ~~~
- [ ] The handler names its chat
  ~~~check
  require: 'chat'
  paths: ["bot/**"]
  matches: ['chat']
  ~~~
- [ ] The tests ran
  ~~~check
  ran: 'go test'
  matches: ['go test']
  ~~~
`)

func TestGuard(t *testing.T) {
	with := func(from, to string) string {
		if !strings.Contains(tokens, from) {
			t.Fatalf("the card has no %q", from)
		}
		return strings.Replace(tokens, from, to, 1)
	}
	edit := []Change{{File: "bot/send.go", Added: []string{"func send() {", "\tlog.Info(token)"}}}
	const denied = "deny: A lesson forbids this: Handlers never log the token [lessons/token.md] (bot/send.go)"
	for _, tt := range []struct {
		name    string
		cards   map[string]string // beside or instead of the card
		changes []Change
		command string
		project string
		locale  Locale
		want    string
	}{
		{name: "an edit that breaks it", changes: edit, want: denied},
		{name: "an edit that does not", changes: []Change{{File: "bot/send.go", Added: []string{"log.Info(id)"}}}},
		{name: "a file of none of its paths", changes: []Change{{File: "web/a.go", Added: edit[0].Added}}},
		{name: "a line that is taken out", changes: []Change{{File: "bot/send.go", Removed: edit[0].Added}}},
		{name: "a line that is there already", changes: []Change{{File: "bot/send.go", Removed: []string{"a", "\tlog.Info(token)"}, Added: []string{"b", "\tlog.Info(token)", "c"}}}},
		{name: "a second such line", changes: []Change{{File: "bot/send.go", Removed: []string{"\tlog.Info(token)"}, Added: []string{"\tlog.Info(token)", "\tlog.Info(token)"}}}, want: denied},
		{name: "a command that breaks it", command: "git add . && git push --force", want: "deny: A lesson forbids this: Nobody pushes with force [lessons/token.md]"},
		{name: "a command that does not", command: "git push"},
		{name: "a file that a command patches", command: "apply", changes: edit, want: denied},
		{name: "nothing", want: ""},
		{name: "ask", cards: map[string]string{"lessons/token.md": with("guard: deny", "guard: ask")}, changes: edit, want: "ask: A lesson asks first: Handlers never log the token [lessons/token.md] (bot/send.go)"},
		{name: "ask, in Korean", cards: map[string]string{"lessons/token.md": with("guard: deny", "guard: ask")}, changes: edit, locale: Korean, want: "ask: 교훈에 따라 먼저 확인합니다: Handlers never log the token [lessons/token.md] (bot/send.go)"},
		{name: "deny, in Korean", changes: edit, locale: Korean, want: "deny: 교훈에 따라 막았습니다: Handlers never log the token [lessons/token.md] (bot/send.go)"},
		{name: "deny goes before ask", cards: map[string]string{"lessons/a.md": with("guard: deny", "guard: ask")}, changes: edit, want: denied},
		{name: "no guard", cards: map[string]string{"lessons/token.md": with("guard: deny\n", "")}, changes: edit},
		{name: "a guard that nobody knows", cards: map[string]string{"lessons/token.md": with("guard: deny", "guard: block")}, changes: edit},
		{name: "an automatic card", cards: map[string]string{"lessons/token.md": with("guard: deny", "guard: deny\nsource: auto")}, changes: edit},
		{name: "an automatic card that a person verified", cards: map[string]string{"lessons/token.md": with("guard: deny", "guard: deny\nsource: auto\nverified: true")}, changes: edit, want: denied},
		{name: "an ignored card", cards: map[string]string{"lessons/token.md": with("guard: deny", "guard: deny\nstatus: ignored")}, changes: edit},
		{name: "an archived card", cards: map[string]string{"lessons/token.md": with("guard: deny", "guard: deny\nstatus: archived")}, changes: edit},
		{name: "a draft", cards: map[string]string{"lessons/token.md": with("guard: deny", "guard: deny\nstatus: draft")}, changes: edit},
		{name: "a quarantined card", cards: map[string]string{"lessons/token.md": with("guard: deny", "guard: deny\nstatus: quarantined")}, changes: edit},
		{name: "another project's card", cards: map[string]string{"lessons/token.md": with("guard: deny", "guard: deny\nproject: shop")}, project: "web", changes: edit},
		{name: "this project's card", cards: map[string]string{"lessons/token.md": with("guard: deny", "guard: deny\nproject: shop")}, project: "Shop", changes: edit, want: denied},
		{name: "an example that fails", cards: map[string]string{"lessons/token.md": with("matches: ['log.Info(token)']", "matches: ['log.Debug(token)']")}, changes: edit},
		{name: "a check that cannot be read", cards: map[string]string{"lessons/token.md": with(`forbid: 'log\.Info.*token'`, "forbid: '('")}, changes: edit},
		{name: "the brain's own files", cards: map[string]string{"lessons/token.md": with("  paths: [\"bot/**\"]\n", "")}, changes: []Change{{File: ".brain/lessons/new.md", Added: edit[0].Added}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cards := map[string]string{"lessons/token.md": tokens}
			for name, text := range tt.cards {
				cards[name] = text
			}
			w := newWorkspace(t, cards)
			r := GuardRequest{Command: tt.command, Project: tt.project, Locale: tt.locale}
			for _, c := range tt.changes {
				c.File = filepath.Join(w.dir, filepath.FromSlash(c.File))
				r.Changes = append(r.Changes, c)
			}
			got, err := w.Guard(t.Context(), r)
			said := strings.TrimPrefix(string(got.Decision)+": "+got.Reason, ": ")
			if err != nil || said != tt.want || (got.Path != "") != (tt.want != "") {
				t.Errorf("%q of %q, %v; want %q", said, got.Path, err, tt.want)
			}
		})
	}
}

// TestGuardInTime holds that an answer that is late is none.
func TestGuardInTime(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/token.md": tokens})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := w.Guard(ctx, GuardRequest{Command: "git push --force"})
	if !errors.Is(err, context.Canceled) || got != (Guarded{}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestGuardFollowsTheFile holds that a guard that was taken out a moment ago, unseen by the index, refuses nothing.
func TestGuardFollowsTheFile(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/token.md": tokens})
	if got, err := w.Guard(t.Context(), GuardRequest{Command: "git push --force"}); err != nil || got.Decision != lessons.GuardDeny {
		t.Fatalf("%+v, %v", got, err)
	}
	w.put(t, "lessons/token.md", strings.Replace(tokens, "guard: deny\n", "", 1))
	if got, err := w.Guard(t.Context(), GuardRequest{Command: "git push --force"}); err != nil || got != (Guarded{}) {
		t.Errorf("%+v, %v", got, err)
	}
}
