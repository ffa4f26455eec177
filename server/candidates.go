package server

import (
	"context"
	"fmt"
	"slices"
	"time"

	"handrail/lessons"
	"handrail/triggers"
)

// Observe tells the loop of something that happened. It returns the candidate this
// raises, or nil, and tells every connection of it. Nothing is written to the brain.
func (s *Server) Observe(ctx context.Context, e Event) (*Candidate, error) {
	if e.At.IsZero() {
		e.At = s.now()
	}
	switch e.Kind {
	case CallEvent:
		e.Files = s.relFiles(e.Files)
		s.callBegun(e)
		return nil, nil
	case SessionEvent:
		s.newContext(e.SessionID)
		return nil, nil
	case MessageEvent:
		s.heard(e)
		// what was open when the person spoke again was turned down
		if err := s.turnedDown(ctx, e.SessionID, e.At); err != nil {
			return nil, err
		}
	}
	if e.Kind == EditEvent && e.Failed {
		e.Files = nil // nothing was changed
	}
	ev, err := s.event(e)
	if err != nil {
		return nil, err
	}
	s.callEnded(e)
	if e.Kind == EditEvent && e.SessionID != "" {
		s.edited(e.Files)
	}
	s.acted(e, ev)
	step, used := s.step(e)
	var c *Candidate
	if ev != nil {
		c, err = s.observe(ctx, ev)
	}
	if err == nil && used && c == nil {
		return s.observe(ctx, step)
	}
	return c, err
}

// step returns the tool call that an event tells of; only conversations have any.
func (s *Server) step(e Event) (triggers.Step, bool) {
	switch e.Kind {
	case CommandEvent, TestEvent, EditEvent, ToolEvent:
	default:
		return triggers.Step{}, false
	}
	st := triggers.Step{
		At: e.At, SessionID: e.SessionID, Tool: e.Tool, Files: s.relFiles(e.On), Command: e.Command,
		Failed: e.Failed || e.ExitCode != nil && *e.ExitCode != 0, Interrupted: e.Interrupted || triggers.Stopped(e.ExitCode), Output: e.Output,
	}
	return st, e.SessionID != "" && e.Tool != ""
}

// turnedDown observes the calls of a conversation that came to nothing.
func (s *Server) turnedDown(ctx context.Context, session string, at time.Time) error {
	for _, ev := range s.orphans(session, at) {
		if _, err := s.observe(ctx, ev); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) observe(ctx context.Context, ev triggers.Event) (*Candidate, error) {
	s.detectorMu.Lock()
	found, ok := s.detector.Observe(ev)
	s.keepFailing(ev)
	s.keepFriction(ev)
	s.detectorMu.Unlock()
	if !ok {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := Candidate{
		ID: found.ID, Trigger: string(found.Trigger), Title: found.Title, Situation: found.Situation,
		Evidence: orEmpty(found.Evidence), Kind: found.Kind, Rules: found.Rules, At: found.At,
	}
	c.SessionID, _ = originOf(ev)
	c.Origin, c.Pattern, c.Files = s.turnOf(c.SessionID), triggers.PatternOf(found), s.present(found.Files)
	if path, ok := s.idx.Similar(ctx, c.Title, c.Situation); ok {
		c.Similar = path
	}
	friction := found.Trigger == triggers.Repeated || found.Trigger == triggers.RetryLoop
	if friction && c.Similar == "" {
		_, files := originOf(ev)
		c.Similar = s.spokenTo(found.Trigger, c.Origin, files)
	}
	c = s.reasoned([]Candidate{c})[0]
	s.creditRecurrence(c, ev)
	switch {
	case friction && c.Similar != "" && c.Quarantined == "": // a card speaks of it: it came back
		return nil, nil
	case s.state.has(mutedBucket, c.Pattern.Key):
		return nil, nil
	}

	s.candidateMu.Lock()
	joined := false
	if i := s.candidateAt(c.ID); i >= 0 {
		s.candidates[i] = c
	} else if i := slices.IndexFunc(s.candidates, c.joins); i >= 0 {
		s.candidates[i].join(c)
		c, joined = s.candidates[i], true
	} else {
		s.candidates = append(s.candidates, c)
	}
	s.candidateMu.Unlock()
	s.state.put(candidateBucket, c.ID, c)
	s.sweep()
	if joined {
		s.tellChanged(Changed{Candidates: true})
		return &c, nil
	}
	s.tell(func(n *Notify) {
		if n.Candidate != nil {
			n.Candidate(c)
		}
	})
	s.tellChanged(Changed{Candidates: true})
	return &c, nil
}

// keepFailing remembers the test runs that wait for a pass: between red and green an agent
// may think for longer than a daemon without clients lives. The caller holds detectorMu.
func (s *Server) keepFailing(ev triggers.Event) {
	switch ev.(type) {
	case triggers.Command, triggers.TestRun, triggers.Edit:
	default:
		return
	}
	now := s.detector.Failing()
	same := slices.EqualFunc(now, s.failing, func(a, b triggers.Failing) bool {
		return a.Dir == b.Dir && a.Command == b.Command && slices.Equal(a.Edited, b.Edited)
	})
	if !same {
		s.failing = now
		s.state.put(detectorBucket, failingKey, now)
	}
}

// keepFriction remembers where a conversation goes round in circles, which may take longer
// than a daemon lives. The caller holds detectorMu.
func (s *Server) keepFriction(ev triggers.Event) {
	var id string
	switch e := ev.(type) {
	case triggers.Message:
		id = e.SessionID
	case triggers.Step:
		id = e.SessionID
	}
	f := s.detector.Friction(id)
	if id == "" || s.sessions.knows(id, f) {
		return
	}
	s.inSession(id, func(row *session) { row.Friction = f })
}

// spokenTo returns a card that speaks of what goes round in circles: for a request one that
// its words found, for a tool one whose paths hold the file.
func (s *Server) spokenTo(t triggers.Trigger, turn string, files []string) string {
	if t == triggers.Repeated {
		row, _ := s.turns.get(turn)
		for _, h := range slices.Concat(row.Lessons, row.Known) {
			if len(h.Why.Terms) > 0 { // not one that comes with every request
				return h.Path
			}
		}
		return ""
	}
	for card := range s.idx.All() {
		if _, ok := globOf(card.Paths, files); ok && card.Status == lessons.Active {
			return card.Path
		}
	}
	return ""
}

// event reads what a surface reported; a tool's use alone is nil.
func (s *Server) event(e Event) (triggers.Event, error) {
	e.Files = s.relFiles(e.Files) // a card names files as the repository does
	switch e.Kind {
	case MessageEvent:
		return triggers.Message{At: e.At, SessionID: e.SessionID, Text: e.Text, Files: e.Files}, nil
	case RollbackEvent:
		return triggers.Rollback{At: e.At, SessionID: e.SessionID, Text: e.Text, Files: e.Files}, nil
	case RejectedEvent:
		return triggers.Rejected{At: e.At, SessionID: e.SessionID, Text: e.Text, Files: e.Files}, nil
	case TestEvent:
		return triggers.TestRun{At: e.At, SessionID: e.SessionID, Command: e.Command, Dir: e.Dir, ExitCode: e.ExitCode, Output: e.Output}, nil
	case CommandEvent:
		return triggers.Command{At: e.At, SessionID: e.SessionID, Command: e.Command, Dir: e.Dir, ExitCode: e.ExitCode, Output: e.Output}, nil
	case EditEvent:
		return triggers.Edit{At: e.At, SessionID: e.SessionID, Files: e.Files}, nil
	case ToolEvent:
		return nil, nil //nolint:nilnil // it is a step and nothing else
	case UndoEvent:
		return triggers.Undo{At: e.At, SessionID: e.SessionID, Files: e.Files}, nil
	}
	return nil, &RequestError{Field: "kind", Value: string(e.Kind), Allowed: []string{
		string(MessageEvent), string(RollbackEvent), string(RejectedEvent), string(TestEvent), string(CommandEvent), string(EditEvent), string(UndoEvent), string(ToolEvent),
		string(CallEvent), string(SessionEvent),
	}}
}

// Candidates returns the lessons that wait for a person's word, oldest first.
func (s *Server) Candidates() []Candidate {
	s.sweep()
	s.candidateMu.Lock()
	list := append([]Candidate{}, s.candidates...)
	s.candidateMu.Unlock()
	s.forgetGone(list)
	return s.reasoned(list)
}

// candidateAt returns the position of a candidate or -1. The caller holds candidateMu.
func (s *Server) candidateAt(id string) int {
	return slices.IndexFunc(s.candidates, func(c Candidate) bool { return c.ID == id })
}

func (s *Server) candidate(id string) (Candidate, bool) {
	s.candidateMu.Lock()
	defer s.candidateMu.Unlock()
	if i := s.candidateAt(id); i >= 0 {
		return s.candidates[i], true
	}
	return Candidate{}, false
}

// settleCandidate takes a candidate off the list and notes what became of it: the verb, and
// the card that it is now part of. It reports whether it was there.
func (s *Server) settleCandidate(id, verb, made string) bool {
	s.candidateMu.Lock()
	i := s.candidateAt(id)
	var c Candidate
	if i >= 0 {
		c = s.candidates[i]
		s.candidates = slices.Delete(s.candidates, i, i+1)
	}
	s.candidateMu.Unlock()
	if i < 0 {
		return false
	}
	if err := s.note(c, verb, "", made); err != nil { // a full disk must not keep it on the list
		s.log.Warn("not in the journal", "candidate", id, "err", err)
	}
	s.state.put(candidateBucket, id, nil)
	s.tellChanged(Changed{Candidates: true})
	return true
}

// Dismiss takes a candidate off the list for good: the same event never raises it
// again. An unknown id is ErrUnknownCandidate.
func (s *Server) Dismiss(_ context.Context, id string) error {
	if !s.settleCandidate(id, "dismiss", "") {
		return fmt.Errorf("dismiss %q: %w", id, ErrUnknownCandidate)
	}
	s.state.put(dismissedBucket, id, s.now())
	s.detectorMu.Lock()
	s.detector.Dismiss(id)
	s.detectorMu.Unlock()
	return nil
}
