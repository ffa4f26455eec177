package server

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"handrail/lessons"
	"handrail/lessons/life"
	"handrail/lessons/terms"
	"handrail/server/ledger"
	"handrail/triggers"
)

// creditRecurrence counts a mistake that came back although a card spoke of it: a candidate that says the same as a card, where the card was served in the
// same conversation (without one: within a day).
func (s *hearRoom) creditRecurrence(c Candidate) {
	given := s.state.Given(c.SessionID)
	for path := range given {
		card := s.deck().byPath[path]
		if card == nil || c.Similar != card.Path && !s.sameMistake(*card, c) {
			continue
		}
		s.state.Recurred(card.Path, c.SessionID)
		if card.Kind == lessons.Playbook && c.Trigger != string(triggers.RedGreen) { // which ended well
			s.state.EndTurn(s.state.BrokeIn(c.SessionID, card.Path))
		}
	}
}

// sameWords is the share of the words of a card's title that stand in what a candidate is about, from which both are one mistake; sharedWords how many at least.
const (
	sameWords   = 0.6
	sharedWords = 3
)

// sameMistake reports whether a candidate is about what a card is about: by its title, by the test that failed, or by its words. The same file is not
// enough, and neither is a tool that failed for its own reasons.
func (s *Base) sameMistake(short lessons.Card, c Candidate) bool {
	if short.Key() == (lessons.Card{Title: c.Title}).Key() {
		return true
	}
	if c.Trigger == string(triggers.RetryLoop) && c.Command == "" {
		return false
	}
	if c.Test != "" {
		if card, err := s.read(short.Path); err == nil && hasWord(card.Title+"\n"+card.Body, c.Test) {
			return true
		}
	}
	title := strings.Fields(short.Key())
	about := map[string]bool{}
	for _, w := range strings.Fields(terms.Key(c.Title + "\n" + c.Situation + "\n" + c.Mistake)) {
		about[w] = true
	}
	n := 0
	for _, w := range title {
		if about[w] {
			n++
		}
	}
	return n >= sharedWords && float64(n) >= sameWords*float64(len(title))
}

// CardStats is what came of one card.
type CardStats struct {
	Path        string         `json:"path"`
	Title       string         `json:"title"`
	Status      lessons.Status `json:"status"`
	Served      int            `json:"served"`      // turns that were given the card
	Addressed   int            `json:"addressed"`   // of them, the answer showed every item
	Unaddressed int            `json:"unaddressed"` // of them, it did not
	Recurred    int            `json:"recurred"`    // conversations in which the mistake came back all the same
	LastUsed    string         `json:"lastUsed"`    // YYYY-MM-DD or ""
	Succeeded   int            `json:"succeeded"`   // playbooks: turns that used it and ended with tests that pass
	Failed      int            `json:"failed"`      // playbooks: turns that ended with tests that fail, or whose mistake came back
	Utility     float64        `json:"utility"`     // see docs/guide.md
	Weeks       []WeekStats    `json:"weeks"`       // the last twelve, oldest first
}

// Stats is what came of a brain's cards.
type Stats struct {
	Cards  []CardStats `json:"cards"`  // that were ever served, most served first
	Never  []Card      `json:"never"`  // active cards that no request has matched yet
	Weeks  []WeekStats `json:"weeks"`  // of all cards
	Active int         `json:"active"` // cards that can be served
}

// Stats returns what came of the brain's cards where they were served.
func (s *deskRoom) Stats(_ context.Context) (Stats, error) {
	out := Stats{Cards: []CardStats{}, Never: []Card{}}
	var served []ledger.Usage
	for _, c := range s.idx.Cards() {
		if !c.Kind.IsCard() {
			continue
		}
		if c.Status == lessons.Active {
			out.Active++
		}
		u, known := s.state.UsageOf(c.Path)
		t := u.Total()
		if !known || t.Served <= 0 {
			if c.Status == lessons.Active {
				out.Never = append(out.Never, card(c))
			}
			continue
		}
		row := CardStats{
			Path: c.Path, Title: c.Title, Status: c.Status, Served: t.Served, Addressed: t.Addressed, Unaddressed: t.Unaddressed,
			Recurred: t.Recurred, Succeeded: max(0, t.Succeeded), Failed: max(0, t.Failed), LastUsed: u.Last, Utility: life.Utility(c, u.Record()), Weeks: s.state.Weeks(u),
		}
		served = append(served, u)
		out.Cards = append(out.Cards, row)
	}
	out.Weeks = s.state.Weeks(served...)
	slices.SortFunc(out.Cards, func(a, b CardStats) int {
		return cmp.Or(-cmp.Compare(a.Recurred, b.Recurred), -cmp.Compare(a.Served, b.Served), strings.Compare(a.Path, b.Path))
	})
	slices.SortFunc(out.Never, func(a, b Card) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}
