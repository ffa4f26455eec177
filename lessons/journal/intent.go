package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/side"
)

// ErrUnfinished reports an act that stopped half-way and could not be taken back yet, because
// of the disk. The next act or start tries again.
var ErrUnfinished = errors.New("a change stopped half-way")

func (j *Journal) intent() string { return filepath.Join(j.dir, "intent.json") }

// Recover takes back an act that was cut short when its process died. It is for a start;
// each act does the same before it begins.
func (j *Journal) Recover(b *lessons.Brain, log *slog.Logger) error {
	if _, err := os.Stat(j.intent()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return b.Write(func(w lessons.Writer) error { return j.resolve(w, log) })
}

// intend writes down what an act is about to do, with the texts that it replaces. It is on disk when intend returns.
func (j *Journal) intend(steps []step) error {
	for _, s := range steps {
		if s.before == nil {
			continue
		}
		if _, err := j.Keep(s.before); err != nil {
			return err
		}
	}
	err := os.MkdirAll(j.dir, 0o700)
	if err == nil {
		err = side.WriteJSON(j.intent(), rowsOf(steps))
	}
	if err != nil {
		return fmt.Errorf("write the intent: %w", inState(err))
	}
	return nil
}

// end adds an act's rows to the journal, and removes its intent.
func (j *Journal) end(rows []Row) error {
	if err := j.add(rows); err != nil && !errors.Is(err, errUnsynced) {
		return err
	}
	_ = j.forget() // one that stays is known by the line
	return nil
}

// forget removes the intent.
func (j *Journal) forget() error {
	if err := os.Remove(j.intent()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the intent: %w", err)
	}
	return nil
}

// resolve takes back the act that the intent is of, if there is one.
func (j *Journal) resolve(w lessons.Writer, log *slog.Logger) error {
	text, err := os.ReadFile(j.intent())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the intent: %w", inState(err))
	}
	var rows []Row
	if json.Unmarshal(text, &rows) != nil || len(rows) == 0 {
		return j.forget() // it was cut short, so nothing was changed
	}
	ended, err := j.rows(rows[0].Act, func(r Row) bool { return r.Act == rows[0].Act })
	if err != nil {
		return err
	}
	if len(ended) > 0 {
		return j.forget()
	}
	if err := revert(w, j, rows); err != nil {
		return err
	}
	log.Warn("a change that was cut short was taken back", "verb", rows[0].Verb, "card", rows[0].Path)
	rows = failed(rows)
	for i := range rows {
		rows[i].Cut = true
	}
	return j.end(rows)
}

// revert takes back what was done of an act's rows, the last first. It may be repeated. What a
// person changed since stays as it is.
func revert(w lessons.Writer, j *Journal, rows []Row) error {
	for _, row := range slices.Backward(rows) {
		for _, r := range slices.Backward(row.parts()) {
			if err := r.revert(w, j); err != nil && !overtaken(err) {
				return fmt.Errorf("%w: %w", ErrUnfinished, &lessons.PathError{Path: r.Path, Err: err})
			}
		}
	}
	return nil
}

// overtaken reports whether an error of revert says that the files are no longer as an act
// may have left them, and not that the disk cannot be written.
func overtaken(err error) bool {
	return slices.ContainsFunc([]error{fs.ErrExist, fs.ErrNotExist, syscall.ENOTDIR, lessons.ErrOutsideBrain, lessons.ErrBadPath, lessons.ErrTooLarge, lessons.ErrBusy, ErrDamaged},
		func(is error) bool { return errors.Is(err, is) })
}

// revert takes back what a row changed; a file that is not as the row left it stays.
func (r Row) revert(w lessons.Writer, j *Journal) error {
	here, err := w.Read(r.Path)
	if errors.Is(err, fs.ErrNotExist) {
		here, err = nil, nil
	}
	if err != nil || sumOf(here) != r.After {
		return err
	}
	text, err := j.text(r.Before)
	if err != nil {
		return err
	}
	return set(w, r.Path, here, text)
}

// sumOf returns the SHA-256 of a text, "" for none.
func sumOf(text []byte) string {
	if text == nil {
		return ""
	}
	return side.Sum(text)
}

func rowsOf(steps []step) []Row {
	rows := make([]Row, len(steps))
	for i, s := range steps {
		rows[i] = s.row
	}
	return rows
}

// failed returns the rows of an act as those of one that failed.
func failed(rows []Row) []Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Failed = true
	}
	return rows
}
