package hear

import (
	"handrail/lessons"
	"handrail/server/brain"
	"handrail/triggers"
)

// creditRecurrence counts a mistake that came back although a card spoke of it: a candidate that says the same as a card, where the card was served in the
// same conversation (without one: within a day).
func (s *Room) creditRecurrence(c brain.Candidate) {
	given := s.State.Given(c.SessionID)
	for path := range given {
		card := s.Deck().ByPath[path]
		if card == nil || c.Similar != card.Path && !s.SameMistake(*card, c) {
			continue
		}
		s.State.Recurred(card.Path, c.SessionID)
		if card.Kind == lessons.Playbook && c.Trigger != string(triggers.RedGreen) { // which ended well
			s.State.EndTurn(s.State.BrokeIn(c.SessionID, card.Path))
		}
	}
}
