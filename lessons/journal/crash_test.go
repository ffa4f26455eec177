package journal

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/side"
)

// die plans an act and makes the first n of its changes, as a process does that is killed then,
// and returns how many it has. half, if it is not nil, begins the next.
func die(t *testing.T, a *Act, plan func(*Act) error, n int, half func(step)) (steps int) {
	t.Helper()
	err := a.brain.Write(func(w lessons.Writer) error {
		if err := plan(a); err != nil {
			return err
		}
		if err := a.journal.intend(a.steps); err != nil {
			return err
		}
		for _, s := range a.steps[:min(n, len(a.steps))] {
			if err := s.apply(w); err != nil {
				return err
			}
		}
		if half != nil {
			half(a.steps[n])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return len(a.steps)
}

// recovers starts again, and holds the cards and the journal against what was before an act
// that was cut short.
func recovers(t *testing.T, b *lessons.Brain, j *Journal, want map[string]string, act string) {
	t.Helper()
	for range 2 { // the second has nothing to do
		if err := Open(j.dir).Recover(b, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, cards(t, b)); diff != "" {
		t.Fatalf("the act is not taken back: %s", diff)
	}
	if _, err := os.Stat(j.intent()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its intent stays: %v", err)
	}
	rows, err := j.Rows()
	if err != nil || len(rows) == 0 || rows[len(rows)-1].Act != act || !rows[len(rows)-1].Failed {
		t.Fatalf("it is not the last that failed: %+v, %v", rows, err)
	}
	last := rows[len(rows)-1]
	done := Undoable(rows)
	switch {
	case last.Undoes != "" || !last.Cut: // nor is an undo that was cut short undone itself
		if slices.ContainsFunc(done, func(a []Row) bool { return a[0].Act == act }) {
			t.Error("it can be undone")
		}
	case len(done) == 0 || done[0][0].Act != act:
		t.Error("an undo does not tell of it first")
	default:
		if err := j.Undo(b, done[0], day); err != nil {
			t.Errorf("undo of what was taken back: %v", err)
		}
		if diff := cmp.Diff(want, cards(t, b)); diff != "" {
			t.Errorf("its undo changed cards: %s", diff)
		}
		rows, err = j.Rows()
		if err != nil || slices.ContainsFunc(Undoable(rows), func(a []Row) bool { return a[0].Act == act }) {
			t.Errorf("it is told of again: %v", err)
		}
	}
}

var start = map[string]string{"drafts/a.md": "draft", "b.md": "b", "c.md": "c"}

// longActs are of several changes, of all kinds.
var longActs = map[string]func(*Act) error{
	"promote": func(a *Act) error {
		return errors.Join(a.Edit("drafts/a.md", plus), a.Move("drafts/a.md", "lessons/a.md"))
	},
	"merge": func(a *Act) error { return errors.Join(a.Edit("b.md", plus), a.Remove("c.md")) },
	"tidy": func(a *Act) error { // into one that is merged itself
		return errors.Join(a.Edit("b.md", plus), a.Remove("c.md"), a.Edit("drafts/a.md", plus), a.Remove("b.md"), a.Edit("drafts/a.md", plus))
	},
	"create": func(a *Act) error {
		return errors.Join(a.Create("new.md", []byte("new")), a.Move("new.md", "newer.md"), a.Edit("newer.md", plus))
	},
	"there and back": func(a *Act) error {
		return errors.Join(a.Edit("b.md", plus), a.Edit("b.md", func([]byte) ([]byte, error) { return []byte("b"), nil }), a.Move("b.md", "d.md"), a.Move("d.md", "b.md"))
	},
}

// TestKilledBetweenAnyTwoChanges cuts acts, and their undo, short after each of their changes.
// The next start takes back what they did and has them as failed; both can be done again.
func TestKilledBetweenAnyTwoChanges(t *testing.T) {
	inMemory(t)
	for name, plan := range longActs {
		t.Run(name, func(t *testing.T) {
			for n, steps := 0, 1; n <= steps; n++ {
				b, j := open(t, start)
				a := j.Begin(b, name, day)
				steps = die(t, a, plan, n, nil)
				recovers(t, b, j, start, a.name)

				again := j.Begin(b, name, day)
				if err := again.Do(func() error { return plan(again) }); err != nil {
					t.Fatalf("again, after %d changes: %v", n, err)
				}
				done, rows := cards(t, b), rowsOf(again.steps)
				undo := j.Begin(b, "undo", day)
				undo.undoes = again.name
				die(t, undo, func(undo *Act) error { return undo.reverseAll(rows) }, n, nil)
				recovers(t, b, j, done, undo.name)

				if err := undoLast(t, b, j); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(start, cards(t, b)); diff != "" {
					t.Fatalf("undo, after %d changes: %s", n, diff)
				}
			}
		})
	}
}

// TestKilledWithinAChange: a file that moves has both names for a moment, and one that is taken away none.
func TestKilledWithinAChange(t *testing.T) {
	t.Run("move", func(t *testing.T) {
		b, j := open(t, start)
		a := j.Begin(b, "promote", day)
		die(t, a, longActs["promote"], 1, func(s step) {
			write(t, filepath.Join(b.Root(), filepath.FromSlash(s.row.Path)), string(s.after))
		})
		recovers(t, b, j, start, a.name)
	})
	t.Run("remove", func(t *testing.T) {
		b, j := open(t, start)
		a := j.Begin(b, "tidy", day)
		die(t, a, longActs["tidy"], 1, func(s step) {
			path := filepath.Join(b.Root(), s.row.Path)
			if err := os.Rename(path, filepath.Join(b.Root(), ".handrail-tmp-ABCDEFGHIJKLMNOPQRSTUVWXYZ")); err != nil {
				t.Fatal(err)
			}
		})
		recovers(t, b, j, start, a.name)
	})
}

// TestKilledAroundTheIntent: before it is whole nothing was changed, and once the rows are in
// the journal all was.
func TestKilledAroundTheIntent(t *testing.T) {
	b, j := open(t, start)
	a := j.Begin(b, "promote", day)
	steps := die(t, a, longActs["promote"], 0, nil)
	whole, err := os.ReadFile(j.intent())
	if err != nil {
		t.Fatal(err)
	}
	write(t, j.intent(), string(whole[:len(whole)/2]))
	if err := j.Recover(b, a.Log); err != nil {
		t.Error(err)
	}
	if rows, err := j.Rows(); err != nil || len(rows) > 0 {
		t.Errorf("an act that never began is in the journal: %+v, %v", rows, err)
	}

	a = j.Begin(b, "promote", day)
	die(t, a, longActs["promote"], steps, nil)
	if err := j.add(rowsOf(a.steps)); err != nil {
		t.Fatal(err)
	}
	done := cards(t, b)
	if err := j.Recover(b, a.Log); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(done, cards(t, b)); diff != "" {
		t.Errorf("an act that was done is taken back: %s", diff)
	}
	if rows, err := j.Rows(); err != nil || len(rows) != steps || len(Undoable(rows)) != 1 {
		t.Errorf("%+v, %v", rows, err)
	}
}

// TestCutShortAndEditedByHand: what a person made of a file after the crash stays.
func TestCutShortAndEditedByHand(t *testing.T) {
	inMemory(t)
	for path := range map[string]bool{"drafts/a.md": true, "b.md": true, "c.md": true, "newer.md": true, "lessons/a.md": true} {
		for name, plan := range longActs {
			for n, steps := 0, 1; n <= steps; n++ {
				b, j := open(t, start)
				a := j.Begin(b, name, day)
				steps = die(t, a, plan, n, nil)
				write(t, filepath.Join(b.Root(), filepath.FromSlash(path)), "by hand")
				if err := j.Recover(b, a.Log); err != nil {
					t.Fatalf("%s, %d changes, %s by hand: %v", name, n, path, err)
				}
				if got := cards(t, b)[path]; got != "by hand" {
					t.Errorf("%s, %d changes: %s was made %q", name, n, path, got)
				}
				if next := j.Begin(b, "next", day); next.Do(func() error { return next.Edit(path, plus) }) != nil {
					t.Errorf("%s, %d changes: nothing can be done any more", name, n)
				}
			}
		}
	}
}

// TestAnActThatFailsIsTakenBack fails at its second change, which somebody is quicker with.
func TestAnActThatFailsIsTakenBack(t *testing.T) {
	b, j := open(t, start)
	a := j.Begin(b, "promote", day)
	err := a.Do(func() error {
		err := longActs["promote"](a)
		write(t, filepath.Join(b.Root(), "lessons", "a.md"), "another")
		return err
	})
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("Do: %v", err)
	}
	want := map[string]string{"drafts/a.md": "draft", "b.md": "b", "c.md": "c", "lessons/a.md": "another"}
	recovers(t, b, j, want, a.name)

	a = j.Begin(b, "merge", day)
	err = a.Do(func() error {
		err := longActs["merge"](a)
		write(t, filepath.Join(b.Root(), "b.md"), "by hand")
		return err
	})
	if !errors.Is(err, lessons.ErrBusy) {
		t.Errorf("Do: %v", err)
	}
	want["b.md"] = "by hand"
	recovers(t, b, j, want, a.name)
}

// TestDamagedTexts: what is not what it was is not written into a card, and not kept for what it was.
func TestDamagedTexts(t *testing.T) {
	for name, spoil := range map[string]func(file string) error{
		"changed": func(file string) error { return os.WriteFile(file, []byte("B"), 0o600) },
		"cut":     func(file string) error { return os.Truncate(file, 0) },
		"gone":    os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			b, j := open(t, start)
			bump := j.Begin(b, "bump", day)
			if err := bump.Do(func() error { return errors.Join(bump.Edit("b.md", plus), bump.Edit("c.md", plus)) }); err != nil {
				t.Fatal(err)
			}
			after := cards(t, b)
			if err := spoil(filepath.Join(j.dir, "kept", side.Sum([]byte("b")))); err != nil {
				t.Fatal(err)
			}
			if err := undoLast(t, b, j); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "b.md") {
				t.Errorf("Undo: %v", err)
			}
			if diff := cmp.Diff(after, cards(t, b)); diff != "" {
				t.Errorf("the undo that was refused changed: %s", diff)
			}
			if _, err := j.Keep([]byte("b")); err != nil {
				t.Fatal(err)
			}
			if err := undoLast(t, b, j); err != nil {
				t.Errorf("with the text kept anew: %v", err)
			}
		})
	}
}
