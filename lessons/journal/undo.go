package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/handrail-dev/handrail/lessons"
)

// Acts groups rows by act, in their order.
func Acts(rows []Row) [][]Row {
	var out [][]Row
	for _, r := range rows {
		if n := len(out); n > 0 && out[n-1][0].Act == r.Act {
			out[n-1] = append(out[n-1], r)
		} else {
			out = append(out, []Row{r})
		}
	}
	return out
}

// Undoable returns the acts that can be undone, the last first: no undos, not undone yet, and
// none that failed, but for those that were cut short: an undo of these only tells so.
func Undoable(rows []Row) [][]Row {
	gone := map[string]bool{}
	for _, r := range rows {
		if r.Failed && !r.Cut || r.Undoes != "" {
			gone[r.Act] = true
		}
		if !r.Failed {
			gone[r.Undoes] = true
		}
	}
	acts := slices.DeleteFunc(Acts(rows), func(a []Row) bool { return gone[a[0].Act] })
	slices.Reverse(acts)
	return acts
}

// ErrChanged reports that a card was changed since, so that undo would lose that change.
var ErrChanged = errors.New("changed since")

// Undo reverts an act as a whole: its cards get their old text and path. If one of them was changed since, it changes
// nothing and returns ErrChanged; ErrDamaged if an old text is not what it was. The replaced texts are kept, and so is
// that of a card that the act created. What already is as before the act is left as it is. The undo is an act too,
// which Undoable leaves out.
func (j *Journal) Undo(b *lessons.Brain, act []Row, at time.Time) error {
	if len(act) == 0 {
		return nil
	}
	undo := j.Begin(b, "undo", at)
	undo.undoes = act[0].Act
	err := undo.Do(func() error {
		others, err := j.rows(undo.undoes, func(r Row) bool { return r.Undoes == undo.undoes && !r.Failed })
		if err != nil {
			return err
		}
		if len(others) > 0 {
			return &lessons.PathError{Path: act[0].Path, Err: ErrChanged}
		}
		if !act[0].Cut {
			err = undo.reverseAll(act)
		}
		if len(undo.steps) == 0 {
			undo.Mark(act[0].Path)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	return nil
}

// reverseAll plans the steps that revert an act.
func (a *Act) reverseAll(rows []Row) error {
	for _, r := range slices.Backward(rows) {
		if err := a.reverse(r); err != nil {
			return &lessons.PathError{Path: r.Path, Err: err}
		}
	}
	return nil
}

// reverse plans the step that reverts a row, if there is anything to revert.
func (a *Act) reverse(r Row) error {
	if len(r.parts()) == 0 {
		return nil
	}
	here, err := a.sum(r.Path)
	if err != nil {
		return err
	}
	switch {
	case r.From != "" && here == "", r.From == "" && here == r.Before:
		return nil
	case here != r.After:
		return ErrChanged
	case r.From != "":
		if there, err := a.sum(r.From); err != nil || there != "" {
			return errors.Join(err, ErrChanged)
		}
		return a.Move(r.Path, r.From)
	case r.Before == "":
		return a.Remove(r.Path)
	}
	text, err := a.journal.text(r.Before)
	if err != nil {
		return err
	}
	if here == "" {
		return a.Create(r.Path, text)
	}
	return a.Edit(r.Path, func([]byte) ([]byte, error) { return text, nil })
}

// sum returns the SHA-256 of a file as the steps so far leave it, "" where there is none.
func (a *Act) sum(rel string) (string, error) {
	src, err := a.Read(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return sumOf(orEmpty(src)), nil
}
