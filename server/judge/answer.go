package judge

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/handrail-dev/handrail/index"
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/triggers/heard"
)

// Check checks an answer against the cards that were served for it, as Answered says.
func (s *Room) Check(ctx context.Context, r AnswerRequest) (brain.Footer, error) {
	row := ledger.Turn{ID: r.AnswerID}
	switch {
	case len(r.Lessons) > 0:
		for _, path := range r.Lessons {
			rel, err := s.Files.Rel(path)
			if err != nil {
				return brain.Footer{}, err
			}
			card, err := s.Read(rel)
			if err != nil {
				return brain.Footer{}, fmt.Errorf("check an answer against %s: %w", rel, err)
			}
			row.Lessons = append(row.Lessons, brain.NewHit(index.Hit{Card: card}, brain.Excerpt(brain.FullText(card), nil, brain.ExcerptChars)))
		}
	case r.AnswerID != "":
		var ok bool
		row, ok = s.State.Turns.Get(r.AnswerID)
		if !ok {
			return brain.Footer{}, fmt.Errorf("answer %q: %w", r.AnswerID, brain.ErrUnknownAnswer)
		}
	default:
		return brain.Footer{}, fmt.Errorf("check an answer: %w", brain.ErrUnknownAnswer)
	}

	var cards []lessons.Card
	for _, h := range row.Served() {
		if !row.Owes(h.Path) {
			continue
		}
		card, err := s.Read(h.Path)
		if err != nil { // deleted between question and answer: nothing to hold against it
			s.Logger.Info("card not checked", "card", h.Path, "err", err)
			continue
		}
		cards = append(cards, card)
	}
	if err := ctx.Err(); err != nil {
		return brain.Footer{}, err
	}
	footer := brain.Footer{
		AnswerID: row.ID, Asked: firstWords(row.Request), At: s.Now(), Unaddressed: []brain.Verdict{}, Verdicts: []brain.Verdict{}, Evidence: []brain.Evidence{}, Doubts: []brain.Doubt{}, Agent: row.Agent, Turn: row.Number,
		Lessons: row.Served(), Notes: append([]brain.Hit{}, row.Notes...),
		Repeat: r.SessionID != "" && len(r.Lessons) == 0 && s.State.Check(row.ID, r.Answer), // two hooks may tell of the same answer
	}
	if row.ID != "" && r.Transcript {
		footer.Lost = len(row.Missing(r.Receipts))
	}
	s.verdicts(ctx, &footer, row, r, cards)
	if len(r.Lessons) == 0 {
		s.counted(row.ID, r, footer)
	}
	if r.SessionID != "" {
		s.State.InSession(r.SessionID, func(t *ledger.Session) { t.Asked = heard.EndsAsking(r.Answer) })
	}
	if len(r.Lessons) == 0 {
		footer = s.Checked.Keep(footer, cmp.Or(r.SessionID, row.Session), row.Aside)
	}
	if footer.Repeat {
		return footer, nil
	}
	if r.Line {
		footer.Line = r.Locale.Line(footer, s.newCandidates(r.SessionID), s.newDistrust(ctx, r.SessionID))
	}
	s.keepLeft(cmp.Or(r.SessionID, row.Session), r, footer)
	s.Tell(func(n *brain.Notify) {
		if n.Footer != nil {
			n.Footer(footer)
		}
	})
	return footer, nil
}

// counted counts what an answer showed of the cards of its turn, and whether the host of the
// conversation dropped them.
func (s *Room) counted(turn string, r AnswerRequest, f brain.Footer) {
	dropped := r.Transcript && !slices.Contains(r.Receipts, ledger.Receipt(turn))
	addressed := map[string]bool{}
	for _, v := range f.Verdicts {
		if yes, no := credit(v.Path, f.Verdicts); yes+no > 0 {
			addressed[v.Path] = yes > 0
		}
	}
	s.State.CreditAnswer(turn, dropped, addressed)
	if r.Transcript {
		row, _ := s.State.Turns.Get(turn)
		s.State.Forget(row.Session, row.Missing(r.Receipts))
		s.State.Lose(turn, dropped)
	}
}

// Receipt returns the short name under which the block of an answer goes to an agent, to be
// looked for in its transcript.
func Receipt(answerID string) string { return ledger.Receipt(answerID) }
