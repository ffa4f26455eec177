package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"handrail/lessons"
	"handrail/lessons/journal"
)

// UndoRequest says what to take back: what was done last, or what was done last to a card.
type UndoRequest struct {
	Path string `json:"path,omitempty" names:"card"` // the last act on this card; "" for the last on any
}

// Undone is what an undo did.
type Undone struct {
	Verb    string   `json:"verb"`    // what was taken back: delete, bump, merge …
	Cards   []Card   `json:"cards"`   // as they stand again
	Removed []string `json:"removed"` // what the act had made; it lies in the trash now
}

// Undo takes the last act on the brain's cards back, as a whole: another Undo takes back the
// one before. ErrNothingToUndo when there is none; ErrChanged when a card was changed
// since; fs.ErrExist when the place of a deleted card was taken meanwhile. Then nothing moves.
func (s *deskRoom) Undo(_ context.Context, r UndoRequest) (Undone, error) {
	rel := ""
	if r.Path != "" {
		var err error
		if rel, err = s.brain.Rel(r.Path); err != nil {
			return Undone{}, fmt.Errorf("undo: %w", err)
		}
	}
	err := s.journal.Recover(s.brain, s.log) // of a process that died meanwhile
	var rows []journal.Row
	if err == nil {
		rows, err = s.journal.Rows()
	}
	if err != nil {
		return Undone{}, fmt.Errorf("undo: %w", err)
	}
	for _, act := range journal.Undoable(rows) {
		if rel == "" || slices.ContainsFunc(act, func(r journal.Row) bool { return r.Path == rel || r.From == rel }) {
			return s.undoAct(act)
		}
	}
	return s.untrash(rows, rel)
}

func (s *Base) undoAct(act []journal.Row) (Undone, error) {
	if err := s.journal.Undo(s.brain, act, s.now()); err != nil {
		if trash := act[0].Trash; trash != "" && len(act) == 1 && errors.Is(err, journal.ErrChanged) {
			err = &lessons.PathError{Path: act[0].Path, Err: fs.ErrExist} // its place was taken
			return Undone{}, fmt.Errorf("undo: %w", err)
		}
		return Undone{}, err
	}
	s.takeBack(act[0].Act)
	var paths []string
	for _, r := range act {
		paths = append(paths, r.Path)
		if r.From != "" {
			paths = append(paths, r.From)
		}
	}
	slices.Sort(paths)
	return s.undone(act[0].Verb, slices.Compact(paths)), nil
}

// untrash brings back what lies in the trash and not in the journal: it was deleted by a
// Handrail with another state folder.
func (s *deskRoom) untrash(rows []journal.Row, rel string) (Undone, error) {
	known := map[string]bool{}
	for _, r := range rows {
		known[r.Trash] = true
	}
	for _, id := range slices.Backward(s.brain.Trashed()) {
		if known[id] || rel != "" && s.brain.TrashedAs(id) != rel {
			continue
		}
		back, err := s.brain.Undo(id)
		if err != nil {
			return Undone{}, fmt.Errorf("undo: %w", err)
		}
		return s.undone("delete", []string{back}), nil
	}
	return Undone{}, fmt.Errorf("undo: %w", ErrNothingToUndo)
}

func (s *Base) undone(verb string, paths []string) Undone {
	s.wrote(paths...)
	out := Undone{Verb: verb, Cards: []Card{}, Removed: []string{}}
	for _, p := range paths {
		c, err := s.read(p)
		if err != nil {
			out.Removed = append(out.Removed, p)
			continue
		}
		out.Cards = append(out.Cards, card(c))
	}
	return out
}

// LogRequest selects rows of the journal.
type LogRequest struct {
	Path  string `json:"path,omitempty" names:"card"` // of one card; "" for all
	Limit int    `json:"limit,omitempty"`             // rows; 0 means all
}

// LogRow is what was done to one card.
type LogRow struct {
	Act    string    `json:"act"` // name of the act: one act may touch several cards
	At     time.Time `json:"at"`
	Verb   string    `json:"verb"` // create, bump, ignore, archive, restore, delete, undo …
	Path   string    `json:"path"`
	From   string    `json:"from,omitempty"` // where a moved card was before
	Why    string    `json:"why,omitempty"`
	Origin string    `json:"origin,omitempty"` // answer id of the turn it came from
	Before string    `json:"before,omitempty"` // SHA-256 of its text before; absent when there was none
	After  string    `json:"after,omitempty"`  // and after
	Undone bool      `json:"undone,omitempty"` // it was taken back
	Failed bool      `json:"failed,omitempty"` // it failed or was cut short, so that it was never done
}

// Log returns what was done to the brain's cards through Handrail, newest first.
func (s *deskRoom) Log(_ context.Context, r LogRequest) ([]LogRow, error) {
	rel := ""
	if r.Path != "" {
		var err error
		if rel, err = s.brain.Rel(r.Path); err != nil {
			return nil, fmt.Errorf("log: %w", err)
		}
	}
	rows, err := s.journal.Rows()
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	back := map[string]bool{}
	for _, row := range rows {
		if !row.Failed {
			back[row.Undoes] = true
		}
	}
	out := []LogRow{}
	for _, row := range slices.Backward(rows) {
		if rel != "" && row.Path != rel && row.From != rel {
			continue
		}
		out = append(out, LogRow{
			Act: row.Act, At: row.At, Verb: row.Verb, Path: row.Path, From: row.From, Why: row.Why, Origin: row.Origin,
			Before: row.Before, After: row.After, Undone: back[row.Act], Failed: row.Failed,
		})
		if r.Limit > 0 && len(out) == r.Limit {
			break
		}
	}
	return out, nil
}
