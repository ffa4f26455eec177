package deliver

import (
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
)

// LeftOver returns what the turn before left, to lead this request's block, and the cards it is of.
// A card that may not speak any more is left out.
func (s *Room) LeftOver(id string) (text string, cards []string) {
	var last []brain.Verdict
	s.State.InSession(id, func(row *ledger.Session) { last, row.Left = row.Left, nil })
	var left []lessons.Left
	for _, v := range last {
		if card, err := s.Read(v.Path); err != nil || card.Status != lessons.Active || !s.MaySpeak(&card) {
			continue
		}
		l := lessons.Left{Title: v.Title, Item: v.Item, Broken: v.State == string(postcheck.Broken)}
		if p := v.Place; p != nil && l.Broken {
			l.Place = p.String()
		}
		left, cards = append(left, l), append(cards, v.Path)
	}
	return lessons.LeftBlock(left), cards
}
