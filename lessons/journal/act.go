package journal

import (
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"handrail/lessons"
)

// Act is one change of one or more cards, which Undo reverts as a whole.
type Act struct {
	Verb   string
	Why    string
	Origin string // the turn it comes from
	// Must makes an act that cannot be recorded fail before it changes anything. Otherwise the
	// act is carried out and the error is logged: a full disk must not stop a person from
	// ignoring a card.
	Must bool
	Log  *slog.Logger

	journal *Journal
	brain   *lessons.Brain
	name    string
	at      time.Time
	undoes  string
	rows    int // recorded so far
}

// Begin returns a new act on a brain. Its methods carry it out.
func (j *Journal) Begin(b *lessons.Brain, verb string, at time.Time) *Act {
	return &Act{Verb: verb, Log: slog.New(slog.DiscardHandler), journal: j, brain: b, name: newName(time.Now()), at: at}
}

// Name returns the act's name, for Undo.
func (a *Act) Name() string { return a.name }

// record keeps the text before and adds a row.
func (a *Act) record(r Row, before []byte) error {
	r.Act, r.At, r.Verb, r.Why, r.Origin, r.Undoes = a.name, a.at, a.Verb, a.Why, a.Origin, a.undoes
	var err error
	if before != nil {
		r.Before, err = a.journal.keep(before)
	}
	if err == nil {
		err = a.journal.add(r)
		a.rows++
	}
	if err != nil && !a.Must {
		a.Log.Warn("not in the journal", "verb", a.Verb, "file", r.Path, "err", err)
		return nil
	}
	return err
}

// Edit changes a card as [lessons.Brain.Edit] does.
func (a *Act) Edit(rel string, change func([]byte) ([]byte, error)) error {
	return a.brain.Edit(rel, func(src []byte) ([]byte, error) {
		out, err := change(src)
		if err != nil || string(out) == string(src) {
			return src, err
		}
		return out, a.record(Row{Path: rel, After: Sum(out)}, orEmpty(src))
	})
}

// Mark records something about a card that does not change its text. Undo only records that
// it was reverted.
func (a *Act) Mark(rel string) error { return a.record(Row{Path: rel}, nil) }

// Create writes a new card as [lessons.Brain.Create] does.
func (a *Act) Create(rel string, src []byte) error {
	if _, err := a.brain.Lstat(rel); err == nil {
		return &lessons.PathError{Path: rel, Err: fs.ErrExist}
	}
	if err := a.record(Row{Path: rel, After: Sum(src)}, nil); err != nil {
		return err
	}
	return a.brain.Create(rel, src)
}

// Trash moves a card to the brain's trash.
func (a *Act) Trash(rel string) error {
	src, err := a.brain.Read(rel)
	if errors.Is(err, lessons.ErrTooLarge) {
		src, err = []byte{}, nil // it lies in the trash; that is enough to bring it back
	}
	if err != nil {
		return err
	}
	id := lessons.NewTrashID()
	if err := a.record(Row{Path: rel, Trash: id}, orEmpty(src)); err != nil {
		return err
	}
	return a.brain.Trash(rel, id)
}

// Move renames a card. It never overwrites: fs.ErrExist.
func (a *Act) Move(from, to string) error {
	src, err := a.brain.Read(from)
	if err != nil {
		return err
	}
	if _, err := a.brain.Lstat(to); err == nil {
		return &lessons.PathError{Path: to, Err: fs.ErrExist}
	}
	if err := a.record(Row{Path: to, From: from, After: Sum(src)}, orEmpty(src)); err != nil {
		return err
	}
	return a.brain.Move(from, to)
}

// orEmpty tells an empty text from no text.
func orEmpty(src []byte) []byte {
	if src == nil {
		return []byte{}
	}
	return src
}

// ErrChanged reports that a card was changed since, so that undo would lose that change.
var ErrChanged = errors.New("changed since")
