//go:build !race

// A process for each call of each act: with the race detector five times as slow, and "make test" runs it without.

package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/journal"
	"github.com/handrail-dev/handrail/server/ledger"
)

// actor is the variable that has this binary carry one act out and end.
const actor = "HANDRAIL_TEST_ACT"

// acting is the act's name. The act runs on the first thread, whose calls strace counts.
var acting = func() string {
	name := os.Getenv(actor)
	if name != "" {
		runtime.LockOSThread()
	}
	return name
}()

func TestMain(m *testing.M) {
	if acting != "" {
		actAlone(acting)
		return
	}
	os.Exit(m.Run())
}

// The calls between these names are the act's.
const began, ended = "/handrail-test-begins", "/handrail-test-ends"

// actAlone carries one act out on the workspace of this folder, and ends with how it went.
func actAlone(name string) {
	act := actsToKill[slices.IndexFunc(actsToKill, func(a actToKill) bool { return a.name == name })]
	dir, err := os.Getwd()
	if err != nil {
		return
	}
	s, err := New(context.Background(), killConfig(dir))
	if err != nil {
		return
	}
	<-s.Ready()
	_, _ = os.ReadFile(began)
	err = act.do(s)
	_, _ = os.ReadFile(ended)
	_ = s.Close()
	switch { // by its status, for standard output may be full as well
	case err == nil:
		os.Exit(done)
	case errors.Is(err, journal.ErrUnfinished):
		os.Exit(unfinished)
	}
	os.Exit(failed)
}

// How a process that was to act ended.
const (
	killed     = -1
	crashed    = 2 // by the runtime, whose threads wake each other by writes
	done       = 10
	failed     = 11
	unfinished = 12
)

func killConfig(dir string) Config {
	return Config{Brain: filepath.Join(dir, ".brain"), CacheDir: filepath.Join(dir, "cache"), StateDir: filepath.Join(dir, "state"), Now: now}
}

const (
	killedTwin = "---\ntype: lesson\nsource: auto\nlast-seen: 2026-05-05\n---\n# Telegram remote execution must require an allowlist\n\n## Root Cause\n\nEach handler was trusted to check the sender.\n\n## Prevention Checklist\n\n- [ ] The allowlist is checked before any command runs\n- [ ] Strangers get no answer\n"
	draftedOne = "---\ntype: lesson\nstatus: draft\n---\n# Times are stored without a zone\n\n## Root Cause\n\nThe column took what the form sent.\n\n## Prevention Checklist\n\n- [ ] The report names its time zone\n"
)

// actToKill is one of the things that are done to cards. before is done first, and lasts.
type actToKill struct {
	name       string
	before, do func(*Server) error
}

func errOf[T any](_ T, err error) error { return err }

// actsToKill are all acts on cards, and the undo of some.
var actsToKill = []actToKill{
	{"create", nil, makeCard},
	{"promote", nil, promote},
	{"verify", nil, func(s *Server) error { return errOf(s.Verify(ctx, "lessons/allow.md", true)) }},
	{"bump", nil, func(s *Server) error { return errOf(s.Bump(ctx, "lessons/allow.md", "")) }},
	{"archive", nil, func(s *Server) error { return errOf(s.SetStatus(ctx, "lessons/allow.md", lessons.Archived)) }},
	{"restore", func(s *Server) error { return errOf(s.SetStatus(ctx, "lessons/allow.md", lessons.Archived)) }, func(s *Server) error { return errOf(s.SetStatus(ctx, "lessons/allow.md", lessons.Active)) }},
	{"quarantine", nil, quarantine},
	{"lift", quarantine, func(s *Server) error { return errOf(s.SetStatus(ctx, "lessons/allow.md", lessons.Active)) }},
	{"never", nil, never},
	{"merge", nil, merge},
	{"tidy", nil, func(s *Server) error {
		<-s.Ready() // it looks at every card
		return errOf(s.Tidy(ctx, TidyRequest{Apply: true}))
	}},
	{"delete", nil, remove},
	{"undo create", makeCard, undo},
	{"undo promote", promote, undo},
	{"undo never", never, undo},
	{"undo merge", merge, undo},
	{"undo delete", remove, undo},
}

func makeCard(s *Server) error {
	return errOf(s.Confirm(ctx, CreateRequest{Title: "Zeppelins need a mast"}))
}

func promote(s *Server) error { return errOf(s.Promote(ctx, "drafts/zone.md", "")) }

func quarantine(s *Server) error {
	return errOf(s.Quarantine(ctx, QuarantineRequest{Path: "lessons/allow.md", Reason: "wrong"}))
}

func never(s *Server) error {
	return errOf(s.NeverFor(ctx, NeverRequest{Path: "lessons/allow.md", Query: "send a telegram command to the server"}))
}

func merge(s *Server) error {
	return errOf(s.Merge(ctx, MergeRequest{Into: "lessons/allow.md", From: "lessons/twin.md"}))
}

func remove(s *Server) error { return errOf(s.Delete(ctx, "lessons/twin.md")) }
func undo(s *Server) error   { return errOf(s.Undo(ctx, UndoRequest{})) }

// stage is a workspace that stands as it did before an act, again and again.
type stage struct {
	*workspace
	t             *testing.T
	strace        string
	act           actToKill
	template      string
	before, after stand
	undoable      int // acts of the journal before
}

// stand is how a brain, its counters and what its cards are kept from stand.
type stand struct {
	Cards picture
	Never int
}

func (w *stage) stand() stand {
	return stand{w.picture(w.t), len(w.State.Nevers())}
}

func newStage(t *testing.T, strace string, act actToKill) *stage {
	t.Helper()
	side := t.TempDir()
	w := &stage{&workspace{dir: filepath.Join(side, "now")}, t, strace, act, filepath.Join(side, "before"), stand{}, stand{}, 0}
	w.cfg = killConfig(w.dir)
	for rel, text := range map[string]string{"lessons/allow.md": allowlist, "lessons/twin.md": killedTwin, "lessons/queue.md": refused, "drafts/zone.md": draftedOne} {
		w.put(t, rel, text)
	}
	w.open(t)
	for _, path := range []string{"lessons/allow.md", "lessons/twin.md"} {
		row := ledger.Turn{ID: ledger.NewID(), Session: ledger.NewID(), At: now(), Lessons: []Hit{{Path: path}}}
		w.State.Turns.Put(row.ID, row)
		w.State.CreditServed(row.ID)
	}
	if act.before != nil {
		if err := act.before(w.Server); err != nil {
			t.Fatal(err)
		}
	}
	w.before, w.undoable = w.stand(), w.undoables()
	w.shut()
	if err := os.CopyFS(w.template, os.DirFS(w.dir)); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *stage) undoables() int {
	rows, err := w.Journal.Rows()
	if err != nil {
		w.t.Fatal(err)
	}
	return len(journal.Undoable(rows))
}

func (w *stage) shut() {
	w.t.Helper()
	if err := w.Close(); err != nil {
		w.t.Fatal(err)
	}
}

func (w *stage) reset() {
	w.t.Helper()
	if err := errors.Join(os.RemoveAll(w.dir), os.CopyFS(w.dir, os.DirFS(w.template))); err != nil {
		w.t.Fatal(err)
	}
}

// call is a system call of the act that can change the disk: which one by its name, and how
// many of that name there were before it.
type call struct {
	name string
	at   int
	line string
}

// changing are the calls that can change the disk, and those of them that a full disk refuses.
const (
	changing = "openat,write,pwrite64,fsync,fdatasync,ftruncate,renameat,renameat2,linkat,unlinkat,mkdirat,fchmod,fchmodat,fchmodat2"
	growing  = "write,pwrite64,fsync,fdatasync,ftruncate,linkat,mkdirat"
)

// run carries the act out in another process under strace, which is told what to do to it. It
// returns how the process ended.
func (w *stage) run(inject ...string) (status int, calls []call) {
	w.t.Helper()
	w.reset()
	log := filepath.Join(filepath.Dir(w.dir), "strace")
	args := []string{"-qq", "-s", "120", "-o", log, "-e", "trace=?" + strings.ReplaceAll(changing, ",", ",?")}
	for _, in := range inject {
		args = append(args, "-e", "inject="+in)
	}
	cmd := exec.CommandContext(w.t.Context(), w.strace, append(args, os.Args[0])...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), actor+"="+w.act.name)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 1 {
		w.t.Skipf("this machine lets nobody trace a process: %v\n%s", err, &errs)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		w.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), callsOf(string(text))
}

var callLine = regexp.MustCompile(`^(\w+)\(`)

func callsOf(trace string) (calls []call) {
	seen, within := map[string]int{}, false
	for line := range strings.Lines(trace) {
		m := callLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := m[1]
		if seen[name]++; strings.HasPrefix(name, "syscall_") || strings.Contains(line, `"\1\0\0\0\0\0\0\0", 8`) {
			continue // newer than strace; or the runtime wakes a thread
		}
		switch {
		case strings.Contains(line, began):
			within = true
		case strings.Contains(line, ended):
			return append(calls, call{name, seen[name], line}) // once all is done
		case within && (name != "openat" || strings.Contains(line, "O_CREAT")):
			calls = append(calls, call{name, seen[name], line})
		}
	}
	return calls
}

// allKills is the variable that has every act killed at every call. Without it some are, for that takes two minutes.
const allKills = "HANDRAIL_KILLS"

// TestKilledAtAnyCall kills a process at each system call by which an act changes the disk, for
// every act. The next start has the act as a whole, and undo takes it back, or not at all,
// and it can be done again.
func TestKilledAtAnyCall(t *testing.T) {
	eachAct(t, []string{"promote", "undo merge"}, func(w *stage, calls []call) {
		missed := 0
		for i, c := range calls {
			hit := false
			for _, off := range []int{0, -1, 1, -2, 2} { // the runtime's threads wake each other by writes, which count
				status, made := w.run(fmt.Sprintf("%s:signal=SIGKILL:when=%d", c.name, max(1, c.at+off)))
				w.holds("killed at "+c.line, status)
				hit = status == killed && len(made) == i+1
				if hit {
					break
				}
			}
			if !hit {
				w.t.Logf("not killed at %s", c.line)
				missed++
			}
		}
		if missed > len(calls)/4 {
			w.t.Errorf("not killed at %d of %d calls", missed, len(calls))
		}
	})
}

// TestFullDiskAtAnyCall has the disk full for one call of an act, and from that call on.
func TestFullDiskAtAnyCall(t *testing.T) {
	eachAct(t, []string{"merge"}, func(w *stage, calls []call) {
		for i, c := range calls {
			if !slices.Contains(strings.Split(growing, ","), c.name) {
				continue
			}
			status, _ := w.run(fmt.Sprintf("%s:error=ENOSPC:when=%d", c.name, c.at))
			w.holds("full once at "+c.line, status)
			var inject []string
			for name := range strings.SplitSeq(growing, ",") {
				if next := slices.IndexFunc(calls[i:], func(c call) bool { return c.name == name }); next >= 0 {
					inject = append(inject, fmt.Sprintf("%s:error=ENOSPC:when=%d+", name, calls[i+next].at))
				}
			}
			status, _ = w.run(inject...)
			w.holds("full from "+c.line, status)
		}
	})
}

// eachAct sets the stage for each act, or for some.
func eachAct(t *testing.T, some []string, try func(*stage, []call)) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		t.Setenv("TMPDIR", "/dev/shm")
	}
	for _, act := range actsToKill {
		if os.Getenv(allKills) == "" && (testing.Short() || !slices.Contains(some, act.name)) {
			continue
		}
		t.Run(act.name, func(t *testing.T) {
			w := newStage(t, strace, act)
			status, calls := w.run()
			if status != done || len(calls) < 5 {
				t.Fatalf("status %d after %d calls", status, len(calls))
			}
			w.open(t)
			w.after = w.stand()
			w.shut()
			if cmp.Equal(w.before, w.after) {
				t.Fatal("it does nothing")
			}
			t.Logf("%d calls", len(calls))
			try(w, calls)
		})
	}
}

// holds starts again and holds that the act is there as a whole or not at all, as the process
// that ended with a status said.
func (w *stage) holds(when string, status int) {
	w.t.Helper()
	w.open(w.t)
	defer w.shut()
	full := status != killed
	if status == crashed {
		status = killed
	}
	is, undoes := w.stand(), strings.HasPrefix(w.act.name, "undo")
	switch {
	case cmp.Equal(is, w.after) && (status == killed || status == done):
		if undoes {
			return
		}
		if w.undoables() == w.undoable {
			if !full {
				w.t.Errorf("%s: it is not in the journal", when)
			}
			return
		}
		if err := undo(w.Server); err != nil {
			w.t.Errorf("%s: undo: %v", when, err)
		} else if diff := cmp.Diff(w.before, w.stand()); diff != "" {
			w.t.Errorf("%s: undo: %s", when, diff)
		}
	case cmp.Equal(is, w.before) && status != done:
		if n := w.undoables(); n == w.undoable+1 { // an undo tells of it, and changes nothing
			if err := undo(w.Server); err != nil || !cmp.Equal(w.stand(), w.before) {
				w.t.Errorf("%s: undo of what was cut short: %v %s", when, err, cmp.Diff(w.before, w.stand()))
			}
		}
		if n := w.undoables(); n != w.undoable {
			w.t.Errorf("%s: %d acts can be undone, not %d", when, n, w.undoable)
		}
		if err := w.act.do(w.Server); err != nil {
			w.t.Errorf("%s: again: %v", when, err)
		} else if diff := cmp.Diff(w.after, w.stand()); diff != "" {
			w.t.Errorf("%s: again: %s", when, diff)
		}
	default:
		w.t.Errorf("%s: it ended with %d; against before:\n%s\nagainst after:\n%s", when, status, cmp.Diff(w.before, is), cmp.Diff(w.after, is))
	}
}
