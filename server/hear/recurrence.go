package hear

import "github.com/handrail-dev/handrail/server/brain"

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
	}
}
