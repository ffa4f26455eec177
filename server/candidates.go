package server

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"handrail/lessons"
	"handrail/lessons/find"
	"handrail/lessons/shell"
	"handrail/server/inbox"
	"handrail/server/ledger"
	"handrail/triggers"
)

// Observe tells the loop of something that happened. It returns what comes of it, and tells every connection of a candidate. Nothing is written to the brain.
func (s *hearRoom) Observe(ctx context.Context, e Event) (Observed, error) {
	if e.At.IsZero() {
		e.At = s.now()
	}
	switch e.Kind {
	case CallEvent:
		if !e.Beside {
			s.state.CallBegun(e.SessionID, e.CallID, e.Command, s.relFiles(e.Files))
			s.git.CallBegun(e.SessionID, e.CallID)
			s.git.AwaitLook(e.SessionID, lookWithin)
		}
		return Observed{}, nil
	case SessionEvent:
		s.state.NewContext(e.SessionID)
		return Observed{}, nil
	case ToolsEvent:
		s.state.Tools.Put(strings.ToLower(e.Agent), e.At)
		return Observed{}, nil
	case MessageEvent:
		id, text := e.SessionID, e.Text
		s.later(func() { s.deeds.Begin(id, text) })
		if e.Dir != "" && e.SessionID != "" && !e.Beside {
			s.git.FollowTalk(e.Dir)
		}
		e.Context = s.state.Message(e.SessionID, e.Text)
		// what was open when the person spoke again was turned down
		if err := s.turnedDown(ctx, e.SessionID, e.At); err != nil {
			return Observed{}, err
		}
	case EditEvent:
		if e.Failed {
			e.Files, e.Changes = nil, nil // nothing was changed
		}
	default:
		if !slices.Contains(triggers.Kinds, e.Kind) {
			return Observed{}, unknownKind(e.Kind)
		}
	}
	s.state.CallEnded(e.SessionID, e.CallID)
	s.did(e)
	if e.Kind == EditEvent && e.SessionID != "" && len(e.Files) > 0 {
		if !e.Beside {
			s.git.Edited(e.SessionID, e.Files)
		}
		s.state.InSession(e.SessionID, func(row *ledger.Session) { row.Edited = true })
	}
	if e.Kind != MessageEvent && !e.Beside {
		s.git.CallEnded(e.SessionID, e.CallID)
	}
	e = s.named(e)
	s.state.Acted(e)
	if s.looked(e) {
		return Observed{}, nil
	}
	out, err := s.observe(ctx, e)
	out.Hint = out.Hint && s.extras.give(GiftHints)
	if out.Hint {
		s.state.InSession(e.SessionID, func(row *ledger.Session) { row.Invited = true })
	}
	out.Invite = out.Hint && s.hasTools(e.Agent)
	return out, err
}

// lookWithin is how long an agent's call waits for the look at a failing run before it, so that the look is of the moment before.
const lookWithin = 100 * time.Millisecond

// looked has the work tree looked at when an agent's tests fail, and when they pass after that: what mends them may have been written by any
// program. It reports whether the event is observed later, with the lines.
func (s *hearRoom) looked(e Event) bool {
	run, ok := e.Tests()
	if _, inGit := find.Repository(run.Dir); !ok || run.Failed == nil || e.Beside || !inGit {
		return false
	}
	key := run.Dir + "\x00" + run.Command
	if *run.Failed {
		s.git.Failed(e.SessionID, key, run.Dir)
		return false
	}
	return s.git.Passed(e.SessionID, key, run.Dir, func(changes []Change) {
		for _, c := range changes {
			if c.File = s.projectPath(c.File); shell.IsCode(c.File) {
				e.Changes = append(e.Changes, c)
			}
		}
		if _, err := s.observe(s.ctx, e); err != nil && s.ctx.Err() == nil {
			s.log.Warn("event not observed", "err", err)
		}
	})
}

func unknownKind(k EventKind) error {
	err := &RequestError{Field: "kind", Value: string(k)}
	for _, known := range triggers.Kinds {
		err.Allowed = append(err.Allowed, string(known))
	}
	return err
}

// named returns an event with its files named as cards do.
func (s *hearRoom) named(e Event) Event {
	e.Files, e.On, e.Changes = s.relFiles(e.Files), s.relFiles(e.On), slices.Clone(e.Changes)
	for i := range e.Changes {
		e.Changes[i].File = s.projectPath(e.Changes[i].File)
	}
	return e
}

// agentKnown is how long an agent is held to have our tools or hooks after it last said so.
const agentKnown = 7 * 24 * time.Hour

// hooksNoted is how often it is noted that an agent has hooks.
const hooksNoted = 24 * time.Hour

// atPrompts marks the hosts whose hooks gave the agent a block, or none, at a prompt.
const atPrompts = " prompt"

// noteHooks notes that a host has our hooks.
func (s *deliverRoom) noteHooks(r HeadsRequest) {
	for _, name := range []string{r.Host, r.Host + atPrompts} {
		if at, _ := s.state.Hooks.Get(name); r.Host != "" && (r.Served || name == r.Host) && s.now().Sub(at) > hooksNoted {
			s.state.Hooks.Put(name, s.now())
		}
	}
}

// served reports whether the agent behind an MCP client has lately had the block of a prompt by our hooks.
func (s *Base) served(client string) bool {
	return client != "" && s.lately(s.state.Hooks, func(name string) bool {
		host, at := strings.CutSuffix(name, atPrompts)
		return at && isAgent(strings.ToLower(client), host)
	})
}

// hasTools reports whether a host's agent has started our MCP server lately.
func (s *Base) hasTools(host string) bool {
	return host != "" && s.lately(s.state.Tools, func(client string) bool { return isAgent(client, host) })
}

// withTitles marks the agents that our tools told the titles. In their first conversation, of whose hooks nothing is known
// yet, the hook of its beginning follows within toolsFirst.
const (
	withTitles = " titles"
	toolsFirst = time.Minute
)

// toldByTools reports, once, whether a host's agent was just told the titles by our tools.
func (s *Base) toldByTools(host string) (told bool) {
	var by string
	told = host != "" && s.state.Tools.Any(func(name string, at time.Time) bool {
		client, titles := strings.CutSuffix(name, withTitles)
		by = name
		return titles && isAgent(client, host) && s.now().Sub(at) < toolsFirst
	})
	if told {
		s.state.Tools.Delete(by)
	}
	return told
}

// hasHooks reports whether the agent behind an MCP client has called our hooks lately.
func (s *Base) hasHooks(client string) bool {
	return s.lately(s.state.Hooks, func(host string) bool { return isAgent(strings.ToLower(client), host) })
}

// agentNames are the names under which agents come as MCP clients where those do not hold the
// host's: Claude Desktop is "claude-ai", and Cursor "cursor-vscode".
var agentNames = map[string]string{"claude": "claude-code", "vscode": "visual studio code"}

// isAgent reports whether an MCP client is a host's agent. Agents call themselves by longer names there: "gemini-cli-mcp-client".
func isAgent(client, host string) bool {
	return strings.Contains(client, cmp.Or(agentNames[host], host))
}

// lately reports whether a name of a table was put there not long ago.
func (s *Base) lately(t *ledger.Table[time.Time], is func(name string) bool) bool {
	now := s.now()
	return t.Any(func(name string, at time.Time) bool { return is(name) && now.Sub(at) < agentKnown })
}

// turnedDown observes the calls of a conversation that came to nothing.
func (s *hearRoom) turnedDown(ctx context.Context, session string, at time.Time) error {
	for _, ev := range s.state.Orphans(session, at) {
		if _, err := s.observe(ctx, ev); err != nil {
			return err
		}
	}
	return nil
}

// detect has the detector take note of an event, and keeps what it is to remember.
func (s *hearRoom) detect(e Event) triggers.Seen {
	s.detectorMu.Lock()
	defer s.detectorMu.Unlock()
	seen := s.detector.Observe(e)
	if e.Kind == CommandEvent || e.Kind == TestEvent || e.Kind == EditEvent {
		s.state.KeepFailing(s.detector.Failing())
	}
	s.state.Remember(e.SessionID, s.detector.Memory(e.SessionID))
	return seen
}

func (s *hearRoom) observe(ctx context.Context, e Event) (Observed, error) {
	seen := s.detect(e)
	if e.Beside {
		return Observed{}, nil
	}
	out := Observed{Hint: seen.Hint != nil && seen.Hint.Trigger != triggers.Record}
	if m := seen.Mended; m != nil {
		s.inbox.Candidates.Change(m.ID, func(c *Candidate) bool { c.Fix = m.Fix; return true })
	}
	if len(seen.Candidates) == 0 {
		return out, nil
	}
	if err := ctx.Err(); err != nil {
		return out, err
	}
	for _, found := range seen.Candidates {
		if c, ok := s.raise(ctx, found); ok && out.Candidate == nil {
			out.Candidate = &c
		}
	}
	return out, nil
}

// raise puts a candidate on the list, unless a person has muted its like or it joins one that waits, and tells every connection.
func (s *hearRoom) raise(ctx context.Context, found triggers.Candidate) (Candidate, bool) {
	c := inbox.Of(found)
	c.Origin, c.Files = s.state.TurnOf(c.SessionID), s.present(found.Files)
	c.Similar, _ = s.idx.Similar(ctx, c.Title, c.Situation+"\n"+c.Mistake)
	if c.Similar == "" && len(c.Rules) == 1 {
		c.Similar = s.laidDown(c.Rules[0])
	}
	repeated := found.Trigger == triggers.Repeated
	if repeated && c.Similar == "" {
		c.Similar = s.spokenTo(c.Origin)
	}
	c = s.reasoned([]Candidate{c})[0]
	s.creditRecurrence(c)
	if repeated && c.Similar != "" && c.Quarantined == "" || s.inbox.Muted.Has(c.Pattern.Key) { // a card speaks of what was asked: it came back
		return c, false
	}
	c, joined := s.inbox.Add(c)
	if !joined {
		s.tell(func(n *Notify) {
			if n.Candidate != nil {
				n.Candidate(c)
			}
		})
	}
	return c, true
}

// laidDown returns a policy or preference in use that lays a rule down in other words, by its title or an item.
func (s *hearRoom) laidDown(rule string) string {
	for card := range s.idx.All() {
		if card.Status != lessons.Active || card.Kind != lessons.Policy && card.Kind != lessons.Preference {
			continue
		}
		if triggers.SameRule(card.Title, rule) ||
			slices.ContainsFunc(card.Items, func(i lessons.Item) bool { return triggers.SameRule(i.Text, rule) }) {
			return card.Path
		}
	}
	return ""
}

// spokenTo returns a card that a turn was given because its words speak of the request.
func (s *hearRoom) spokenTo(turn string) string {
	row, _ := s.state.Turns.Get(turn)
	for _, h := range slices.Concat(row.Lessons, row.Known) {
		if len(h.Why.Terms) > 0 { // not one that comes with every request
			return h.Path
		}
	}
	return ""
}
