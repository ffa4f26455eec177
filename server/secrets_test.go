//go:build !race

// One text after the other through all patterns: with the race detector twenty times as slow, and "make test" runs it without.

package server

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// withSecrets returns texts that hold one each, from the shapes of testdata/secrets.txt, and the secrets.
func withSecrets(t *testing.T) (texts, secrets []string) {
	t.Helper()
	src, err := os.ReadFile("../testdata/secrets.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(src)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, kind := range []string{"hunter2Zq%dx9", "qW!r%d4#Tz", "Zt7Lr8Wp%d5Yc1Nb4Hs6"} {
			secret := fmt.Sprintf(kind, 100+len(texts))
			line := strings.ReplaceAll(strings.TrimSuffix(line, "\n"), `\n`, "\n")
			texts, secrets = append(texts, strings.ReplaceAll(line, "{}", secret)), append(secrets, secret)
		}
	}
	return texts, secrets
}

// everything returns all that is written below folders.
func everything(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			src, err := os.ReadFile(path)
			out[path] = path + "\n" + string(src)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestNothingKeptHoldsASecret has conversations in which people and agents write secrets wherever they write, and looks for those in every file.
func TestNothingKeptHoldsASecret(t *testing.T) {
	texts, secrets := withSecrets(t)
	if len(texts) < 200 {
		t.Fatalf("%d samples", len(texts))
	}
	var minutes atomic.Int64
	clock := func() time.Time { return now().Add(time.Duration(minutes.Load()) * time.Minute) }
	w := newWorkspace(t, map[string]string{"lessons/deploy.md": `---
title: The deploy ran with the secret on the line
paths: ["bot/*.env"]
---

# The deploy ran with the secret on the line

## Root Cause

The line had it.

## Prevention Checklist

- [ ] The deploy script names no host
  ` + "```check" + `
  forbid: '.'
  matches: [x]
  ` + "```" + `
- [ ] The deploy is never run by hand
  ` + "```check" + `
  command: '.'
  matches: [x]
  ` + "```\n"}, func(c *Config) { c.Now = clock })
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	korean := []string{"배포가 또 안 돼요, 왜 자꾸 이래요?\n%s", "이거 아까도 말했는데 또 틀렸어요\n\n%s\n\n다시 해 주세요"}
	english := []string{"why does the deploy keep failing again?\n%s", "No, I told you before. Use this instead:\n\n%s\n\nit still fails"}
	failed, passed := 1, 0
	for i, text := range texts {
		minutes.Add(1)
		at := clock()
		id, file := fmt.Sprint("s", i), filepath.Join(w.dir, "bot", "deploy.env")
		asked := fmt.Sprintf(append(english, korean...)[i%4], text)
		p, err := w.Preflight(ctx, PreflightRequest{Query: "run the deploy script with the secret on the line: " + text, SessionID: id, Files: []string{file}})
		must(err)
		command := "go test ./... # " + text
		if strings.Contains(text, "\n") {
			command = "cat <<EOF | go test ./...\n" + text + "\nEOF"
		}
		for _, e := range []Event{
			{Kind: MessageEvent, Text: asked},
			{Kind: CallEvent, CallID: "open", Command: text},
			{Kind: CommandEvent, Tool: "Bash", Command: text, Output: "error: refused\n" + text, ExitCode: &failed},
			{Kind: TestEvent, Command: command, Output: "--- FAIL: TestDeploy (0.00s)\n    deploy_test.go:3: got " + text + "\nFAIL", ExitCode: &failed},
			{Kind: EditEvent, Tool: "Edit", Files: []string{file}, Changes: []Change{{File: file, Added: strings.Split(text, "\n"), Removed: strings.Split("old "+text, "\n")}}},
			{Kind: TestEvent, Command: command, Output: "ok", ExitCode: &passed},
			{Kind: TestEvent, Command: command + " -v", Output: "FAIL\n" + text, ExitCode: &failed},
			{Kind: CommandEvent, Tool: "Bash", Command: "curl " + text, Output: text, ExitCode: &failed},
			{Kind: RejectedEvent, Text: "no: " + text, Files: []string{file}},
		} {
			e.SessionID, e.At = id, at
			_, err := w.Observe(ctx, e)
			must(err)
		}
		_, err = w.Answered(ctx, AnswerRequest{AnswerID: p.AnswerID, SessionID: id, Answer: "Done, it ran with\n" + text})
		must(err)
		if i%8 == 0 {
			wish := CreateRequest{Title: "The deploy failed " + id, Situation: text, Auto: true, Asked: true, SessionID: id, Fields: CreateFields{AllowTwins: true, Mistake: "The log of the host had it:\n\n" + text, RootCause: "It had " + text, Fix: text, Checklist: []string{"Never run the deploy by hand with " + strings.ReplaceAll(text, "\n", " ")}}}
			_, err := w.Confirm(ctx, wish)
			must(err)
			_, err = w.IgnoreHere(ctx, IgnoreRequest{Path: "lessons/deploy.md", Item: "The deploy script names no host", File: "bot/deploy.env", Text: text, Reason: "it is " + text})
			must(err)
			_, err = w.NeverFor(ctx, NeverRequest{Path: "lessons/deploy.md", Query: "deploy by hand on host " + id + "\n" + text})
			must(err)
		}
		if i%16 == 0 {
			if _, err := w.raised(Event{Kind: EditEvent, SessionID: id, At: at, Files: []string{filepath.Join(w.dir, "token="+secrets[i])}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range w.Candidates()[:20] {
		must(w.Proposals.Dismiss(c.ID))
	}
	must(w.Close())
	kept := everything(t, w.cfg.StateDir, w.cfg.CacheDir, w.Brain().Root())
	if all := strings.Join(slices.Collect(maps.Values(kept)), ""); strings.Count(all, "[redacted]") < 5*len(texts) {
		t.Errorf("little was kept of it: %d times", strings.Count(all, "[redacted]"))
	}
	for path, text := range kept {
		for i, secret := range secrets {
			if k := strings.Index(text, secret); k >= 0 {
				t.Errorf("%s has the secret of %q: …%q…", filepath.Base(path), texts[i], text[max(0, k-80):min(len(text), k+60)])
			}
		}
	}
}
