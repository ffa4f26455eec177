package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInterruptWhileWaitingForInput holds that a command which waits for standard input
// ends when it is interrupted, and answers what came before.
func TestInterruptWhileWaitingForInput(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "brain", "lessons"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "brain", "lessons", "a.md"), []byte("# The allowlist\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	folder := "--brain=" + filepath.Join(dir, "brain")

	t.Run("jsonl", func(t *testing.T) {
		ctx, interrupt := context.WithCancel(context.Background())
		defer interrupt()
		in, feed := io.Pipe()
		answers, out := io.Pipe()
		var errw bytes.Buffer
		status := make(chan int)
		go func() {
			status <- execute(ctx, call{args: []string{"retrieve", "--jsonl", folder, "--lang=en"}}, in, out, &errw)
		}()
		if _, err := io.WriteString(feed, `{"id":1,"text":"allowlist"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(answers).ReadString('\n'); err != nil || !strings.Contains(line, "lessons/a.md") {
			t.Fatalf("answer %q, %v", line, err)
		}
		interrupt()
		if got := <-status; got != exitFailed || errw.String() != "handrail: The request was cancelled.\n" {
			t.Errorf("exit status %d, %q on stderr", got, errw.String())
		}
	})
	t.Run("answer", func(t *testing.T) {
		ctx, interrupt := context.WithCancel(context.Background())
		defer interrupt()
		in, feed := io.Pipe()
		var out, errw bytes.Buffer
		status := make(chan int)
		go func() {
			status <- execute(ctx, call{args: []string{"postcheck", "--answer=-", "--card=lessons/a.md", folder, "--lang=en"}}, in, &out, &errw)
		}()
		if _, err := io.WriteString(feed, "half an answer"); err != nil {
			t.Fatal(err)
		}
		interrupt()
		if got := <-status; got != exitFailed || errw.String() != "handrail: The request was cancelled.\n" || out.Len() > 0 {
			t.Errorf("exit status %d, %q on stderr", got, errw.String())
		}
	})
}
