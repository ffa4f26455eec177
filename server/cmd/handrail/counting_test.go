package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
)

// bumpTimes is a program of the test binary alone: bump-times TIMES PATH runs the bump
// command that many times in one process and says so after each.
func bumpTimes() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		os.Exit(exitUsage)
	}
	for range n {
		if status := execute(context.Background(), call{args: []string{"bump", os.Args[2]}}, os.Stdin, os.Stdout, os.Stderr); status != exitDone {
			os.Exit(status)
		}
	}
	os.Exit(exitDone)
}

// bumper prepares a process that bumps a card of the brain in dir.
func bumper(t *testing.T, dir string, times int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, strconv.Itoa(times), "lessons/card.md")
	cmd.Args[0] = "bump-times" // by this name the test binary is that program
	cmd.Env = append(os.Environ(), "HANDRAIL_BRAIN="+dir, "XDG_CACHE_HOME="+dir+"-cache", "XDG_STATE_HOME="+dir+"-state")
	return cmd
}

const counted = `---
type: lesson
title: Count me # with a comment
occurrences: 1
last-seen: 2026-01-01
---

# Count me

## Root Cause

Two programs read one number.

## Prevention Checklist

- [ ] The counter is read under the lock
`

func countedBrain(t *testing.T) (dir, card string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "brain")
	card = filepath.Join(dir, "lessons", "card.md")
	if err := os.MkdirAll(filepath.Dir(card), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(card, []byte(counted), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, card
}

// occurrences reads a card's count and holds it against what was written first: but for
// its two lines a bumped card is the same to the byte.
func occurrences(t *testing.T, card string) int {
	t.Helper()
	src, err := os.ReadFile(card)
	if err != nil {
		t.Fatal(err)
	}
	c, problems := lessons.Parse("lessons/card.md", src)
	if len(problems) > 0 {
		t.Fatalf("problems %v in\n%s", problems, src)
	}
	whole := strings.Replace(string(src), fmt.Sprintf("occurrences: %d\nlast-seen: %s\n", c.Occurrences, c.LastSeen), "occurrences: 1\nlast-seen: 2026-01-01\n", 1)
	if whole != counted {
		t.Fatalf("torn card:\n%s", src)
	}
	return c.Occurrences
}

func TestTwoProcessesCountEveryBump(t *testing.T) {
	dir, card := countedBrain(t)
	const each = 200
	a, b := bumper(t, dir, each), bumper(t, dir, each)
	var errs strings.Builder
	a.Stderr = &errs
	for _, cmd := range []*exec.Cmd{a, b} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range []*exec.Cmd{a, b} {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, errs.String())
		}
	}
	if got := occurrences(t, card); got != 1+2*each {
		t.Errorf("%d bumps counted, want %d", got-1, 2*each)
	}
}

// TestKilledInTheMiddle kills a process that would write a thousand times, again and
// again at other moments. What it said it wrote is there, and the card is whole.
func TestKilledInTheMiddle(t *testing.T) {
	dir, card := countedBrain(t)
	said := 0 // bumps that a process reported as done
	for kill := range 8 {
		cmd := bumper(t, dir, 1000)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 5 + 7*kill {
			if !lines.Scan() {
				t.Fatal("the process ended by itself")
			}
			said++
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it said before it died
			said++
		}
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		// One write of each process may have been done and not said.
		if got := occurrences(t, card) - 1; got < said || got > said+kill+1 {
			t.Fatalf("after %d kills %d bumps counted, %d reported", kill+1, got, said)
		}
	}

	// The next write finds no lock in its way, and no file but the card is seen.
	last := bumper(t, dir, 1)
	before := occurrences(t, card)
	if out, err := last.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := occurrences(t, card); got != before+1 {
		t.Errorf("%d after %d", got, before)
	}
	b, err := lessons.OpenBrain(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var files []string
	err = b.Walk(t.Context(), func(rel string, _ os.FileInfo) error {
		files = append(files, rel)
		return nil
	}, nil)
	if err != nil || len(files) != 1 {
		t.Errorf("files %q, %v", files, err)
	}
}
