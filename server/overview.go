package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"handrail/lessons"
)

// overviewDelay is how long the cards must be left alone before BRAIN.md follows them: a
// checkout or an agent's round of edits is then one write.
const overviewDelay = 2 * time.Second

var errNotRead = errors.New("the brain could not be read yet")

// overviewTask writes BRAIN.md after the cards have changed, where a person asks for it.
type overviewTask struct {
	wake  chan struct{} // holds one: the cards are not those of the last look
	delay time.Duration
}

// changed says that the cards are others than before.
func (o *overviewTask) changed() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// run writes until the Server closes; what is due then is written at once, for a command
// that lives no longer than its one change.
func (o *overviewTask) run(s *Server) {
	select {
	case <-s.idx.CaughtUp(): // before, the list would be a part of it
	case <-s.ctx.Done():
		return
	}
	due := false
	for {
		var quiet <-chan time.Time
		if due {
			quiet = time.After(o.delay)
		}
		select {
		case <-o.wake:
			due = true
		case <-quiet:
			due = false
			s.followCards()
		case <-s.ctx.Done():
			if due || len(o.wake) > 0 {
				s.followCards()
			}
			return
		}
	}
}

// followCards writes BRAIN.md if that is wanted and would change it. BRAIN.md is no part of
// the index, so that its own writing is no change that would be followed.
func (s *Server) followCards() {
	if !s.extras.on().Overview {
		return
	}
	changed, err := s.Overview(context.WithoutCancel(s.ctx))
	switch {
	case errors.Is(err, fs.ErrExist):
		s.log.Info("the list of cards is not kept: somebody wrote the file", "file", lessons.OverviewFile)
	case err != nil:
		s.log.Warn("the list of cards is out of date", "err", err)
	case changed:
		s.log.Debug("the list of cards was written", "file", lessons.OverviewFile)
	}
}

// Overview writes the list of the brain's cards to BRAIN.md, if that would change it, and
// reports whether it did. A file of that name that a person wrote is left alone: fs.ErrExist.
// So is any, while the cards are not all known.
func (s *Server) Overview(ctx context.Context) (changed bool, err error) {
	select {
	case <-s.idx.Ready():
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	select {
	case <-s.idx.CaughtUp():
	default:
		return false, fmt.Errorf("write %s: %w", lessons.OverviewFile, errNotRead)
	}
	text := lessons.Overview(s.idx.Cards())
	old, err := s.brain.Read(lessons.OverviewFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = s.brain.Create(lessons.OverviewFile, text)
	case err == nil && string(old) == string(text):
		return false, nil
	case err == nil:
		err = s.brain.Edit(lessons.OverviewFile, func(src []byte) ([]byte, error) {
			if !lessons.IsOverview(src) {
				return nil, &lessons.PathError{Path: lessons.OverviewFile, Err: fs.ErrExist}
			}
			return text, nil
		})
	}
	if err != nil {
		return false, fmt.Errorf("write %s: %w", lessons.OverviewFile, err)
	}
	return true, nil
}
