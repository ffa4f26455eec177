package server

import (
	"context"

	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/desk"
	"github.com/handrail-dev/handrail/server/hear"
	"github.com/handrail-dev/handrail/server/judge"
	"github.com/handrail-dev/handrail/triggers/heard"
)

// The rooms, by names that can stand beside each other in a Server.
type (
	deliverRoom = deliver.Room
	hearRoom    = hear.Room
	judgeRoom   = judge.Room
	deskRoom    = desk.Room
)

// Server is the loop over one brain. It is safe for concurrent use; several
// connections may share it.
type Server struct {
	*brain.Base
	*deliverRoom
	*hearRoom
	*judgeRoom
	*deskRoom
}

// New returns a Server for cfg.Brain. Searches wait for the first index of a brain. Errors
// are lessons.ErrNoBrain, lessons.ErrNotAFolder, or the file system's. When another process
// owns the brain's index and state, the Server keeps its own in memory and Owner reports false.
func New(ctx context.Context, cfg brain.Config) (*Server, error) {
	base, err := brain.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s := &Server{base, &deliver.Room{Base: base}, hear.New(base), &judge.Room{Base: base}, &desk.Room{Base: base}}
	if cfg.Watch && !cfg.FilesOnly {
		go heard.Warm()
		s.Watch(cfg, s.RolledBack)
	}
	return s, nil
}

// Answered checks an answer against the cards that were served for it and tells every
// connection. It never blocks or asks the model again. An unknown AnswerID without
// named cards is brain.ErrUnknownAnswer.
func (s *Server) Answered(ctx context.Context, r judge.AnswerRequest) (brain.Footer, error) {
	if r.AnswerID == "" && len(r.Lessons) == 0 && r.SessionID != "" {
		r.AnswerID = s.State.TurnOf(r.SessionID)
	}
	return s.Check(ctx, r)
}
