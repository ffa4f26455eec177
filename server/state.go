package server

import "handrail/server/ledger"

// endTurn counts what a turn came to. It may be called again when more is known.
func (s *Server) endTurn(id string) {
	if s.state.EndTurn(id) {
		s.endEpisode(id)
	}
}

// Receipt returns the short name under which the block of an answer goes to an agent, to be
// looked for in its transcript.
func Receipt(answerID string) string { return ledger.Receipt(answerID) }
