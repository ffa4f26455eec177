package desk

import (
	"context"
	"fmt"
	"slices"

	"github.com/handrail-dev/handrail/lessons/journal"
	"github.com/handrail-dev/handrail/server/brain"
)

// UndoRequest says what to take back: what was done last, or what was done last to a card.
type UndoRequest struct {
	Path string `json:"path,omitempty" names:"card"` // the last act on this card; "" for the last on any
}

// Undo takes the last act on the brain's cards back, as a whole: another Undo takes back the
// one before. ErrNothingToUndo when there is none; ErrChanged when a card was changed
// since; fs.ErrExist when the place of a deleted card was taken meanwhile. Then nothing moves.
func (s *Room) Undo(_ context.Context, r UndoRequest) (brain.Undone, error) {
	err := s.Journal.Recover(s.Files, s.Logger) // of a process that died meanwhile
	if err != nil {
		return brain.Undone{}, fmt.Errorf("undo: %w", err)
	}
	rows, about, err := s.rows(r.Path)
	if err != nil {
		return brain.Undone{}, fmt.Errorf("undo: %w", err)
	}
	for _, act := range journal.Undoable(rows) {
		if slices.ContainsFunc(act, about) {
			return s.UndoAct(act)
		}
	}
	return brain.Undone{}, fmt.Errorf("undo: %w", brain.ErrNothingToUndo)
}

// rows returns all rows of the journal, and which of them are about a card; "" means all.
func (s *Room) rows(card string) (rows []journal.Row, about func(journal.Row) bool, err error) {
	rel := ""
	if card != "" {
		rel, err = s.Files.Rel(card)
	}
	if err == nil {
		rows, err = s.Journal.Rows()
	}
	return rows, func(r journal.Row) bool { return rel == "" || r.Path == rel || r.From == rel }, err
}

// LogRequest selects rows of the journal.
type LogRequest struct {
	Path  string `json:"path,omitempty" names:"card"` // of one card; "" for all
	Limit int    `json:"limit,omitempty"`             // rows; 0 means all
}

// LogRow is what was done to one card.
type LogRow struct {
	journal.Row
	Undone bool `json:"undone,omitempty"` // it was taken back
}

// Log returns what was done to the brain's cards through Handrail, newest first.
func (s *Room) Log(_ context.Context, r LogRequest) ([]LogRow, error) {
	rows, about, err := s.rows(r.Path)
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
		if about(row) {
			out = append(out, LogRow{row, back[row.Act]})
		}
		if r.Limit > 0 && len(out) == r.Limit {
			break
		}
	}
	return out, nil
}
