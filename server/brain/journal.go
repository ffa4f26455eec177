package brain

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/journal"
)

// Begin begins something that is done to cards, for the journal.
func (s *Base) Begin(verb string) *journal.Act {
	a := s.Journal.Begin(s.Files, verb, s.Now())
	a.Log = s.Logger
	return a
}

// Do carries an act out and waits until what it changed is searchable.
func (s *Base) Do(act *journal.Act, plan func() error) error {
	err := act.Do(plan)
	if changed := act.Paths(); len(changed) > 0 {
		s.wrote(changed...)
		s.Keeper.Changed() // who looked before the journal had its line took the files for a stranger's
	}
	return err
}

// Edit changes the text of a card as one act of the journal. verb is what an error says was being done.
func (s *Base) Edit(act *journal.Act, verb, path string, change func([]byte) ([]byte, error)) (Card, error) {
	was, err := s.CardAt(path)
	if err != nil {
		return Card{}, fmt.Errorf("%s %s: %w", verb, path, err)
	}
	rel := was.Path
	if err := s.Do(act, func() error { return act.Edit(rel, change) }); err != nil {
		return Card{}, fmt.Errorf("%s: %w", verb, &lessons.PathError{Path: rel, Err: err})
	}
	c, err := s.Read(rel)
	if err != nil {
		return Card{}, fmt.Errorf("%s %s: %w", verb, rel, err)
	}
	return CardOf(c), nil
}

// TakeBack undoes in the ledger what an act of the journal did there.
func (s *Base) TakeBack(act string) {
	if s.State.TakeBack(func(a string) bool { return a == act }) {
		s.TellChanged(Changed{Cards: true, Candidates: true})
	}
}

// Undone is what an undo did.
type Undone struct {
	Verb    string   `json:"verb"`    // what was taken back: delete, bump, merge …
	Cards   []Card   `json:"cards"`   // as they stand again
	Removed []string `json:"removed"` // what the act had made
}

// UndoAct takes an act of the journal back. Errors are those of desk.Room.Undo.
func (s *Base) UndoAct(act []journal.Row) (Undone, error) {
	if err := s.Journal.Undo(s.Files, act, s.Now()); err != nil {
		if r := act[0]; r.Before != "" && r.After == "" && len(act) == 1 && errors.Is(err, journal.ErrChanged) {
			err = &lessons.PathError{Path: act[0].Path, Err: fs.ErrExist} // its place was taken
			return Undone{}, fmt.Errorf("undo: %w", err)
		}
		return Undone{}, err
	}
	s.TakeBack(act[0].Act)
	paths := journal.Paths(act)
	s.wrote(paths...)
	out := Undone{Verb: act[0].Verb, Cards: []Card{}, Removed: []string{}}
	for _, p := range paths {
		c, err := s.Read(p)
		if err != nil {
			out.Removed = append(out.Removed, p)
			continue
		}
		out.Cards = append(out.Cards, CardOf(c))
	}
	return out, nil
}
