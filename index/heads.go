package index

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/handrail-dev/handrail/lessons"
)

// head is what is kept of a file in memory. It stands in the store beside the file's words,
// so that both are always of the same bytes.
type head struct {
	stat
	title string // of a note
	tags  []string
	card  *lessons.Card // nil for a note; no body, no sections, not to be changed
}

// stat is the part of a head that has a fixed size.
type stat struct {
	Mtime  int64 // in nanoseconds, or racyTime
	Size   int64
	Hash   uint64 // of the bytes
	Length uint32 // in weighted terms
	IsCard bool
}

// racyTime is the time of a file that was read so soon after it was written that its time
// cannot be trusted to show the next change.
const racyTime = 0

func newHead(c lessons.Card, s stat) head {
	s.IsCard = c.Kind.IsCard()
	h := head{stat: s, title: c.Title, tags: c.Tags}
	if s.IsCard {
		c.Body, c.BodyLine, c.Extra, c.Sections = "", 0, "", nil
		c.Items = slices.Clone(c.Items)
		for i := range c.Items {
			c.Items[i].Check, c.Items[i].CheckLine = "", 0
		}
		h.card = &c
	}
	return h
}

// at returns the card or note as the file at path.
func (h head) at(path string) lessons.Card {
	if h.card != nil {
		return *h.card
	}
	return lessons.Card{Path: path, Title: h.title, Tags: h.tags, Severity: lessons.Medium, Source: lessons.Curated, Status: lessons.Active, Occurrences: 1}
}

// long reports whether the places of a file are so long that one is a passage.
func (h head) long() bool { return h.Size > placeBits*maxBesides }

// pack returns a head as the store keeps it. The format is part of storeFormat.
func (h head) pack() []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, h.stat) // its size is fixed
	if h.card == nil {
		return append(b, strings.Join(append([]string{h.title}, h.tags...), "\x00")...)
	}
	rest, _ := json.Marshal(h.card) // strings and numbers alone
	return append(b, rest...)
}

func unpackHead(b []byte) (h head, err error) {
	n, err := binary.Decode(b, binary.LittleEndian, &h.stat)
	if err != nil {
		return head{}, err
	}
	if h.IsCard {
		return h, json.Unmarshal(b[n:], &h.card)
	}
	words := strings.Split(string(b[n:]), "\x00")
	h.title = words[0]
	if len(words) > 1 {
		h.tags = words[1:]
	}
	return h, nil
}

// heads returns the heads of all files in the store.
func (s *store) heads() (heads map[string]head, err error) {
	r, err := s.bleve.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // a snapshot
	snapshot, ok := r.(*scorch.IndexSnapshot)
	if !ok {
		return nil, fmt.Errorf("%T", r)
	}
	heads = map[string]head{}
	for _, seg := range snapshot.Segments() {
		for it := seg.DocNumbersLive().Iterator(); it.HasNext(); {
			var path string
			var h head
			failed := seg.VisitDocument(uint64(it.Next()), func(field string, _ byte, value []byte, _ []uint64) bool {
				if field == fieldHead {
					h, err = unpackHead(value)
				} else {
					path = string(value)
				}
				return err == nil
			})
			if err := errors.Join(failed, err); err != nil {
				return nil, fmt.Errorf("read a head: %w", err)
			}
			heads[path] = h
		}
	}
	return heads, nil
}
