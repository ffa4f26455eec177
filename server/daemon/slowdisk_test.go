package daemon

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/server/judge"
)

// TestASlowDisk holds every fsync of a daemon for ten minutes, as a dying or a network disk
// may. No answer waits for the disk; a change does, and can be given up; once the disk is
// back, everything is written.
func TestASlowDisk(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed; it holds the disk")
	}
	w := newWorld(t)
	c := w.connect(w.config(1))
	w.preflight(c)
	before, err := c.Bump(t.Context(), "lessons/telegram.md")
	if err != nil {
		t.Fatal(err)
	}
	release := holdDisk(t, strace, w.hello().PID)

	for range 20 {
		p := w.preflight(c)
		if _, err := c.Answered(t.Context(), judge.AnswerRequest{AnswerID: p.AnswerID, Answer: "I wrote it as you asked."}); err != nil {
			t.Errorf("check: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	bumped := make(chan error, 1)
	go func() {
		_, err := c.Bump(ctx, "lessons/telegram.md")
		bumped <- err
	}()
	w.preflight(c)
	cancel()
	select {
	case err := <-bumped:
		if !errors.Is(err, context.Canceled) && !errors.Is(err, ErrLost) {
			t.Errorf("a change that was given up: %v", err)
		}
	case <-time.After(patience):
		t.Error("a change cannot be given up")
	}
	w.preflight(c)

	release()
	after, err := c.Bump(t.Context(), "lessons/telegram.md")
	if err != nil || after.Occurrences <= before.Occurrences { // the one that was given up may have been made as well
		t.Errorf("once the disk is back: %d after %d, %v", after.Occurrences, before.Occurrences, err)
	}
	stats, err := c.Stats(t.Context())
	if err != nil || len(stats.Cards) != 1 || stats.Cards[0].Served < 20 {
		t.Errorf("%+v, %v", stats.Cards, err)
	}
}

// holdDisk makes every fsync of a process wait until release is called.
func holdDisk(t *testing.T, strace string, pid int) (release func()) {
	t.Helper()
	cmd := exec.Command(strace, "-f", "-o", os.DevNull, "-e", "trace=fsync,fdatasync,msync", "-e", "inject=fsync,fdatasync,msync:delay_enter=600000000", "-p", strconv.Itoa(pid))
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	attached := make(chan bool, 1)
	go func() {
		lines := bufio.NewScanner(said)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "attached") {
				select {
				case attached <- true:
				default: // it says so of each thread
				}
			}
		}
		close(attached)
	}()
	ended := false
	release = func() {
		if !ended {
			ended = true
			_ = cmd.Process.Signal(os.Interrupt) // it lets go of the process, which goes on
			_ = cmd.Wait()
		}
	}
	t.Cleanup(release)
	select {
	case ok := <-attached:
		if !ok {
			t.Skip("this machine lets nobody trace a process")
		}
	case <-time.After(patience):
		t.Skip("strace does not attach")
	}
	return release
}
