package hear

import (
	"cmp"
	"maps"
	"slices"

	"github.com/handrail-dev/handrail/postcheck"
	"github.com/handrail-dev/handrail/server/brain"
)

// creditRecurrence counts a mistake that came back although a card spoke of it: a candidate that says the same as a card, where the card was served in the
// same conversation (without one: within a day), or is about a file in which one of the last answers broke the card. It returns the card that the candidate repeats, "" for none.
func (s *Room) creditRecurrence(c brain.Candidate) string {
	given := s.State.Given(c.SessionID)
	for _, path := range slices.Sorted(maps.Keys(given)) {
		card := s.Deck().ByPath[path]
		if card == nil || c.Similar != card.Path && !s.SameMistake(*card, c) && !s.broke(path, c.Files) {
			continue
		}
		s.State.Recurred(card.Path, c.SessionID)
		c.Similar = cmp.Or(c.Similar, card.Path)
	}
	return c.Similar
}

// broke reports whether one of the last answers broke an item of a card in one of some files.
func (s *Room) broke(card string, files []string) bool {
	return slices.ContainsFunc(s.Answers(), func(f brain.Footer) bool {
		return slices.ContainsFunc(f.Unaddressed, func(v brain.Verdict) bool {
			return v.Path == card && v.State == string(postcheck.Broken) && v.Place != nil && slices.Contains(files, v.Place.File)
		})
	})
}
