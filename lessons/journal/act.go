package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"github.com/handrail-dev/handrail/lessons"
)

// Act is one change of one or more cards. Do carries it out as a whole or not at all, and Undo
// reverts it as a whole.
//
// Edit, Mark, Create, Remove and Move are for the plan that Do is given. They change nothing
// yet, and each sees the files as those before it will leave them.
type Act struct {
	Verb string
	Why  string // of the steps that are planned next
	Log  *slog.Logger

	journal *Journal
	brain   *lessons.Brain
	name    string
	at      time.Time
	undoes  string
	steps   []step
	now     map[string][]byte // how the steps leave files; nil for none
}

// step is the change of one file.
type step struct {
	row           Row
	before, after []byte // the texts: nil where there is none
}

// Begin returns a new act on a brain. Do carries it out.
func (j *Journal) Begin(b *lessons.Brain, verb string, at time.Time) *Act {
	return &Act{Verb: verb, Log: slog.New(slog.DiscardHandler), journal: j, brain: b, name: newName(time.Now()), at: at, now: map[string][]byte{}}
}

// Name returns the act's name, for Undo.
func (a *Act) Name() string { return a.name }

// Paths returns the files that the act changes.
func (a *Act) Paths() []string { return Paths(rowsOf(a.steps)) }

// Do plans the act and carries it out, while no other process writes to the brain. When plan
// fails, nothing is done; when a change fails, those before it are taken back, and
// ErrUnfinished says that this failed too. Nothing is changed that cannot be recorded.
func (a *Act) Do(plan func() error) error {
	return a.brain.Write(func(w lessons.Writer) error {
		if err := a.journal.resolve(w, a.Log); err != nil {
			return err
		}
		if err := plan(); err != nil || len(a.steps) == 0 {
			return err
		}
		if err := a.journal.intend(a.steps); err != nil {
			return err
		}
		return a.carryOut(w)
	})
}

// carryOut makes the changes of an act whose intent is on disk.
func (a *Act) carryOut(w lessons.Writer) error {
	var err error
	for _, s := range a.steps { // in order
		if err == nil {
			err = s.apply(w)
		}
	}
	rows := rowsOf(a.steps)
	if err == nil {
		err = a.journal.end(rows)
	}
	if err == nil {
		return nil
	}
	if back := revert(w, a.journal, rows); back != nil {
		return errors.Join(back, err)
	}
	if lost := a.journal.end(failed(rows)); lost != nil {
		a.Log.Warn("not in the journal that it failed", "verb", a.Verb, "err", lost)
	}
	return err
}

func (s step) apply(w lessons.Writer) error {
	texts := map[string][]byte{s.row.Before: s.before, s.row.After: s.after, "": nil}
	for _, r := range s.row.parts() {
		if err := set(w, r.Path, texts[r.Before], texts[r.After]); err != nil {
			return err
		}
	}
	return nil
}

// set makes one text of a file another, where nil is no file. Who saved it in the moment since it
// was read keeps their save: ErrBusy.
func set(w lessons.Writer, rel string, from, to []byte) error {
	switch {
	case from == nil:
		return w.Create(rel, to)
	case to == nil:
		return w.Remove(rel, from)
	}
	return w.Edit(rel, func(src []byte) ([]byte, error) {
		if !bytes.Equal(src, from) {
			return nil, lessons.ErrBusy
		}
		return to, nil
	})
}

// plan adds a step.
func (a *Act) plan(r Row, before, after []byte) {
	r.Act, r.At, r.Verb, r.Why, r.Undoes = a.name, a.at, a.Verb, a.Why, a.undoes
	r.Before, r.After = sumOf(before), sumOf(after)
	a.steps = append(a.steps, step{r, before, after})
}

// Read returns a file as the steps so far leave it.
func (a *Act) Read(rel string) ([]byte, error) {
	src, ok := a.now[rel]
	if !ok {
		return a.brain.Read(rel)
	}
	if src == nil {
		return nil, &lessons.PathError{Path: rel, Err: fs.ErrNotExist}
	}
	return src, nil
}

// Edit changes a card as [lessons.Writer.Edit] does.
func (a *Act) Edit(rel string, change func([]byte) ([]byte, error)) error {
	src, err := a.Read(rel)
	if err != nil {
		return err
	}
	out, err := change(src)
	if err != nil || string(out) == string(src) {
		return err
	}
	a.plan(Row{Path: rel}, orEmpty(src), orEmpty(out))
	a.now[rel] = orEmpty(out)
	return nil
}

// Mark records something about a card that does not change its text. Undo only records that it was reverted.
func (a *Act) Mark(rel string) { a.plan(Row{Path: rel}, nil, nil) }

// Create writes a new card as [lessons.Writer.Create] does.
func (a *Act) Create(rel string, src []byte) error {
	if a.there(rel) {
		return &lessons.PathError{Path: rel, Err: fs.ErrExist}
	}
	a.plan(Row{Path: rel}, nil, orEmpty(src))
	a.now[rel] = orEmpty(src)
	return nil
}

// Remove takes a card away. The journal keeps its text.
func (a *Act) Remove(rel string) error {
	src, err := a.Read(rel)
	if err != nil {
		return err
	}
	a.plan(Row{Path: rel}, orEmpty(src), nil)
	a.now[rel] = nil
	return nil
}

// Move renames a card. It never overwrites: fs.ErrExist.
func (a *Act) Move(from, to string) error {
	src, err := a.Read(from)
	if err != nil {
		return err
	}
	if a.there(to) {
		return &lessons.PathError{Path: to, Err: fs.ErrExist}
	}
	a.plan(Row{Path: to, From: from}, orEmpty(src), orEmpty(src))
	a.now[from], a.now[to] = nil, orEmpty(src)
	return nil
}

// there reports whether a path is taken.
func (a *Act) there(rel string) bool {
	if src, ok := a.now[rel]; ok {
		return src != nil
	}
	_, err := a.brain.Lstat(rel)
	return err == nil
}

// orEmpty tells an empty text from no text.
func orEmpty(src []byte) []byte { return append([]byte{}, src...) }
