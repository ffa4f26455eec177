package server

import (
	"context"

	"handrail/triggers/heard"
)

// Server is the loop over one brain. It is safe for concurrent use; several
// connections may share it.
type Server struct {
	*Base
	*deliverRoom
	*hearRoom
	*judgeRoom
	*deskRoom
}

// New returns a Server for cfg.Brain. Searches wait for the first index of a brain. Errors
// are lessons.ErrNoBrain, lessons.ErrNotAFolder, or the file system's. When another process
// owns the brain's index and state, the Server keeps its own in memory and Owner reports false.
func New(ctx context.Context, cfg Config) (*Server, error) {
	base, err := Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s := &Server{base, newDeliver(base), newHear(base), newJudge(base), newDesk(base)}
	if cfg.Watch && !cfg.FilesOnly {
		go heard.Warm()
		s.Watch(cfg, s.rolledBack)
	}
	return s, nil
}

// Answered checks an answer against the cards that were served for it and tells every
// connection. It never blocks or asks the model again. An unknown AnswerID without
// named cards is ErrUnknownAnswer.
func (s *Server) Answered(ctx context.Context, r AnswerRequest) (Footer, error) {
	if r.AnswerID == "" && len(r.Lessons) == 0 && r.SessionID != "" {
		r.AnswerID = s.state.TurnOf(r.SessionID)
	}
	if r.SessionID != "" {
		if err := s.turnedDown(ctx, r.SessionID, s.now()); err != nil {
			return Footer{}, err
		}
	}
	return s.check(ctx, r)
}
