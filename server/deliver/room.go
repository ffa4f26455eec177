// Package deliver says what an agent gets: titles, cards at a prompt and at an action, what the turn before left, and
// why a card comes or not.
package deliver

import (
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
)

// Room says what an agent gets.
type Room struct{ *brain.Base }

// New returns the room of a brain.
func New(base *brain.Base) *Room { return &Room{base} }

// hooksNoted is how often it is noted that an agent has hooks.
const hooksNoted = 24 * time.Hour

// noteHooks notes that a host has our hooks.
func (s *Room) noteHooks(r HeadsRequest) {
	for _, name := range []string{r.Host, r.Host + brain.AtPrompts} {
		if at, _ := s.State.Hooks.Get(name); r.Host != "" && (r.Served || name == r.Host) && s.Now().Sub(at) > hooksNoted {
			s.State.Hooks.Put(name, s.Now())
		}
	}
}

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
