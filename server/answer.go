package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"handrail/index"
	"handrail/lessons"
	"handrail/triggers/heard"
)

// Answered checks an answer against the cards that were served for it and tells every
// connection. It never blocks or asks the model again. An unknown AnswerID without
// named cards is ErrUnknownAnswer.
func (s *Server) Answered(ctx context.Context, r AnswerRequest) (Footer, error) {
	if r.AnswerID == "" && len(r.Lessons) == 0 && r.SessionID != "" {
		r.AnswerID = s.turnOf(r.SessionID)
	}
	if r.SessionID != "" {
		if err := s.turnedDown(ctx, r.SessionID, s.now()); err != nil {
			return Footer{}, err
		}
	}
	row := answer{ID: r.AnswerID}
	switch {
	case len(r.Lessons) > 0:
		for _, path := range r.Lessons {
			rel, err := s.brain.Rel(path)
			if err != nil {
				return Footer{}, err
			}
			card, err := s.read(rel)
			if err != nil {
				return Footer{}, fmt.Errorf("check an answer against %s: %w", rel, err)
			}
			row.Lessons = append(row.Lessons, hit(index.Hit{Card: card}, excerpt(told(card), nil, excerptChars)))
		}
	case r.AnswerID != "":
		var ok bool
		if row, ok = s.state.turns.Get(r.AnswerID); !ok {
			return Footer{}, fmt.Errorf("answer %q: %w", r.AnswerID, ErrUnknownAnswer)
		}
	default:
		return Footer{}, fmt.Errorf("check an answer: %w", ErrUnknownAnswer)
	}

	var cards []lessons.Card
	for _, h := range row.served() {
		if !row.owes(h.Path) {
			continue
		}
		card, err := s.read(h.Path)
		if err != nil { // deleted between question and answer: nothing to hold against it
			s.log.Info("card not checked", "card", h.Path, "err", err)
			continue
		}
		cards = append(cards, card)
	}
	if err := ctx.Err(); err != nil {
		return Footer{}, err
	}
	footer := Footer{
		AnswerID: row.ID, Unaddressed: []Verdict{}, Verdicts: []Verdict{}, Evidence: []Evidence{}, Doubts: []Doubt{}, Agent: row.Agent, Turn: row.Turn,
		Lessons: row.served(), Notes: append([]Hit{}, row.Notes...),
		Repeat: s.checkedBefore(row, r),
	}
	if row.ID != "" {
		footer.Delivery = row.delivery(r)
	}
	s.verdicts(ctx, &footer, row, r, cards)
	s.creditAnswer(row, r, cards, footer)
	if len(r.Lessons) == 0 {
		s.lose(row.ID, r)
		s.endTurn(row.ID)
	}
	if r.SessionID != "" {
		s.inSession(r.SessionID, func(t *session) { t.Asked = heard.EndsAsking(r.Answer) })
	}
	footer.Summary = r.Locale.summary(len(footer.Lessons), len(footer.Notes), footer.Delivery.Lost, footer.Unaddressed, footer.Doubts)
	if footer.Repeat {
		return footer, nil
	}
	s.leave(cmp.Or(r.SessionID, row.Session), r, footer)
	s.tell(func(n *Notify) {
		if n.Footer != nil {
			n.Footer(footer)
		}
	})
	return footer, nil
}

// checkedBefore notes in the ledger which answer was checked, and reports whether it was
// this one already: two hooks may tell of the same answer. What a person asks for by name
// is checked as often as they ask.
func (s *Server) checkedBefore(row answer, r AnswerRequest) bool {
	if r.SessionID == "" || len(r.Lessons) > 0 {
		return false
	}
	sum := sha256.Sum256([]byte(r.Answer))
	key := hex.EncodeToString(sum[:])
	before := false
	s.state.turns.Change(row.ID, func(a *answer) bool {
		before, a.Checked = a.Checked == key, key
		return !before
	})
	return before
}

// lose notes that the host of a conversation dropped what the turn was to be given.
func (s *Server) lose(id string, r AnswerRequest) {
	if !r.Transcript {
		return
	}
	lost := !slices.Contains(r.Receipts, receiptOf(id))
	s.state.turns.Change(id, func(a *answer) bool {
		before := a.Lost
		a.Lost = lost
		return before != lost
	})
}
