package desk

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// QuarantineRequest takes a card out of everything that is put before a request.
type QuarantineRequest struct {
	Path   string `json:"path" names:"card"`
	Reason string `json:"reason,omitempty"` // why, on one line of 1 to 300 characters
}

// Quarantine puts a card in quarantine: for a lesson that a person holds to be
// wrong. It stays on disk, searchable and listed; a mistake that comes up again neither bumps
// it nor ends the quarantine, and whoever records it anew is told why this card is there.
func (s *Room) Quarantine(_ context.Context, r QuarantineRequest) (brain.Card, error) {
	reason := strings.Join(strings.Fields(r.Reason), " ")
	if n := utf8.RuneCountInString(reason); n == 0 || n > lessons.MaxReason {
		return brain.Card{}, &brain.RequestError{Field: "reason", Value: brain.Head(reason, 80), Need: brain.NeedReason}
	}
	act := s.Begin("quarantine")
	act.Why = leaks.Keep(reason)
	return s.CarryOut(act, "quarantine", r.Path, func(src []byte) ([]byte, error) { return lessons.SetQuarantine(src, reason) })
}

// takesUp returns ErrQuarantined for a card that nothing may be added to.
func takesUp(src []byte) error {
	if c, _ := lessons.Parse("lessons/card.md", src); c.Status == lessons.Quarantined {
		return brain.ErrQuarantined
	}
	return nil
}
