package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/side"
)

var day = time.Date(2026, 3, 31, 23, 59, 0, 0, time.UTC)

func open(t *testing.T, files map[string]string) (*lessons.Brain, *Journal) {
	t.Helper()
	dir := t.TempDir()
	for rel, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(rel)), text)
	}
	b, err := lessons.OpenBrain(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b, Open(filepath.Join(t.TempDir(), "state"))
}

// inMemory keeps a test's files off the disk: thousands of fsyncs are not what is tested.
func inMemory(t *testing.T) {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		t.Setenv("TMPDIR", "/dev/shm")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// cards returns the brain's files by path.
func cards(t *testing.T, b *lessons.Brain) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := b.Walk(t.Context(), func(rel string, _ fs.FileInfo) error {
		src, err := b.Read(rel)
		out[rel] = string(src)
		return err
	}, func(rel string, err error) { t.Errorf("%s: %v", rel, err) })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func undoLast(t *testing.T, b *lessons.Brain, j *Journal) error {
	t.Helper()
	rows, err := j.Rows()
	if err != nil {
		t.Fatal(err)
	}
	acts := Undoable(rows)
	if len(acts) == 0 {
		t.Fatal("nothing can be taken back")
	}
	return j.Undo(b, acts[0], day)
}

// TestUndoBringsEverythingBack does a thousand random things to a brain, most of them to
// several cards, and takes some of them back on the way. A model says how the brain must
// stand; in the end all are taken back.
func TestUndoBringsEverythingBack(t *testing.T) {
	operations := 1000
	if runtime.GOOS == "windows" {
		operations = 100 // a file takes some hundred times as long under Wine
	}
	inMemory(t)
	first := map[string]string{"lessons/a.md": "a\n", "lessons/b.md": "", "qa/c.md": "# C\r\n", "한글.md": "가"}
	b, j := open(t, first)
	rnd := rand.New(rand.NewPCG(1, 2))
	model := []map[string]string{first} // the last is how the brain stands
	var acts []string                   // those that can be taken back

	// one does something to one card, and to the model.
	one := func(a *Act, now map[string]string, n int) error {
		names := slices.Sorted(maps.Keys(now))
		some := names[rnd.IntN(len(names))]
		switch op := rnd.IntN(6); {
		case op == 0 || len(names) < 3:
			path, text := fmt.Sprintf("lessons/new-%d.md", n), fmt.Sprint("new ", n)
			now[path] = text
			return a.Create(path, []byte(text))
		case op == 1:
			delete(now, some)
			return a.Remove(some)
		case op == 2:
			path := fmt.Sprintf("playbooks/%d/moved.md", n)
			now[path] = now[some]
			delete(now, some)
			return a.Move(some, path)
		}
		text := fmt.Sprintf("%s%d\n", now[some], n)
		if rnd.IntN(4) == 0 {
			text = now[some][:len(now[some])/2]
		}
		now[some] = text
		return a.Edit(some, func([]byte) ([]byte, error) { return []byte(text), nil })
	}
	takeBack := func(undo func() error) {
		t.Helper()
		if err := undo(); err != nil {
			t.Fatal(err)
		}
		model, acts = model[:len(model)-1], acts[:len(acts)-1]
		if diff := cmp.Diff(model[len(model)-1], cards(t, b)); diff != "" {
			t.Fatalf("with %d acts left: %s", len(acts), diff)
		}
	}
	for n := range operations {
		if len(acts) > 0 && rnd.IntN(4) == 0 {
			takeBack(func() error { return undoLast(t, b, j) })
			continue
		}
		before := model[len(model)-1]
		now := maps.Clone(before)
		a := j.Begin(b, "test", day)
		err := a.Do(func() error {
			for i := range 1 + rnd.IntN(3) {
				if err := one(a, now, n*10+i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatalf("operation %d: %v", n, err)
		}
		if len(a.steps) == 0 { // half of nothing changes nothing
			continue
		}
		model, acts = append(model, now), append(acts, a.Name())
	}
	if diff := cmp.Diff(model[len(model)-1], cards(t, b)); diff != "" {
		t.Fatal(diff)
	}
	rows, err := j.Rows()
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range Undoable(rows) {
		takeBack(func() error { return j.Undo(b, act, day) })
	}
	if len(acts) > 0 {
		t.Errorf("%d acts cannot be taken back", len(acts))
	}
}

// TestUndoLosesNothingOfAPerson: whoever edits a card by hand after an act keeps the edit.
func TestUndoLosesNothingOfAPerson(t *testing.T) {
	add := func(text string) func([]byte) ([]byte, error) {
		return func(src []byte) ([]byte, error) { return append(slices.Clone(src), text...), nil }
	}
	for name, do := range map[string]func(*Act) error{
		"edit":   func(a *Act) error { return a.Edit("a.md", add("x")) },
		"create": func(a *Act) error { return a.Create("new.md", []byte("new")) },
		"move":   func(a *Act) error { return a.Move("a.md", "b/a.md") },
		"remove": func(a *Act) error { return a.Remove("a.md") },
		"both": func(a *Act) error {
			return errors.Join(a.Edit("a.md", add("x")), a.Remove("b.md"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, j := open(t, map[string]string{"a.md": "a", "b.md": "b"})
			a := j.Begin(b, name, day)
			if err := a.Do(func() error { return do(a) }); err != nil {
				t.Fatal(err)
			}
			for rel := range map[string]bool{"a.md": true, "new.md": true, "b/a.md": true} {
				if _, err := b.Lstat(rel); err == nil || name == "remove" && rel == "a.md" {
					write(t, filepath.Join(b.Root(), filepath.FromSlash(rel)), "by hand")
				}
			}
			before := cards(t, b)
			if err := undoLast(t, b, j); !errors.Is(err, ErrChanged) {
				t.Errorf("Undo: %v", err)
			}
			if diff := cmp.Diff(before, cards(t, b)); diff != "" {
				t.Errorf("the undo that was refused changed: %s", diff)
			}
		})
	}
}

// TestCrash: a row is written before its card changes, so it may be about nothing.
func TestCrash(t *testing.T) {
	for name, row := range map[string]Row{
		"edit":   {Path: "a.md", Before: side.Sum([]byte("a")), After: side.Sum([]byte("b"))},
		"create": {Path: "new.md", After: side.Sum([]byte("b"))},
		"remove": {Path: "a.md", Before: side.Sum([]byte("a"))},
		"move":   {Path: "b.md", From: "a.md", Before: side.Sum([]byte("a")), After: side.Sum([]byte("a"))},
	} {
		t.Run(name, func(t *testing.T) {
			b, j := open(t, map[string]string{"a.md": "a"})
			row.Act, row.Verb = "20260101T000000.000000000Z-BBBBBB", name
			if err := j.add([]Row{row}); err != nil {
				t.Fatal(err)
			}
			if err := undoLast(t, b, j); err != nil {
				t.Errorf("Undo: %v", err)
			}
			if diff := cmp.Diff(map[string]string{"a.md": "a"}, cards(t, b)); diff != "" {
				t.Error(diff)
			}
			if rows, _ := j.Rows(); len(Undoable(rows)) != 0 {
				t.Errorf("it is offered again: %+v", rows)
			}
		})
	}
}

func TestTornLine(t *testing.T) {
	b, j := open(t, map[string]string{"a.md": "a"})
	bump := func() {
		t.Helper()
		a := j.Begin(b, "bump", day)
		if err := a.Do(func() error { return a.Edit("a.md", plus) }); err != nil {
			t.Fatal(err)
		}
	}
	bump()
	f, err := os.OpenFile(j.file(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"act":"2026`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	bump()
	rows, err := j.Rows()
	if err != nil || len(rows) != 2 || rows[1].Verb != "bump" {
		t.Errorf("rows %+v, %v", rows, err)
	}
}

func plus(src []byte) ([]byte, error) { return append(slices.Clone(src), '+'), nil }

// TestUnwritableJournal: an act that cannot be recorded changes nothing.
func TestUnwritableJournal(t *testing.T) {
	b, _ := open(t, map[string]string{"a.md": "a", "c.md": "c"})
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "in the way")
	j := Open(file)
	for name, do := range map[string]func(*Act) error{
		"two edits": func(a *Act) error { return errors.Join(a.Edit("a.md", plus), a.Edit("c.md", plus)) },
		"remove":    func(a *Act) error { return a.Remove("a.md") },
		"move":      func(a *Act) error { return a.Move("a.md", "b.md") },
		"never":     func(a *Act) error { a.Mark("a.md"); return nil },
		"bump":      func(a *Act) error { return a.Edit("a.md", plus) },
		"create":    func(a *Act) error { return a.Create("b.md", []byte("b")) },
	} {
		a := j.Begin(b, name, day)
		if err := a.Do(func() error { return do(a) }); err == nil {
			t.Errorf("%s was done without a record", name)
		}
	}
	if diff := cmp.Diff(map[string]string{"a.md": "a", "c.md": "c"}, cards(t, b)); diff != "" {
		t.Error(diff)
	}

	b, j = open(t, map[string]string{"a.md": "a"})
	a := j.Begin(b, "bump", day)
	if err := a.Do(func() error { return a.Edit("a.md", plus) }); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(j.intent(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := undoLast(t, b, j); err == nil || cards(t, b)["a.md"] != "a+" {
		t.Errorf("an undo was done without a record: %v", err)
	}
}

func TestKeptNames(t *testing.T) {
	_, j := open(t, nil)
	for _, bad := range []string{"", "..", "../state", strings.Repeat("g", 64), strings.Repeat("ab", 31)} {
		if _, err := j.Kept(bad); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Kept(%q): %v", bad, err)
		}
	}
}

// TestUndoAtOnce: of several who undo one act, one does, and the others are told so.
func TestUndoAtOnce(t *testing.T) {
	b, j := open(t, map[string]string{"a.md": "a"})
	a := j.Begin(b, "bump", day)
	if err := a.Do(func() error { return a.Edit("a.md", plus) }); err != nil {
		t.Fatal(err)
	}
	answers := make(chan error)
	for range 4 {
		go func() { answers <- Open(j.dir).Undo(b, rowsOf(a.steps), day) }()
	}
	done := 0
	for range 4 {
		if err := <-answers; err == nil {
			done++
		} else if !errors.Is(err, ErrChanged) {
			t.Error(err)
		}
	}
	if done != 1 || cards(t, b)["a.md"] != "a" {
		t.Errorf("%d say that they undid it; %q", done, cards(t, b))
	}
}

// TestUndoInTheOrderOfWriting: of two acts under way at once the one that was written last is
// undone first, whichever began first and whatever the clock said.
func TestUndoInTheOrderOfWriting(t *testing.T) {
	b, j := open(t, map[string]string{"a.md": "a"})
	first, second := j.Begin(b, "bump", day), j.Begin(b, "bump", day.Add(-time.Hour))
	for _, a := range []*Act{second, first} {
		if err := a.Do(func() error { return a.Edit("a.md", plus) }); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := undoLast(t, b, j); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]string{"a.md": "a"}, cards(t, b)); diff != "" {
		t.Error(diff)
	}
}
