package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"handrail/index"
	"handrail/lessons"
	"handrail/server/ledger"
	"handrail/triggers/heard"
)

// check checks an answer against the cards that were served for it, as Answered says.
func (s *judgeRoom) check(ctx context.Context, r AnswerRequest) (Footer, error) {
	row := ledger.Turn{ID: r.AnswerID}
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
		if row, ok = s.state.Turns.Get(r.AnswerID); !ok {
			return Footer{}, fmt.Errorf("answer %q: %w", r.AnswerID, ErrUnknownAnswer)
		}
	default:
		return Footer{}, fmt.Errorf("check an answer: %w", ErrUnknownAnswer)
	}

	var cards []lessons.Card
	for _, h := range row.Served() {
		if !row.Owes(h.Path) {
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
		AnswerID: row.ID, Asked: firstWords(row.Request), At: s.now(), Unaddressed: []Verdict{}, Verdicts: []Verdict{}, Evidence: []Evidence{}, Doubts: []Doubt{}, Agent: row.Agent, Turn: row.Number,
		Lessons: row.Served(), Notes: append([]Hit{}, row.Notes...),
		Repeat: r.SessionID != "" && len(r.Lessons) == 0 && s.state.Check(row.ID, r.Answer), // two hooks may tell of the same answer
	}
	if row.ID != "" {
		footer.Delivery = row.Delivery(r.Transcript, r.Receipts)
	}
	s.verdicts(ctx, &footer, row, r, cards)
	if len(r.Lessons) == 0 {
		s.counted(row.ID, r, footer)
	}
	if r.SessionID != "" {
		s.state.InSession(r.SessionID, func(t *ledger.Session) { t.Asked = heard.EndsAsking(r.Answer) })
	}
	summary := func(f Footer) string {
		return r.Locale.summary(len(f.Lessons), len(f.Notes), f.Delivery.Lost, f.Unaddressed, f.Doubts)
	}
	if footer.Summary = summary(footer); len(r.Lessons) == 0 {
		footer = s.answers.keep(footer, cmp.Or(r.SessionID, row.Session), row.Aside, summary)
	}
	if footer.Repeat {
		return footer, nil
	}
	if r.Line {
		footer.Line = r.Locale.line(footer, s.fresh(r.SessionID), s.untold(ctx, r.SessionID))
	}
	s.leave(cmp.Or(r.SessionID, row.Session), r, footer)
	s.tell(func(n *Notify) {
		if n.Footer != nil {
			n.Footer(footer)
		}
	})
	return footer, nil
}

// counted counts what an answer showed of the cards of its turn, and whether the host of the
// conversation dropped them.
func (s *judgeRoom) counted(turn string, r AnswerRequest, f Footer) {
	dropped := r.Transcript && !slices.Contains(r.Receipts, ledger.Receipt(turn))
	addressed := map[string]bool{}
	for _, v := range f.Verdicts {
		addressed[v.Path] = true
	}
	for _, v := range f.Unaddressed {
		addressed[v.Path] = false
	}
	s.state.CreditAnswer(turn, dropped, addressed)
	if r.Transcript {
		row, _ := s.state.Turns.Get(turn)
		s.state.Forget(row.Session, row.Missing(r.Receipts))
		s.state.Lose(turn, dropped)
	}
	s.state.EndTurn(turn)
}

// Receipt returns the short name under which the block of an answer goes to an agent, to be
// looked for in its transcript.
func Receipt(answerID string) string { return ledger.Receipt(answerID) }
