package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
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
	brain := "--brain=" + filepath.Join(dir, "brain")

	t.Run("jsonl", func(t *testing.T) {
		ctx, interrupt := context.WithCancel(context.Background())
		defer interrupt()
		in, feed := io.Pipe()
		answers, out := io.Pipe()
		var errw bytes.Buffer
		status := make(chan int)
		go func() {
			status <- execute(ctx, call{args: []string{"retrieve", "--jsonl", brain, "--lang=en"}}, in, out, &errw)
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
			status <- execute(ctx, call{args: []string{"postcheck", "--answer=-", "--card=lessons/a.md", brain, "--lang=en"}}, in, &out, &errw)
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

func TestReadLine(t *testing.T) {
	const limit = 100
	in := bufio.NewReaderSize(strings.NewReader("one\n\n"+strings.Repeat("x", limit-1)+"\n"+strings.Repeat("x", limit)+"\n"+strings.Repeat("x", 1<<20)+"\nlast"), 16)
	for i, want := range []struct {
		length int
		ok     bool
		err    error
	}{{4, true, nil}, {1, true, nil}, {limit, true, nil}, {0, false, nil}, {0, false, nil}, {4, true, io.EOF}, {0, true, io.EOF}} {
		line, ok, err := readLine(in, limit)
		if len(line) != want.length || ok != want.ok || !errors.Is(err, want.err) || cap(line) > 2*limit {
			t.Errorf("line %d: %d bytes of %d, ok %v, %v", i+1, len(line), cap(line), ok, err)
		}
	}
}
