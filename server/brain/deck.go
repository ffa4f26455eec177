package brain

import (
	"strings"

	"github.com/handrail-dev/handrail/lessons"
)

// deck is what the heads of cards are found by at each event of an agent, so that none walks the
// whole brain. It is made anew when a card has changed.
type deck struct {
	heads   []*lessons.Card            // that it is of
	ByPath  map[string]*lessons.Card   // all
	Active  int                        // cards
	Paths   []*lessons.Card            // active ones with paths
	Tags    map[string][]*lessons.Card // active ones, by tag in lower case
	Begin   map[string][]string        // tags by their first bytes
	Work    map[int][]worked           // active ones, by place in acts
	Special []*lessons.Card            // active ones that need more than the trust in their brain
}

// worked is a card about a kind of work, with the word that says so.
type worked struct {
	CardOf *lessons.Card
	Word   string
}

// Beginning returns the first bytes of a word or tag: most begin otherwise than any word of an
// action, which is quick to see.
func Beginning(word string) string { return word[:min(len(word), 2)] }

// Deck returns the cards as they are now.
func (s *Base) Deck() *deck {
	heads := s.Index.Heads()
	if d := s.cards.Load(); d != nil && sameSlice(d.heads, heads) {
		return d
	}
	d := &deck{heads: heads, ByPath: map[string]*lessons.Card{}, Tags: map[string][]*lessons.Card{}, Begin: map[string][]string{}, Work: map[int][]worked{}}
	for _, c := range heads {
		d.ByPath[c.Path] = c
		if c.Status != lessons.Active {
			continue
		}
		d.Active++
		if len(c.Paths) > 0 {
			d.Paths = append(d.Paths, c)
		}
		if c.Guard != "" || IsBaseline(*c) {
			d.Special = append(d.Special, c)
		}
		for _, tag := range c.Tags {
			tag = strings.ToLower(tag)
			if d.Tags[tag] == nil {
				d.Begin[Beginning(tag)] = append(d.Begin[Beginning(tag)], tag)
			}
			d.Tags[tag] = append(d.Tags[tag], c)
		}
		for i := range Acts {
			if word, ok := IsAbout(c, i); ok {
				d.Work[i] = append(d.Work[i], worked{c, word})
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
