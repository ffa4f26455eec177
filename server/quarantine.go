package server

import (
	"cmp"
	"context"
	"strings"
	"unicode/utf8"

	"handrail/lessons"
	"handrail/triggers/leaks"
)

// QuarantineRequest takes a card out of everything that is put before a request, or back.
type QuarantineRequest struct {
	Path   string `json:"path" names:"card"`
	Reason string `json:"reason,omitempty"` // why, on one line of 1 to 300 characters
	Lift   bool   `json:"lift,omitempty"`   // end it instead: the card is active again
}

// Quarantine puts a card in quarantine, or lifts it: for a lesson that a person holds to be
// wrong. It stays on disk, searchable and listed; a mistake that comes up again neither bumps
// it nor ends the quarantine, and whoever records it anew is told why this card is there.
func (s *deskRoom) Quarantine(_ context.Context, r QuarantineRequest) (Card, error) {
	if r.Lift {
		return s.edit("lift", "lift the quarantine of", r.Path, func(src []byte) ([]byte, error) {
			if takesUp(src) == nil {
				return src, nil
			}
			return lessons.SetStatus(src, lessons.Active, lessons.DateOf(s.now()))
		})
	}
	reason := strings.Join(strings.Fields(r.Reason), " ")
	if n := utf8.RuneCountInString(reason); n == 0 || n > lessons.MaxReason {
		return Card{}, &RequestError{Field: "reason", Value: head(reason, 80), Need: NeedReason}
	}
	act := s.act("quarantine")
	act.Why = leaks.Keep(reason)
	return s.carryOut(act, "quarantine", r.Path, func(src []byte) ([]byte, error) { return lessons.SetQuarantine(src, reason) })
}

// takesUp returns ErrQuarantined for a card that nothing may be added to.
func takesUp(src []byte) error {
	if c, _ := lessons.Parse("lessons/card.md", src); c.Status == lessons.Quarantined {
		return ErrQuarantined
	}
	return nil
}

// reasonOf returns why a card is in quarantine, "" for one that is not.
func reasonOf(c lessons.Card) string {
	if c.Status != lessons.Quarantined {
		return ""
	}
	return cmp.Or(c.Quarantine, "?") // somebody wrote the status by hand
}

// reasoned says of candidates whose like is in quarantine why, and forgets a like that is gone. It is looked up each time,
// since a person may lift it while they wait.
func (s *Base) reasoned(list []Candidate) []Candidate {
	for i := range list {
		c := &list[i]
		if c.Quarantined = ""; c.Similar == "" {
			continue
		}
		if card, err := s.read(c.Similar); err != nil {
			c.Similar = ""
		} else {
			c.Quarantined = reasonOf(card)
		}
	}
	return list
}
