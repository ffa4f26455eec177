package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"handrail/triggers"
	"handrail/triggers/heard"
)

// Observe tells the loop of something that happened. It returns what comes of it, and tells every connection of a candidate. Nothing is written to the brain.
func (s *Server) Observe(ctx context.Context, e Event) (Observed, error) {
	if e.At.IsZero() {
		e.At = s.now()
	}
	var known heard.Context
	switch e.Kind {
	case CallEvent:
		e.Files = s.relFiles(e.Files)
		s.callBegun(e)
		return Observed{}, nil
	case SessionEvent:
		s.newContext(e.SessionID)
		return Observed{}, nil
	case ToolsEvent:
		s.state.put(toolsBucket, strings.ToLower(e.Agent), e.At)
		return Observed{}, nil
	case MessageEvent:
		s.heard(e)
		s.later(func() { s.deeds.Begin(e.SessionID, e.Text) })
		if e.Dir != "" && e.SessionID != "" {
			s.git.FollowTalk(e.Dir)
		}
		known = s.context(e.SessionID)
		// what was open when the person spoke again was turned down
		if err := s.turnedDown(ctx, e.SessionID, e.At); err != nil {
			return Observed{}, err
		}
	}
	if e.Kind == EditEvent && e.Failed {
		e.Files, e.Changes = nil, nil // nothing was changed
	}
	ev, err := s.event(e)
	if err != nil {
		return Observed{}, err
	}
	if m, ok := ev.(triggers.Message); ok {
		m.Context = known
		ev = m
	}
	s.callEnded(e)
	s.did(e)
	if e.Kind == EditEvent && e.SessionID != "" && len(e.Files) > 0 {
		s.git.Edited(e.Files)
		s.inSession(e.SessionID, func(row *session) { row.Edited = true })
	}
	s.acted(e, ev)
	step, used := s.step(e)
	var out Observed
	if ev != nil {
		out, err = s.observe(ctx, ev)
	}
	if err == nil && used && out.Candidate == nil {
		return s.observe(ctx, step)
	}
	out.Hint = out.Hint && !s.extras.on().NoHints
	if out.Hint {
		s.inSession(e.SessionID, func(row *session) { row.Invited = true })
	}
	out.Invite = out.Hint && s.hasTools(e.Agent)
	return out, err
}

// agentKnown is how long an agent is held to have our tools or hooks after it last said so.
const agentKnown = 7 * 24 * time.Hour

// hasTools reports whether a host's agent has started our MCP server lately.
func (s *Server) hasTools(host string) bool {
	return host != "" && s.lately(toolsBucket, func(client string) bool { return isAgent(client, host) })
}

// hasHooks reports whether the agent behind an MCP client has called our hooks lately.
func (s *Server) hasHooks(client string) bool {
	return s.lately(hooksBucket, func(host string) bool { return isAgent(strings.ToLower(client), host) })
}

// agentNames are the names under which agents come as MCP clients where those do not hold the
// host's: Claude Desktop is "claude-ai", and Cursor "cursor-vscode".
var agentNames = map[string]string{"claude": "claude-code", "vscode": "visual studio code"}

// isAgent reports whether an MCP client is a host's agent. Agents call themselves by longer names there: "gemini-cli-mcp-client".
func isAgent(client, host string) bool {
	return strings.Contains(client, cmp.Or(agentNames[host], host))
}

// lately reports whether a name of a bucket was put there not long ago.
func (s *Server) lately(b bucket, is func(name string) bool) bool {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	for name, raw := range s.state.data[b] {
		var at time.Time
		if is(name) && json.Unmarshal(raw, &at) == nil && s.now().Sub(at) < agentKnown {
			return true
		}
	}
	return false
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

func (s *Server) observe(ctx context.Context, ev triggers.Event) (Observed, error) {
	s.detectorMu.Lock()
	seen := s.detector.Observe(ev)
	s.keepFailing(ev)
	s.keepMemory(ev)
	s.detectorMu.Unlock()
	out := Observed{Hint: seen.Hint != nil && seen.Hint.Trigger != triggers.Record}
	if seen.Mended != nil {
		s.mended(*seen.Mended)
	}
	if len(seen.Candidates) == 0 {
		return out, nil
	}
	if err := ctx.Err(); err != nil {
		return out, err
	}
	for _, found := range seen.Candidates {
		if c, ok := s.raise(ctx, found, ev); ok && out.Candidate == nil {
			out.Candidate = &c
		}
	}
	return out, nil
}

// raise puts a candidate on the list, unless a person has muted its like or it joins one that waits, and tells every connection.
func (s *Server) raise(ctx context.Context, found triggers.Candidate, ev triggers.Event) (Candidate, bool) {
	c := Candidate{
		ID: found.ID, Trigger: string(found.Trigger), Title: found.Title, Situation: found.Situation, Mistake: found.Mistake, Fix: found.Fix,
		Evidence: orEmpty(found.Evidence), Kind: found.Kind, Rules: found.Rules, Command: found.Command, Test: found.Test, At: found.At, SessionID: found.SessionID,
	}
	if found.Korean {
		c.Language = Korean
	}
	c.Origin, c.Pattern, c.Files = s.turnOf(c.SessionID), triggers.PatternOf(found), s.present(found.Files)
	if path, ok := s.idx.Similar(ctx, c.Title, c.Situation+"\n"+c.Mistake); ok {
		c.Similar = path
	}
	if found.Trigger == triggers.Repeated && c.Similar == "" {
		c.Similar = s.spokenTo(c.Origin)
	}
	c = s.reasoned([]Candidate{c})[0]
	s.creditRecurrence(c, ev)
	switch {
	case found.Trigger == triggers.Repeated && c.Similar != "" && c.Quarantined == "": // a card speaks of it: it came back
		return c, false
	case s.state.has(mutedBucket, c.Pattern.Key):
		return c, false
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
	if !joined {
		s.tell(func(n *Notify) {
			if n.Candidate != nil {
				n.Candidate(c)
			}
		})
	}
	s.tellChanged(Changed{Candidates: true})
	return c, true
}

// mended notes with a candidate that waits which lines put it right.
func (s *Server) mended(m triggers.Mended) {
	s.candidateMu.Lock()
	i := s.candidateAt(m.ID)
	var c Candidate
	if i >= 0 {
		s.candidates[i].Fix = m.Fix
		c = s.candidates[i]
	}
	s.candidateMu.Unlock()
	if i >= 0 {
		s.state.put(candidateBucket, c.ID, c)
	}
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

// keepMemory remembers what a conversation must, which may go on for longer than a daemon lives. The caller holds detectorMu.
func (s *Server) keepMemory(ev triggers.Event) {
	id := sessionOf(ev)
	m := s.detector.Memory(id)
	if id == "" || s.sessions.knows(id, m) {
		return
	}
	s.inSession(id, func(row *session) { row.Memory = m })
}

// spokenTo returns a card that a turn was given because its words speak of the request.
func (s *Server) spokenTo(turn string) string {
	row, _ := s.turns.get(turn)
	for _, h := range slices.Concat(row.Lessons, row.Known) {
		if len(h.Why.Terms) > 0 { // not one that comes with every request
			return h.Path
		}
	}
	return ""
}

// relChanges names the files of changes as cards do.
func (s *Server) relChanges(list []triggers.Change) []triggers.Change {
	out := slices.Clone(list)
	for i := range out {
		out[i].File = s.projectPath(out[i].File)
	}
	return out
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
		return triggers.Edit{At: e.At, SessionID: e.SessionID, Files: e.Files, Changes: s.relChanges(e.Changes)}, nil
	case ToolEvent:
		return nil, nil //nolint:nilnil // it is a step and nothing else
	case UndoEvent:
		return triggers.Undo{At: e.At, SessionID: e.SessionID, Files: e.Files}, nil
	}
	return nil, &RequestError{Field: "kind", Value: string(e.Kind), Allowed: []string{
		string(MessageEvent), string(RollbackEvent), string(RejectedEvent), string(TestEvent), string(CommandEvent), string(EditEvent), string(UndoEvent), string(ToolEvent),
		string(CallEvent), string(SessionEvent), string(ToolsEvent),
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
