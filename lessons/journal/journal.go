// Package journal logs the changes of a brain's cards, and reverts them.
//
// The journal is in the brain's state folder. journal.jsonl is append-only: a line for each
// act, the array of its rows, one for each file that it changed with the SHA-256 of the text
// before and after. kept/ holds the texts before.
//
// An act writes its rows to intent.json first, then changes the files, then adds the line and
// removes the intent; all of it under the brain's lock. So an intent that another act or a
// start finds is of a process that died: what that one did is taken back, and its rows are
// added as failed.
package journal

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/handrail-dev/handrail/lessons/side"
)

// Row is the change of one file by an act.
type Row struct {
	Act    string    `json:"act"` // name of the act
	At     time.Time `json:"at"`
	Verb   string    `json:"verb"`             // what was done: create, bump, archive, merge, undo …
	Why    string    `json:"why,omitzero"`     // for people
	Path   string    `json:"path"`             // slash path in the brain
	From   string    `json:"from,omitzero"`    // where a moved file was before
	Before string    `json:"before,omitempty"` // SHA-256 of the text before, hex; "" when there was no file
	After  string    `json:"after,omitempty"`  // of the text after; "" if the file is gone or the text did not change
	Undoes string    `json:"undoes,omitzero"`  // the act that this one reverts
	Failed bool      `json:"failed,omitzero"`  // the act failed or was cut short, and was taken back
	Cut    bool      `json:"cut,omitzero"`     // it was cut short: nobody was told
}

// parts returns a row as changes of one text each: none of a mark, two of a move.
func (r Row) parts() []Row {
	switch {
	case r.Before == "" && r.After == "":
		return nil
	case r.From != "":
		return []Row{{Path: r.Path, After: r.After}, {Path: r.From, Before: r.Before}}
	}
	return []Row{r}
}

// Paths returns the files that rows are about, each once, in order.
func Paths(rows []Row) (paths []string) {
	for _, r := range rows {
		paths = append(paths, r.Path)
		if r.From != "" {
			paths = append(paths, r.From)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// ErrDamaged reports a kept text that is not what it was, or is gone.
var ErrDamaged = errors.New("the kept text is damaged")

// ErrState reports that the state folder, where the journal is, cannot be written.
var ErrState = errors.New("the state folder may not be written")

// inState says of an error of the journal's own files that it is about those, and not the brain.
func inState(err error) error {
	for _, is := range []error{fs.ErrPermission, syscall.EROFS, syscall.ENOTDIR, syscall.EISDIR} {
		if errors.Is(err, is) {
			return fmt.Errorf("%w: %w", ErrState, err)
		}
	}
	return err
}

// errUnsynced reports a line that is written, but perhaps not yet on disk.
var errUnsynced = errors.New("not known to be on disk")

// Journal is the journal of one brain. It is safe for concurrent use, by several processes too.
type Journal struct{ dir string }

// Open returns the journal in a folder, which the first write creates.
func Open(dir string) *Journal { return &Journal{dir: dir} }

func (j *Journal) file() string { return filepath.Join(j.dir, "journal.jsonl") }

// Rows returns all rows in the order in which they were written, whatever the clock said. A line that a crash left incomplete is skipped.
func (j *Journal) Rows() ([]Row, error) {
	return j.rows("", func(r Row) bool { return r.Path != "" })
}

// Saw records that another program edited a card and moved it, as one act that Undo reverts.
func (j *Journal) Saw(verb string, at time.Time, from, to string, before, after []byte) error {
	old, err := j.Keep(before)
	if err != nil {
		return err
	}
	edit := Row{Act: newName(at), At: at, Verb: verb, Path: from, Before: old, After: side.Sum(after)}
	move := Row{Act: edit.Act, At: at, Verb: verb, Path: to, From: from, Before: edit.After, After: edit.After}
	return j.add([]Row{edit, move})
}

// rows returns the rows that are wanted, of lines that hold a text.
func (j *Journal) rows(about string, wanted func(Row) bool) ([]Row, error) {
	f, err := os.Open(j.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", inState(err))
	}
	defer f.Close() //nolint:errcheck // read only
	var rows []Row
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		var of []Row
		if bytes.Contains(line, []byte(about)) && json.Unmarshal(line, &of) == nil { // else it was cut short
			rows = append(rows, slices.DeleteFunc(of, func(r Row) bool { return !wanted(r) })...)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", j.file(), inState(err))
		}
	}
	return rows, nil
}

// add appends a line with some rows, synced to disk. It is there as a whole, or readers skip it.
func (j *Journal) add(rows []Row) error {
	text, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("write the journal: %w", inState(err))
	}
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of the journal: %w", inState(err))
	}
	f, err := os.OpenFile(j.file(), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("write the journal: %w", inState(err))
	}
	text = append(text, '\n')
	if torn(f) {
		text = append([]byte("\n"), text...)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
		if err != nil {
			err = fmt.Errorf("%w: %w", errUnsynced, err)
		}
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		return fmt.Errorf("write %s: %w", j.file(), err)
	}
	return nil
}

// torn reports whether the last line was cut short.
func torn(f *os.File) bool {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil || end == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, end-1)
	return err == nil && last[0] != '\n'
}

// Keep stores a text, synced to disk, and returns its SHA-256 in hexadecimal, under which Kept returns it.
func (j *Journal) Keep(text []byte) (sum string, err error) {
	sum = side.Sum(text)
	dir := filepath.Join(j.dir, "kept")
	name := filepath.Join(dir, sum)
	if _, err := j.Kept(sum); err == nil {
		return sum, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of kept texts: %w", inState(err))
	}
	if err := side.Write(name, text, 0o600); err != nil {
		return "", fmt.Errorf("keep a text: %w", inState(err))
	}
	return sum, nil
}

// Kept returns a text by its SHA-256. Errors are fs.ErrNotExist and ErrDamaged.
func (j *Journal) Kept(sum string) ([]byte, error) {
	if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size {
		return nil, fmt.Errorf("kept text %q: %w", sum, fs.ErrNotExist)
	}
	text, err := os.ReadFile(filepath.Join(j.dir, "kept", sum))
	if err != nil {
		return nil, fmt.Errorf("read a kept text: %w", err)
	}
	if side.Sum(text) != sum {
		return nil, fmt.Errorf("kept text %s: %w", sum, ErrDamaged)
	}
	return text, nil
}

// text returns the text with a SHA-256, nil for "".
func (j *Journal) text(sum string) ([]byte, error) {
	if sum == "" {
		return nil, nil
	}
	text, err := j.Kept(sum)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return orEmpty(text), err
}

// newName returns the name of an act.
func newName(at time.Time) string {
	return at.UTC().Format("20060102T150405.000000000Z") + "-" + rand.Text()[:6]
}
