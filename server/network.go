package server

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"handrail/lessons"
	"handrail/lessons/life"
)

// Related is what linking similar cards changed.
type Related struct {
	Changed []string `json:"changed"` // paths of the cards whose links are new
	Links   int      `json:"links"`   // of all cards
}

// Relate gives every active card a Related section with links to the three cards most alike
// and to those it is among the three of. Doing it again changes nothing; it is one act for
// Undo.
func (s *Server) Relate(ctx context.Context) (Related, error) {
	cards, err := s.fullCards(ctx)
	if err != nil {
		return Related{}, err
	}
	titles := map[string]string{}
	for _, c := range cards {
		titles[c.Path] = c.Title
	}
	links := life.Related(cards)
	out := Related{Changed: []string{}}
	act := s.act("relate")
	act.Must = true
	for _, c := range cards {
		if c.Status != lessons.Active {
			continue
		}
		list := make([]lessons.Link, len(links[c.Path]))
		for i, p := range links[c.Path] {
			list[i] = lessons.Link{Path: p, Title: titles[p]}
		}
		out.Links += len(list)
		changed := false
		err := act.Edit(c.Path, func(src []byte) ([]byte, error) {
			after := lessons.SetRelated(src, list)
			changed = string(after) != string(src)
			return after, nil
		})
		if err != nil {
			s.wrote(out.Changed...)
			return out, fmt.Errorf("link %s: %w", c.Path, err)
		}
		if changed {
			out.Changed = append(out.Changed, c.Path)
		}
		if err := ctx.Err(); err != nil {
			s.wrote(out.Changed...)
			return out, err
		}
	}
	if len(out.Changed) > 0 {
		s.wrote(out.Changed...)
	}
	return out, nil
}

// fullCards returns the brain's cards with their sections, by path.
func (s *Server) fullCards(ctx context.Context) ([]lessons.Card, error) {
	var out []lessons.Card
	for c := range s.idx.All() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if full, err := s.read(c.Path); err == nil && full.Kind.IsCard() { // else it is gone
			out = append(out, full)
		}
	}
	slices.SortFunc(out, func(a, b lessons.Card) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}
