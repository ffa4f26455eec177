// Package trust says whether a brain may speak: where this person put it, or said yes, and which
// texts of its cards wait for a look. It asks git who wrote them. What it remembers is in the
// brain's state folder, never in the brain: a repository cannot bring it along.
package trust

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"

	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/side"
)

// Ground says why a brain is trusted, or that it is not.
type Ground string

// The grounds.
const (
	Unknown Ground = ""        // nobody has looked yet, or the person was not asked
	Made    Ground = "made"    // it was made here
	Own     Ground = "own"     // the person wrote all of its cards
	Agreed  Ground = "agreed"  // the person was asked; package find reads it
	Revoked Ground = "revoked" // the person took it back
)

// trusts reports whether a brain on this ground may speak.
func (g Ground) trusts() bool { return g == Made || g == Own || g == Agreed }

// Record is what is remembered of a brain.
type Record struct {
	Folder string            `json:"folder"`          // what that folder is: find.Identity
	Ground Ground            `json:"ground"`          //
	Team   bool              `json:"team,omitempty"`  // what others add speaks without a look
	Texts  map[string]string `json:"texts"`           // SHA-256 of the text that may speak, hex, by the file's path
	Seen   map[string]Point  `json:"seen,omitempty"`  // how far history was read, by the repository's folder in the brain
	New    map[string][]Text `json:"new,omitempty"`   // texts that others brought since, by the file's path
	Emails []string          `json:"mails,omitempty"` // the person's in this repository, when they were asked
}

// Point is how far the history of a repository was read.
type Point struct {
	Heads []string `json:"heads"` // commits; those that they follow on were read, too
	Log   string   `json:"log"`   // what git's log of HEAD was like then: it grows with every commit and pull
}

// Text is a text of a file, and who wrote it.
type Text struct {
	Sum string `json:"sum"` // SHA-256, hex
	By  string `json:"by"`
}

// Book is the record of one brain, in a file. It is safe for concurrent use, by several processes too.
type Book struct {
	file string

	mu     sync.Mutex // guards those below
	last   Record
	stat   fs.FileInfo // of the file when it was read
	unkept *Record     // what could not be written
}

// Open returns the record in a folder, which the first change creates.
func Open(dir string) *Book { return &Book{file: filepath.Join(dir, find.RecordFile)} }

// Get returns the record as it is now. One that cannot be read says nothing: the person is asked again.
func (b *Book) Get() Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.get()
}

func (b *Book) get() Record {
	if b.unkept != nil {
		return *b.unkept
	}
	info, err := os.Stat(b.file)
	if err != nil {
		b.last, b.stat = Record{}, nil
		return Record{}
	}
	if b.stat == nil || !os.SameFile(b.stat, info) || b.stat.Size() != info.Size() || !b.stat.ModTime().Equal(info.ModTime()) {
		b.last, b.stat = Record{}, info
		if src, err := os.ReadFile(b.file); err == nil && json.Unmarshal(src, &b.last) != nil {
			b.last = Record{}
		}
	}
	return b.last
}

// Update changes the record. What cannot be written is the record of this Book all the same. f may
// keep none of what it is handed, and may change all of it.
func (b *Book) Update(f func(*Record)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := os.MkdirAll(filepath.Dir(b.file), 0o700)
	lock := flock.New(b.file + ".lock")
	if err == nil {
		err = lock.Lock()
	}
	r := b.get()
	r.Texts, r.Seen, r.New = ours(r.Texts), ours(r.Seen), ours(r.New)
	f(&r)
	if err == nil {
		err = errors.Join(side.WriteJSON(b.file, r), lock.Close())
	}
	b.stat, b.unkept = nil, nil // read it anew: another process may follow at once
	if err != nil {
		b.unkept = &r
		return fmt.Errorf("keep whom you trust: %w", err)
	}
	return nil
}

// ours returns a copy of a map that is never nil.
func ours[V any](m map[string]V) map[string]V {
	out := make(map[string]V, len(m))
	maps.Copy(out, m)
	return out
}

// All returns the records in the state folders below a folder, those with a ground.
func All(state string) ([]Record, error) {
	files, err := filepath.Glob(filepath.Join(state, "*", find.RecordFile))
	if err != nil {
		return nil, fmt.Errorf("list the trusted brains: %w", err)
	}
	var out []Record
	for _, file := range files {
		if r := Open(filepath.Dir(file)).Get(); r.Ground != Unknown {
			out = append(out, r)
		}
	}
	return out, nil
}
