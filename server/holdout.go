package server

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"handrail/index"
	"handrail/lessons"
)

// onTrial reports whether a card of a conversation is given or withheld by chance at all. The
// cards that come with every request hold whatever is being measured, and without a
// conversation nothing can be compared.
func (s *Server) onTrial(session string, h Hit) bool {
	return session != "" && !isBaseline(lessons.Card{Kind: h.Kind, Severity: h.Severity}) && s.extras.on().HoldOut > 0
}

// withheld reports whether a conversation goes without a card: by a hash of both, so that it is
// the same at every turn and in every process.
func (s *Server) withheld(session string, c lessons.Card) bool {
	if !s.onTrial(session, Hit{Kind: c.Kind, Severity: c.Severity}) {
		return false
	}
	sum := sha256.Sum256([]byte(session + "\x00" + c.Path))
	return binary.BigEndian.Uint64(sum[:])%100 < uint64(s.extras.on().HoldOut) //nolint:gosec // 0 … 50
}

// withhold takes the withheld cards out of what would be served, and counts those that would
// have been in the block.
func (s *Server) withhold(r PreflightRequest, hits []index.Hit) []index.Hit {
	held := func(h index.Hit) bool { return h.Card.Kind.IsCard() && s.withheld(r.SessionID, h.Card) }
	if r.Aside || s.extras.on().HoldOut == 0 || !slices.ContainsFunc(hits, held) {
		return hits
	}
	var full Preflight
	s.serve(&full, hits)
	for _, h := range full.Lessons {
		if i := slices.IndexFunc(hits, func(o index.Hit) bool { return o.Card.Path == h.Path }); i >= 0 && held(hits[i]) {
			s.state.CreditWithheld(h.Path, r.SessionID)
		}
	}
	return slices.DeleteFunc(slices.Clone(hits), held)
}
