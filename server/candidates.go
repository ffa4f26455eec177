package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"handrail/lessons"
	"handrail/triggers"
)

// maxCandidates bounds how many questions wait for a person; beyond it the oldest are
// dropped, since nobody answers a hundred.
const maxCandidates = 100

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
	case MessageEvent: // what was open when the person spoke again was turned down
		if err := s.turnedDown(ctx, e.SessionID, e.At); err != nil {
			return nil, err
		}
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
	return s.observe(ctx, ev)
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
	s.detectorMu.Unlock()
	if !ok {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := Candidate{
		ID: found.ID, Trigger: string(found.Trigger), Title: found.Title, Situation: found.Situation,
		Evidence: orEmpty(found.Evidence), At: found.At,
	}
	session, _ := originOf(ev)
	c.Origin = s.turnOf(session)
	if path, ok := s.idx.Similar(ctx, c.Title, c.Situation); ok {
		c.Similar = path
	}

	s.candidateMu.Lock()
	if i := s.candidateAt(c.ID); i >= 0 {
		s.candidates[i] = c
	} else {
		s.candidates = append(s.candidates, c)
	}
	for len(s.candidates) > maxCandidates {
		s.state.put(candidateBucket, s.candidates[0].ID, nil)
		s.candidates = s.candidates[1:]
	}
	s.candidateMu.Unlock()
	s.state.put(candidateBucket, c.ID, c)

	s.creditRecurrence(c, ev)
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

// event reads what a surface reported.
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
	case UndoEvent:
		return triggers.Undo{At: e.At, SessionID: e.SessionID, Files: e.Files}, nil
	}
	return nil, &RequestError{Field: "kind", Value: string(e.Kind), Allowed: []string{
		string(MessageEvent), string(RollbackEvent), string(RejectedEvent), string(TestEvent), string(CommandEvent), string(EditEvent), string(UndoEvent),
		string(CallEvent), string(SessionEvent),
	}}
}

// Candidates returns the lessons that wait for a person's word, oldest first.
func (s *Server) Candidates() []Candidate {
	s.candidateMu.Lock()
	defer s.candidateMu.Unlock()
	return append([]Candidate{}, s.candidates...)
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

// settleCandidate takes a candidate off the list; it reports whether it was there.
func (s *Server) settleCandidate(id string) bool {
	s.candidateMu.Lock()
	i := s.candidateAt(id)
	if i >= 0 {
		s.candidates = slices.Delete(s.candidates, i, i+1)
	}
	s.candidateMu.Unlock()
	if i < 0 {
		return false
	}
	s.state.put(candidateBucket, id, nil)
	s.tellChanged(Changed{Candidates: true})
	return true
}

// Dismiss takes a candidate off the list for good: the same event never raises it
// again. An unknown id is ErrUnknownCandidate.
func (s *Server) Dismiss(_ context.Context, id string) error {
	if !s.settleCandidate(id) {
		return fmt.Errorf("dismiss %q: %w", id, ErrUnknownCandidate)
	}
	s.state.put(dismissedBucket, id, s.now())
	s.detectorMu.Lock()
	s.detector.Dismiss(id)
	s.detectorMu.Unlock()
	return nil
}

// Confirm records a lesson on a person's word. When a card says the same already it
// names that card and writes nothing. A candidate must clear the quality bar
// (*WeakError) unless it is saved as a draft; a person's own card need not. What an
// agent wishes to record (Auto) must clear it too, and is a draft until a person says more.
func (s *Server) Confirm(ctx context.Context, r CreateRequest) (Created, error) {
	if r.EpisodeID != "" {
		var err error
		if r, err = s.fromEpisode(ctx, r); err != nil {
			return Created{}, err
		}
	}
	if r.Auto {
		r = s.unconfirmed(r)
	}
	d, err := s.draft(r)
	if err != nil {
		return Created{}, err
	}
	if r.CandidateID != "" {
		c, ok := s.candidate(r.CandidateID)
		if !ok {
			return Created{}, fmt.Errorf("record %q: %w", r.CandidateID, ErrUnknownCandidate)
		}
		r.Origin = c.Origin
	}
	if !r.Fields.AllowTwins {
		if twin, ok := s.titles().twin(d.Title, ""); ok {
			return Created{Path: twin, DuplicateOf: twin}, nil
		}
	}
	if r.Auto || r.CandidateID != "" && d.Status != lessons.Drafted {
		weak := d.Weaknesses()
		if p, no := d.NotARule(); no && r.Auto {
			weak = append(weak, p)
		}
		if len(weak) > 0 {
			return Created{}, &WeakError{Problems: weak}
		}
	}
	rel := s.brain.NewPath(d)
	act := s.act("create")
	act.Origin = r.Origin
	if err := act.Create(rel, d.Render()); err != nil {
		return Created{}, fmt.Errorf("create %s: %w", rel, err)
	}
	s.wrote(rel)
	if r.CandidateID != "" {
		s.settleCandidate(r.CandidateID)
	}
	return Created{Path: rel}, nil
}

// unconfirmed returns a request as one that no person stands behind may be carried out.
// What an agent quotes has passed through its terminal, so secrets are taken out.
func (s *Server) unconfirmed(r CreateRequest) CreateRequest {
	s.detectorMu.Lock()
	defer s.detectorMu.Unlock()
	f := &r.Fields
	f.Status, f.Checklist = lessons.Drafted, slices.Clone(f.Checklist)
	for i := range f.Checklist {
		f.Checklist[i] = s.detector.Redact(f.Checklist[i])
	}
	for _, text := range []*string{&r.Title, &r.Situation, &f.Mistake, &f.RootCause, &f.Fix, &f.AppliesTo} {
		*text = s.detector.Redact(*text)
	}
	return r
}

// draft gathers what is known of a new card: what the caller says, then what the
// candidate saw.
func (s *Server) draft(r CreateRequest) (lessons.Draft, error) {
	f := r.Fields
	d := lessons.Draft{
		Title: strings.TrimSpace(r.Title), Kind: f.Kind, Severity: f.Severity, Status: f.Status, Project: f.Project,
		Tags: f.Tags, Paths: f.Paths, On: lessons.DateOf(s.now()), Language: string(r.Language),
		Sections: map[lessons.SectionName]string{},
	}
	if r.Auto {
		d.Source = lessons.Auto
	}
	situation := r.Situation
	if c, ok := s.candidate(r.CandidateID); ok {
		d.Source = lessons.Auto
		if d.Title == "" {
			d.Title = c.Title
		}
		if situation == "" {
			situation = c.Situation
		}
	}
	if d.Title == "" {
		return d, &WeakError{Problems: []lessons.Problem{{Code: lessons.MissingTitle, Severity: lessons.Error}}}
	}
	if d.Kind == lessons.Note {
		d.Kind = lessons.Lesson
	}
	if err := d.Check(); err != nil {
		return d, err
	}
	for name, text := range map[lessons.SectionName]string{
		lessons.Situation: situation, lessons.Mistake: f.Mistake, lessons.RootCause: f.RootCause, lessons.Fix: f.Fix, lessons.AppliesTo: f.AppliesTo,
	} {
		if text = strings.TrimSpace(text); text != "" {
			d.Sections[name] = text
		}
	}
	var items strings.Builder
	for _, it := range f.Checklist {
		if it = strings.Join(strings.Fields(it), " "); it != "" {
			items.WriteString("- [ ] " + it + "\n")
		}
	}
	if items.Len() > 0 {
		d.Sections[lessons.Prevention] = items.String()
	}
	return d, nil
}

// titles holds the paths of the cards that a person still has in use, by the key of
// their titles, each list in order.
type titles map[string][]string

func (s *Server) titles() titles {
	t := titles{}
	for c := range s.idx.All() {
		if c.Status != lessons.Archived {
			key := c.Key()
			t[key] = append(t[key], c.Path)
		}
	}
	return t
}

// twin returns another card with the same key as title.
func (t titles) twin(title, except string) (string, bool) {
	for _, path := range t[lessons.Card{Title: title}.Key()] {
		if path != except {
			return path, true
		}
	}
	return "", false
}
