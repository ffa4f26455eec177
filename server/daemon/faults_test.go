//go:build unix

package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/desk"
	"github.com/handrail-dev/handrail/server/judge"
	"github.com/handrail-dev/handrail/triggers"
)

const botCard = `---
type: lesson
title: Bot handlers answer strangers with nothing
paths: [bot/**]
---

## Root Cause

A stranger learned from the answer that the bot was there.

## Prevention Checklist

- [ ] A stranger gets no answer at all
`

// story is what a person and an agent do in a session, each message by a client of its own,
// as hooks come.
type story struct {
	*world
	file      string
	candidate brain.Candidate
}

// steps are the messages in order.
func (s *story) steps() []func(*testing.T, *Client) {
	const session = "s1"
	exit := func(code int) *int { return &code }
	test := func(t *testing.T, c *Client, code int) *brain.Candidate {
		t.Helper()
		found, err := c.Observe(t.Context(), triggers.Event{Kind: triggers.Command, SessionID: session, Command: "go test ./...", Dir: filepath.Dir(s.brain), ExitCode: exit(code), Output: "--- FAIL: TestBot (0.00s)\n"[:25*code]})
		if err != nil {
			t.Error(err)
		}
		return found.Candidate
	}
	edit := func(t *testing.T, c *Client) {
		t.Helper()
		if _, err := c.Observe(t.Context(), triggers.Event{Kind: triggers.Edit, SessionID: session, Files: []string{s.file}}); err != nil {
			t.Error(err)
		}
	}
	return []func(*testing.T, *Client){
		func(t *testing.T, c *Client) { // the prompt gets the block
			p, err := c.Preflight(t.Context(), deliver.PreflightRequest{Query: "a telegram command that restarts the server", SessionID: session, Agent: "Claude Code", Once: true, CardsOnly: true})
			if err != nil || !strings.Contains(p.Block, "lessons/telegram.md") {
				t.Errorf("preflight: %+v, %v", p, err)
			}
		},
		func(t *testing.T, c *Client) { // a touch gets the file's card
			got, err := c.Touch(t.Context(), deliver.TouchRequest{SessionID: session, Files: []string{s.file}})
			if err != nil || len(got.Lessons) != 1 || got.Lessons[0].Path != "lessons/bot.md" {
				t.Errorf("touch: %+v, %v", got, err)
			}
		},
		func(t *testing.T, c *Client) { // once
			if got, err := c.Touch(t.Context(), deliver.TouchRequest{SessionID: session, Files: []string{s.file}}); err != nil || len(got.Lessons) > 0 {
				t.Errorf("the same touch: %+v, %v", got, err)
			}
		},
		edit,
		func(t *testing.T, c *Client) { test(t, c, 1) },
		edit,
		func(t *testing.T, c *Client) { // red, edit, green: a question
			found := test(t, c, 0)
			if found == nil {
				t.Fatal("the run that passes raises nothing")
			}
			s.candidate = *found
		},
		func(t *testing.T, c *Client) { // the answer is held against both cards
			f, err := c.Answered(t.Context(), judge.AnswerRequest{SessionID: session, Answer: "I wrote it as you asked."})
			if err != nil || len(f.Lessons) != 2 {
				t.Errorf("the check: %+v, %v", f, err)
			}
		},
		func(t *testing.T, c *Client) { // a person records it
			waiting := c.Candidates()
			if len(waiting) != 1 || waiting[0].ID != s.candidate.ID {
				t.Fatalf("%+v waits, not %+v", waiting, s.candidate)
			}
			_, err := c.Confirm(t.Context(), desk.CreateRequest{CandidateID: s.candidate.ID, Title: "Zeppelin timetables need a time zone", Fields: desk.CreateFields{
				RootCause: "The zeppelin timetable was stored without its zone.", Checklist: []string{"Zeppelin timetables name their time zone"},
			}})
			if err != nil {
				t.Errorf("record: %v", err)
			}
		},
		func(t *testing.T, c *Client) { // the next prompt gets it, and nothing waits any more
			p, err := c.Preflight(t.Context(), deliver.PreflightRequest{Query: "print the zeppelin timetable with its time zone", SessionID: session, CardsOnly: true})
			if err != nil || !strings.Contains(p.Block, "Zeppelin timetables") {
				t.Errorf("the next preflight: %+v, %v", p, err)
			}
			if waiting := c.Candidates(); len(waiting) != 0 {
				t.Errorf("%+v still waits", waiting)
			}
			cards, err := c.Cards(t.Context(), desk.CardFilter{})
			if err != nil || len(cards) != 3 {
				t.Errorf("%d cards, %v", len(cards), err)
			}
		},
	}
}

// TestKilledBetweenAnyTwoMessages kills the daemon after each message of a story in turn. The
// rest of the story is as it would have been. What was said a moment ago is given the time to
// reach the disk; docs/architecture.md has the bounds.
func TestKilledBetweenAnyTwoMessages(t *testing.T) {
	for kill := range len((&story{world: &world{}}).steps()) - 1 {
		t.Run(fmt.Sprint("after message ", kill+1), func(t *testing.T) {
			w := newWorld(t)
			put(t, filepath.Join(w.brain, "lessons", "bot.md"), botCard)
			s := &story{world: w, file: filepath.Join(filepath.Dir(w.brain), "bot", "handlers.py")}
			put(t, s.file, "def handle(): pass\n")
			for i, step := range s.steps() {
				c := w.connect(w.config(1))
				step(t, c)
				if i == kill {
					if err := c.Settle(t.Context()); err != nil {
						t.Error(err)
					}
					w.kill(syscall.SIGKILL)
					w.awaitEnd()
				}
			}
			if n := strings.Count(w.log(), "msg=serving"); n != 2 {
				t.Errorf("%d daemons served", n)
			}
		})
	}
}

// TestTwoWindowsAndFourHooks lets four agents live the same story at once while two windows
// are open. Every agent gets what is its own, and both windows hear of all of it.
func TestTwoWindowsAndFourHooks(t *testing.T) {
	const agents = 4
	w := newWorld(t)
	file := filepath.Join(filepath.Dir(w.brain), "bot", "handlers.py")
	put(t, filepath.Join(w.brain, "lessons", "bot.md"), botCard)
	put(t, file, "def handle(): pass\n")
	var windows [2]*program
	for i := range windows {
		windows[i] = w.connect(w.config(1)).listen()
	}
	answers := make(chan string, agents)
	var wg sync.WaitGroup
	for i := range agents {
		session := fmt.Sprint("agent ", i)
		hook := func(say func(*Client) error) {
			if err := say(&Client{t, w.config(1)}); err != nil {
				t.Errorf("%s: %v", session, err)
			}
		}
		wg.Go(func() {
			hook(func(c *Client) error {
				p, err := c.Preflight(t.Context(), deliver.PreflightRequest{Query: "a telegram command that restarts the server", SessionID: session, Once: true, CardsOnly: true})
				if len(p.Lessons) != 1 {
					t.Errorf("%s: preflight %+v", session, p)
				}
				answers <- p.AnswerID
				return err
			})
			for n := range 5 { // the card comes with the first touch
				hook(func(c *Client) error {
					got, err := c.Touch(t.Context(), deliver.TouchRequest{SessionID: session, Files: []string{file}})
					if (len(got.Lessons) > 0) != (n == 0) {
						t.Errorf("%s: touch %d: %+v", session, n, got)
					}
					return err
				})
			}
			hook(func(c *Client) error {
				f, err := c.Answered(t.Context(), judge.AnswerRequest{SessionID: session, Answer: "I wrote it as you asked."})
				if len(f.Lessons) != 2 {
					t.Errorf("%s: check %+v", session, f)
				}
				return err
			})
		})
	}
	wg.Wait()
	close(answers)
	want := map[string]bool{}
	for id := range answers {
		want[id] = true
	}
	for i, heard := range windows {
		got := map[string]bool{}
		for range agents {
			got[heard.await(t, isFooter).Footer.AnswerID] = true
		}
		if !maps.Equal(got, want) {
			t.Errorf("window %d heard of %v, not of %v", i, got, want)
		}
	}
	if n := strings.Count(w.log(), "msg=serving"); n != 1 {
		t.Errorf("%d daemons served", n)
	}
}

// TestAFullDisk lets a daemon live where no file may grow. It answers; what has to be written
// is refused by name, and no half of it is left.
func TestAFullDisk(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell to limit files with")
	}
	w := newWorld(t)
	cfg := w.config(1)
	cfg.Start = append([]string{sh, "-c", `ulimit -f 0 && exec "$@"`, "sh"}, cfg.Start...)
	c := w.connect(cfg)
	w.preflight(c)
	_, err = c.Confirm(t.Context(), desk.CreateRequest{Title: "Zeppelins need a mast"})
	if !fullDisk(err) {
		t.Errorf("create: %v", err)
	}
	if _, err := c.Bump(t.Context(), "lessons/telegram.md"); !fullDisk(err) {
		t.Errorf("bump: %v", err)
	}
	w.preflight(c)
	if _, err := c.Answered(t.Context(), judge.AnswerRequest{Answer: "I wrote it as you asked.", Lessons: []string{"lessons/telegram.md"}}); err != nil {
		t.Errorf("check: %v", err)
	}
	src, err := os.ReadFile(filepath.Join(w.brain, "lessons", "telegram.md"))
	if err != nil || string(src) != card {
		t.Errorf("the card is now %q, %v", src, err)
	}
	files, err := filepath.Glob(filepath.Join(w.brain, "lessons", "*"))
	if err != nil || len(files) != 1 {
		t.Errorf("in the brain are %v, %v", files, err)
	}
}

// fullDisk reports whether a method answered that nothing more can be written.
func fullDisk(err error) bool {
	return err != nil && (strings.Contains(err.Error(), syscall.EFBIG.Error()) || strings.Contains(err.Error(), syscall.ENOSPC.Error()))
}

// TestAHungDaemonIsNotWaitedFor stops a daemon that has clients, as a debugger, a
// dying disk or a machine without memory would, and lets it go on.
func TestAHungDaemonIsNotWaitedFor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says in a file when a process has stopped")
	}
	w := newWorld(t)
	cfg := w.config(1)
	c := w.connect(cfg)
	idle := c.listen()
	pid := w.hello().PID
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; runtime.Gosched() { // a signal takes its time
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("it does not stop: %v", err)
		}
		if _, state, _ := strings.Cut(string(stat), ") "); strings.HasPrefix(state, "T") {
			break
		}
	}
	goes := sync.OnceFunc(func() {
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			t.Error(err)
		}
	})
	defer goes()

	cfg.startWait = time.Second / 10
	if _, err := Connect(t.Context(), cfg, Run{}); !errors.Is(err, context.DeadlineExceeded) && err == nil {
		t.Errorf("who comes now: %v", err)
	}

	goes()
	w.preflight(c) // it heals
	if again := w.hello().PID; again != pid {
		t.Errorf("process %d serves, not %d, which only slept", again, pid)
	}
	put(t, filepath.Join(w.brain, "lessons", "new.md"), card)
	idle.await(t, func(n notes) bool { return n.Changed != nil }) // who was there before hears on
}
