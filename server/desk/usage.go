package desk

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
)

// CardStats is what came of one card.
type CardStats struct {
	Path   string         `json:"path"`
	Title  string         `json:"title"`
	Status lessons.Status `json:"status"`
	ledger.Tally
	LastUsed string `json:"lastUsed"` // YYYY-MM-DD or ""
}

// Stats is what came of a brain's cards.
type Stats struct {
	Cards   []CardStats  `json:"cards"`         // that were ever served, most served first
	Never   []brain.Card `json:"never"`         // active cards that no request has matched yet
	Active  int          `json:"active"`        // cards that can be served
	Week    ledger.Told  `json:"week"`          // what agents were given in the last seven days
	Model   bool         `json:"model"`         // one for embeddings is asked
	Waiting int          `json:"waiting"`       // candidates and drafts
	Last    LastAnswer   `json:"last,omitzero"` // of those that the daemon remembers
}

// LastAnswer is the answer that was checked last.
type LastAnswer struct {
	Agent  string         `json:"agent,omitzero"`
	At     time.Time      `json:"at"`
	States map[string]int `json:"states"` // items by what became of them: kept, said, broken, open
}

// Stats returns what came of the brain's cards where they were served.
func (s *Room) Stats(_ context.Context) (Stats, error) {
	out := Stats{Cards: []CardStats{}, Never: []brain.Card{}, Week: s.State.Week(), Model: s.AsksModel()}
	out.Waiting = len(s.Candidates())
	if last := s.Answers(); len(last) > 0 {
		out.Last = LastAnswer{last[0].Agent, last[0].At, map[string]int{}}
		for _, v := range last[0].Verdicts {
			out.Last.States[v.State]++
		}
	}
	for _, c := range s.Index.Heads() {
		if !c.Kind.IsCard() {
			continue
		}
		if c.Status == lessons.Drafted {
			out.Waiting++
		}
		if c.Status == lessons.Active {
			out.Active++
		}
		u, known := s.State.Usage.Get(c.Path)
		t := u.Tally
		if !known || t.Served <= 0 {
			if c.Status == lessons.Active {
				out.Never = append(out.Never, brain.CardOf(*c))
			}
			continue
		}
		out.Cards = append(out.Cards, CardStats{c.Path, c.Title, c.Status, t, u.Last})
	}
	slices.SortFunc(out.Cards, func(a, b CardStats) int {
		return cmp.Or(-cmp.Compare(a.Recurred, b.Recurred), -cmp.Compare(a.Served, b.Served), strings.Compare(a.Path, b.Path))
	})
	slices.SortFunc(out.Never, func(a, b brain.Card) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}
