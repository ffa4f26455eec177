package server

import (
	"strings"

	"handrail/lessons"
)

// deck is what the heads of cards are found by at each event of an agent, so that none walks the
// whole brain. It is made anew when a card has changed.
type deck struct {
	heads   []*lessons.Card            // that it is of
	byPath  map[string]*lessons.Card   // all
	active  int                        // cards
	paths   []*lessons.Card            // active ones with paths
	tags    map[string][]*lessons.Card // active ones, by tag in lower case
	begin   map[string][]string        // tags by their first bytes
	work    map[int][]worked           // active ones, by place in acts
	special []*lessons.Card            // active ones that need more than the trust in their brain
}

// worked is a card about a kind of work, with the word that says so.
type worked struct {
	card *lessons.Card
	word string
}

// beginning returns the first bytes of a word or tag: most begin otherwise than any word of an
// action, which is quick to see.
func beginning(word string) string { return word[:min(len(word), 2)] }

// deck returns the cards as they are now.
func (s *Base) deck() *deck {
	heads := s.idx.Heads()
	if d := s.cards.Load(); d != nil && sameSlice(d.heads, heads) {
		return d
	}
	d := &deck{heads: heads, byPath: map[string]*lessons.Card{}, tags: map[string][]*lessons.Card{}, begin: map[string][]string{}, work: map[int][]worked{}}
	for _, c := range heads {
		d.byPath[c.Path] = c
		if c.Status != lessons.Active {
			continue
		}
		d.active++
		if len(c.Paths) > 0 {
			d.paths = append(d.paths, c)
		}
		if c.Guard != "" || isBaseline(*c) {
			d.special = append(d.special, c)
		}
		for _, tag := range c.Tags {
			tag = strings.ToLower(tag)
			if d.tags[tag] == nil {
				d.begin[beginning(tag)] = append(d.begin[beginning(tag)], tag)
			}
			d.tags[tag] = append(d.tags[tag], c)
		}
		for i := range acts {
			if word, ok := isAbout(c, i); ok {
				d.work[i] = append(d.work[i], worked{c, word})
			}
		}
	}
	s.cards.Store(d)
	return d
}

// sameSlice reports whether two slices are one and the same.
func sameSlice(a, b []*lessons.Card) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
