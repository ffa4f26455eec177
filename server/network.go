package server

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"handrail/lessons"
	"handrail/lessons/life"
)

// Related is what linking similar cards changed.
type Related struct {
	Changed []string `json:"changed"` // paths of the cards whose links are new
	Links   int      `json:"links"`   // of all cards
}

// RelateRequest asks that similar cards be linked, or which would be.
type RelateRequest struct {
	Dry bool `json:"dry,omitempty"` // only say what would change
}

// Relate gives every active card a Related section with links to the three cards most alike
// and to those it is among the three of. Doing it again changes nothing; it is one act for
// Undo.
func (s *Server) Relate(ctx context.Context, r RelateRequest) (Related, error) {
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
	plan := func() error {
		for _, c := range cards {
			if c.Status != lessons.Active {
				continue
			}
			list := make([]lessons.Link, len(links[c.Path]))
			for i, p := range links[c.Path] {
				list[i] = lessons.Link{Path: p, Title: titles[p]}
			}
			out.Links += len(list)
			err := ctx.Err()
			if err == nil {
				err = act.Edit(c.Path, func(src []byte) ([]byte, error) { return lessons.SetRelated(src, list), nil })
			}
			if err != nil {
				return fmt.Errorf("link %s: %w", c.Path, err)
			}
		}
		return nil
	}
	if r.Dry { // a plan changes nothing
		err = plan()
	} else {
		err = s.do(act, plan)
	}
	if err != nil {
		return Related{}, err
	}
	out.Changed = append(out.Changed, act.Paths()...)
	return out, nil
}

// fullCards returns the brain's cards with their sections, by path.
func (s *Server) fullCards(ctx context.Context) ([]lessons.Card, error) {
	heads := s.idx.Cards()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) { // to parse 12,000 cards takes a second and more
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(heads) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				var err error
				if heads[i], err = s.read(heads[i].Path); err != nil {
					heads[i].Kind = lessons.Note // it is gone
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(heads, func(c lessons.Card) bool { return !c.Kind.IsCard() }), nil
}
