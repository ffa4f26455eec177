package server

import (
	"time"

	"handrail/server/ledger"
)

// state is what Handrail remembers about a brain outside its cards, in one file in the user's
// state folder.
type state struct {
	*ledger.Ledger
	dismissed  *ledger.Table[time.Time] // by candidate
	candidates *ledger.Table[Candidate] // by its id
	muted      *ledger.Table[Muted]     // by pattern
}

func newState(s *ledger.Store, now func() time.Time) *state {
	return &state{
		Ledger:     ledger.New(s, now),
		dismissed:  ledger.NewTable[time.Time](s, "dismissed"),
		candidates: ledger.NewTable[Candidate](s, "candidates"),
		muted:      ledger.NewTable[Muted](s, "muted"),
	}
}

// endTurn counts what a turn came to. It may be called again when more is known.
func (s *Server) endTurn(id string) {
	if s.state.EndTurn(id) {
		s.endEpisode(id)
	}
}

// Receipt returns the short name under which the block of an answer goes to an agent, to be
// looked for in its transcript.
func Receipt(answerID string) string { return ledger.Receipt(answerID) }
