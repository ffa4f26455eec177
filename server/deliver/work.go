package deliver

import (
	"cmp"
	"slices"
	"strings"

	"handrail/index"
	"handrail/server/brain"
)

// MaxWork is how many cards a request gets for the kind of work that it starts: the words
// it has are about something else.
const MaxWork = 2

// aboutWork returns the active cards about a kind of work that a request starts, those first
// whose titles share most with it, without those that its words found.
func (s *Room) aboutWork(request, project string, found []index.Hit, has known) []index.Hit {
	asked := brain.ActsAsked(request)
	if len(asked) == 0 {
		return nil
	}
	var out []index.Hit
	taken := map[string]bool{}
	for _, h := range found {
		taken[h.Card.Path] = true
	}
	for _, i := range asked {
		for _, w := range s.Deck().Work[i] {
			if !taken[w.CardOf.Path] && w.CardOf.For(project) && s.MaySpeak(w.CardOf) {
				taken[w.CardOf.Path] = true
				out = append(out, index.Hit{Card: *w.CardOf, Score: besideWords, Terms: []string{w.Word}})
			}
		}
	}
	words, shared := actionWords(nil, request), map[string]int{}
	for _, h := range out {
		for _, w := range brain.WordsOf(h.Card.Title) {
			if words[w] {
				shared[h.Card.Path]++
			}
		}
	}
	slices.SortFunc(out, func(a, b index.Hit) int {
		return cmp.Or(
			-cmp.Compare(shared[a.Card.Path], shared[b.Card.Path]),
			-cmp.Compare(a.Card.Severity.Rank(), b.Card.Severity.Rank()),
			-cmp.Compare(a.Card.Occurrences, b.Card.Occurrences),
			strings.Compare(a.Card.Path, b.Card.Path),
		)
	})
	return atMost(MaxWork, out, has)
}
