package index

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/handrail-dev/handrail/lessons"
)

// head is what is kept of a file in memory. It stands in the store beside the file's words,
// so that both are always of the same bytes. The form of both is part of storeFormat.
type head struct {
	stat
	Title string        `json:",omitzero"` // of a note
	Tags  []string      `json:",omitzero"` // of a note
	Card  *lessons.Card `json:",omitzero"` // nil for a note; no body, no sections, not to be changed
}

// stat is the part of a head that is not of its text.
type stat struct {
	Mtime  int64 // in nanoseconds, or racyTime
	Size   int64
	Hash   uint64 // of the bytes
	Length uint32 // in weighted terms
}

// racyTime is the time of a file that was read so soon after it was written that its time
// cannot be trusted to show the next change.
const racyTime = 0

func newHead(c lessons.Card, s stat) head {
	if !c.Kind.IsCard() {
		return head{stat: s, Title: c.Title, Tags: c.Tags}
	}
	c.Body, c.BodyLine, c.Extra, c.Lead, c.Sections = "", 0, "", "", nil
	c.Items = slices.Clone(c.Items)
	for i := range c.Items {
		c.Items[i].Check, c.Items[i].CheckLine = "", 0
	}
	return head{stat: s, Card: &c}
}

// at returns the card or note as the file at path.
func (h head) at(path string) lessons.Card {
	if h.Card != nil {
		return *h.Card
	}
	return lessons.Card{Path: path, Title: h.Title, Tags: h.Tags, Severity: lessons.Medium, Source: lessons.Curated, Status: lessons.Active, Occurrences: 1}
}

// long reports whether the places of a file are so long that one is a passage.
func (h head) long() bool { return h.Size > placeBits*maxBesides }

// anyName is for what is called by the name of a file, which may be any bytes.
var anyName = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// pack returns a head as the store keeps it, without its path.
func (h head) pack() []byte {
	b, _ := json.Marshal(h, anyName) // strings and numbers alone
	return b
}

// pictureOf returns the heads that are packed in rows: a path, then its head.
func pictureOf(s *store, rows [][]byte) (*picture, error) {
	heads, errs := make([]head, len(rows)/2), make([]error, len(rows)/2)
	var workers sync.WaitGroup
	for w, all := 0, runtime.GOMAXPROCS(0); w < all; w++ {
		workers.Go(func() {
			for i := w; i < len(heads); i += all {
				errs[i] = json.Unmarshal(rows[2*i+1], &heads[i], anyName)
			}
		})
	}
	workers.Wait()
	pic := &picture{store: s, heads: make(map[string]head, len(heads))}
	for i, h := range heads {
		path := string(rows[2*i])
		if h.Card != nil {
			h.Card.Path = path
		}
		pic.set(path, h)
	}
	return pic, errors.Join(errs...)
}

// picture returns the heads of all files in the store.
func (s *store) picture() (*picture, error) {
	snapshot, err := s.snapshot()
	if err != nil {
		return nil, err
	}
	defer snapshot.Close() //nolint:errcheck // read only
	var rows [][]byte
	for _, seg := range snapshot.Segments() {
		for it := seg.DocNumbersLive().Iterator(); it.HasNext(); {
			err := seg.VisitDocument(uint64(it.Next()), func(_ string, _ byte, value []byte, _ []uint64) bool {
				rows = append(rows, bytes.Clone(value)) // the path, which comes first, and the head
				return true
			})
			if err != nil {
				return nil, fmt.Errorf("read a head: %w", err)
			}
		}
	}
	return pictureOf(s, rows)
}

// headsFile holds the heads of a brain that has no index yet, so that it is listed again without reading every card. It
// goes when there is an index.
const headsFile = "gen-heads-" + storeFormat

// loadHeads returns what saveHeads has saved, or nothing.
func loadHeads(dir string) *picture {
	src, _ := os.ReadFile(filepath.Join(dir, headsFile)) // none, then every card is read
	pic, err := pictureOf(nil, bytes.Split(src, []byte("\n")))
	if err != nil { // it was cut short
		return &picture{heads: map[string]head{}}
	}
	pic.unsaved = false
	return pic
}

func (p *picture) saveHeads(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, headsFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("save the cards' heads: %w", err)
	}
	w := bufio.NewWriter(f)
	for path, h := range p.heads {
		if strings.Contains(path, "\n") { // a row ends there; it is read again
			continue
		}
		fmt.Fprintf(w, "%s\n%s\n", path, h.pack())
	}
	return errors.Join(w.Flush(), f.Close())
}
