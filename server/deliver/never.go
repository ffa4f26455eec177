package deliver

import (
	"context"
	"fmt"
	"slices"

	"github.com/handrail-dev/handrail/index"
	"github.com/handrail-dev/handrail/server/brain"
)

// NeverRequest says that a card is not to come before requests like this one.
type NeverRequest struct {
	Path     string `json:"path" names:"card"`  // of the card
	Query    string `json:"query,omitempty"`    // the request
	AnswerID string `json:"answerId,omitempty"` // or the answer to it
}

// NeverFor keeps a card from requests like one until Undo or Review takes it back.
// The card stays as it is, and comes to everybody else.
func (s *Room) NeverFor(_ context.Context, r NeverRequest) (brain.Never, error) {
	rel, err := s.CardPath(r.Path)
	if err != nil {
		return brain.Never{}, fmt.Errorf("keep %s from requests: %w", r.Path, err)
	}
	query, _, err := s.requestOf(r.Query, r.AnswerID)
	if err != nil {
		return brain.Never{}, fmt.Errorf("keep %s from requests: %w", rel, err)
	}
	query = brain.Head(query, brain.MaxQuery)
	if n, ok := s.State.NeverFor(query)(rel); ok {
		return n, nil
	}
	act := s.Begin("never")
	n := s.State.NewNever(act.Name(), rel, query)
	if len(n.Words) == 0 {
		return brain.Never{}, &brain.RequestError{Field: "query", Value: n.Request, Need: brain.NeedWords}
	}
	act.Why = n.Request
	act.Also(func() error {
		s.State.Never.Put(n.ID, n)
		return s.State.Save()
	})
	if err := s.Do(act, func() error { act.Mark(rel); return nil }); err != nil {
		return brain.Never{}, fmt.Errorf("keep %s from requests: %w", rel, err)
	}
	s.TellChanged(brain.Changed{Candidates: true})
	return n.Never, nil
}

// withoutNever leaves out the cards that are kept from a request.
func (s *Room) withoutNever(query string, hits []index.Hit) []index.Hit {
	never := s.State.NeverFor(brain.Head(query, brain.MaxQuery))
	return slices.DeleteFunc(hits, func(h index.Hit) bool {
		_, kept := never(h.Card.Path)
		return kept
	})
}
