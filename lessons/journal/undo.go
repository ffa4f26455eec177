package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"handrail/lessons"
)

// Acts groups rows by act, oldest first; the rows of an act are in order.
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

// Undoable returns the acts that can be undone, newest first: no undos, and not undone yet.
func Undoable(rows []Row) [][]Row {
	gone := map[string]bool{}
	for _, r := range rows {
		if r.Undoes != "" {
			gone[r.Undoes], gone[r.Act] = true, true
		}
	}
	acts := slices.DeleteFunc(Acts(rows), func(a []Row) bool { return gone[a[0].Act] })
	slices.Reverse(acts)
	return acts
}

// Undo reverts an act as a whole: its cards get their old text and path. If one of them was
// changed since, it changes nothing and returns ErrChanged. The replaced texts are kept, and
// a card that the act created goes to the trash. Steps that a crash prevented are skipped.
// The undo is an act too, which Undoable leaves out.
func (j *Journal) Undo(b *lessons.Brain, act []Row, at time.Time) error {
	if len(act) == 0 {
		return nil
	}
	undo := j.Begin(b, "undo", at)
	undo.Must, undo.undoes = true, act[0].Act
	now := picture{brain: b, sums: map[string]string{}}
	var steps []func() error
	for _, r := range slices.Backward(act) {
		step, err := now.reverse(undo, r)
		if err != nil {
			return fmt.Errorf("undo: %w", &lessons.PathError{Path: r.Path, Err: err})
		}
		if step != nil {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return undo.record(Row{Path: act[0].Path}, nil)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("undo: %w", err)
		}
	}
	return nil
}

// picture is the brain's files as they will be after the steps so far.
type picture struct {
	brain *lessons.Brain
	sums  map[string]string // path → SHA-256, "" where there is no file
}

func (p picture) sum(rel string) (string, error) {
	if sum, ok := p.sums[rel]; ok {
		return sum, nil
	}
	src, err := p.brain.Read(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return Sum(src), nil
}

// reverse returns the step that reverts a row, nil if there is nothing to do.
func (p picture) reverse(undo *Act, r Row) (step func() error, err error) {
	if r.After == "" && r.Trash == "" { // it left the text alone
		return nil, nil
	}
	here, err := p.sum(r.Path)
	if err != nil {
		return nil, err
	}
	before := r.Before // at r.Path
	if r.From != "" {
		before = ""
	}
	switch {
	case here == before: // it was never done
		return nil, nil
	case here != r.After:
		return nil, ErrChanged
	}
	p.sums[r.Path] = before
	switch {
	case r.From != "":
		if there, err := p.sum(r.From); err != nil || there != "" {
			return nil, errors.Join(err, ErrChanged)
		}
		p.sums[r.From] = r.After
		return func() error { return undo.Move(r.Path, r.From) }, nil
	case r.Trash != "":
		return func() error {
			if err := undo.record(Row{Path: r.Path, After: r.Before}, nil); err != nil {
				return err
			}
			_, err := p.brain.Undo(r.Trash)
			return err
		}, nil
	case before == "":
		return func() error { return undo.Trash(r.Path) }, nil
	}
	text, err := undo.journal.Kept(r.Before)
	if err != nil {
		return nil, err
	}
	return func() error {
		return undo.Edit(r.Path, func(src []byte) ([]byte, error) {
			if Sum(src) != r.After {
				return nil, ErrChanged // in the moment since it was looked at
			}
			return text, nil
		})
	}, nil
}
