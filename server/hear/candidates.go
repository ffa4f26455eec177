// Package hear turns what happens (messages, edits, commands, what is taken back) into candidates for lessons.
package hear

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/postcheck"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/inbox"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/triggers"
)

// Observe tells the loop of something that happened. It returns what comes of it, and tells every connection of a candidate. Nothing is written to the brain.
func (s *Room) Observe(ctx context.Context, e triggers.Event) (Observed, error) {
	if e.At.IsZero() {
		e.At = s.Now()
	}
	switch e.Kind {
	case triggers.Call:
		if !e.Beside {
			s.State.CallBegun(e.SessionID, e.CallID, e.Command, s.RelFiles(e.Files))
			s.Git.CallBegun(e.SessionID, e.CallID)
			s.Git.AwaitLook(e.SessionID, lookWithin)
		}
		return Observed{}, nil
	case triggers.Begin:
		s.State.NewContext(e.SessionID)
		return Observed{}, nil
	case triggers.Tools:
		s.State.Tools.Put(strings.ToLower(e.Agent), e.At)
		return Observed{}, nil
	case triggers.Answer:
		return s.observe(ctx, e)
	case triggers.Message:
		id, text := e.SessionID, e.Text
		s.Enqueue(func() { s.Deeds.Begin(id, text) })
		if e.Dir != "" && e.SessionID != "" && !e.Beside {
			s.Git.FollowTalk(e.Dir)
		}
		e.Context = s.State.Message(e.SessionID, e.Text)
		if !e.Late { // what was open when the person spoke again was turned down
			for _, call := range s.State.Orphans(e.SessionID) {
				call.At = e.At
				if _, err := s.observe(ctx, call); err != nil {
					return Observed{}, err
				}
			}
		}
	case triggers.Edit:
		if e.Failed {
			e.Files, e.Changes = nil, nil // nothing was changed
		}
	default:
		if err := lessons.OneOf("kind", cmp.Or(e.Kind, "?"), triggers.Kinds); err != nil {
			return Observed{}, err
		}
	}
	s.State.CallEnded(e.SessionID, e.CallID)
	s.noteDeed(e)
	if e.Kind == triggers.Edit && e.SessionID != "" && len(e.Files) > 0 {
		if !e.Beside {
			if top, ok := find.Repository(filepath.Dir(e.Files[0])); ok { // such as a work tree that the agent has made
				s.Git.FollowTalk(top)
			}
			s.Git.Edited(e.SessionID, e.Files)
		}
		s.State.InSession(e.SessionID, func(row *ledger.Session) { row.Edited = true })
	}
	if e.Kind != triggers.Message && !e.Beside {
		s.Git.CallEnded(e.SessionID, e.CallID)
	}
	e = s.named(e)
	if s.looked(e) {
		return Observed{}, nil
	}
	out, err := s.observe(ctx, e)
	out.Hint = out.Hint && s.Extras.Give(brain.GiftHints)
	if out.Hint {
		s.State.InSession(e.SessionID, func(row *ledger.Session) { row.Invited = true })
	}
	out.Invite = out.Hint && s.HasTools(e.Agent)
	return out, err
}

// lookWithin is how long an agent's call waits for the look at a failing run before it, so that the look is of the moment before.
const lookWithin = 100 * time.Millisecond

// looked has the work tree looked at when an agent's tests fail, and when they pass after that: what mends them may have been written by any
// program. It reports whether the event is observed later, with the lines.
func (s *Room) looked(e triggers.Event) bool {
	run, ok := e.Tests()
	if _, inGit := find.Repository(run.Dir); !ok || run.Failed == nil || e.Beside || !inGit {
		return false
	}
	key := run.Dir + "\x00" + run.Command
	if *run.Failed {
		s.Git.Failed(e.SessionID, key, run.Dir)
		return false
	}
	return s.Git.Passed(e.SessionID, key, run.Dir, func(changes []triggers.Change) {
		for _, c := range changes {
			c.File = s.ProjectPath(c.File)
			if shell.IsCode(c.File) {
				e.Changes = append(e.Changes, c)
			}
		}
		if _, err := s.observe(s.Ctx, e); err != nil && s.Ctx.Err() == nil {
			s.Logger.Warn("event not observed", "err", err)
		}
	})
}

// named returns an event with its files named as cards do.
func (s *Room) named(e triggers.Event) triggers.Event {
	e.Files, e.Changes = s.RelFiles(e.Files), slices.Clone(e.Changes)
	for i := range e.Changes {
		e.Changes[i].File = s.ProjectPath(e.Changes[i].File)
	}
	return e
}

// detect has the detector take note of an event, and keeps what it is to remember.
func (s *Room) detect(e triggers.Event) triggers.Seen {
	s.detectorMu.Lock()
	defer s.detectorMu.Unlock()
	seen := s.detector.Observe(e)
	if e.Kind == triggers.Command || e.Kind == triggers.TestRun || e.Kind == triggers.Edit {
		s.State.KeepFailing(s.detector.Failing())
	}
	s.State.Remember(e.SessionID, s.detector.Memory(e.SessionID))
	return seen
}

func (s *Room) observe(ctx context.Context, e triggers.Event) (Observed, error) {
	seen := s.detect(e)
	if e.Beside {
		return Observed{}, nil
	}
	out := Observed{Hint: seen.Hint != nil && seen.Hint.Trigger != triggers.Record}
	if m := seen.Mended; m != nil {
		s.Proposals.Candidates.Change(m.ID, func(c *brain.Candidate) bool { c.Fix = m.Fix; return true })
	}
	if len(seen.Candidates) == 0 {
		return out, nil
	}
	if err := ctx.Err(); err != nil {
		return out, err
	}
	for _, found := range seen.Candidates {
		if c, ok := s.propose(inbox.Of(found), true); ok && out.Candidate == nil {
			out.Candidate = &c
		}
	}
	return out, nil
}

// Offer puts candidates that were found after they had happened on the list, most of them at most (0 for all), and returns those that
// were not there; with dry it puts none there. One that a person has decided on does not come again.
func (s *Room) Offer(ctx context.Context, list []brain.Candidate, most int, dry bool) ([]brain.Candidate, error) {
	added := []brain.Candidate{}
	for _, c := range list {
		if most > 0 && len(added) == most || ctx.Err() != nil {
			break
		}
		if slices.ContainsFunc(c.IDs(), func(id string) bool {
			return s.Proposals.Settled.Has(id) || s.Proposals.Candidates.Has(id)
		}) {
			continue
		}
		ok := dry && s.repeated(c) == ""
		if !dry {
			c.At = s.Now() // it waits from now on
			c, ok = s.propose(c, false)
		}
		if ok {
			added = append(added, c)
		}
	}
	return added, ctx.Err()
}

// propose puts a candidate on the list, unless it joins one that waits, and tells every
// connection. A live one counts as a recurrence of the card that it repeats.
func (s *Room) propose(c brain.Candidate, live bool) (brain.Candidate, bool) {
	c.Files = s.Present(c.Files)
	c.Similar = s.repeated(c)
	if live {
		c.Similar = s.creditRecurrence(c)
	} else if c.Similar != "" {
		return c, false // a card says it
	}
	c = s.Reasoned([]brain.Candidate{c})[0]
	c, joined := s.Proposals.Add(c)
	if !joined && live {
		s.Tell(func(n *brain.Notify) {
			if n.Candidate != nil {
				n.Candidate(c)
			}
		})
	}
	return c, live || !joined
}

// repeated returns the card that says what a candidate does: by its title, or a policy or preference in use that lays its rule down in other
// words, by its title or an item. It is "" for none.
func (s *Room) repeated(c brain.Candidate) string {
	if twin, ok := s.Titles().Twin(c.Title, ""); ok {
		return twin.Path
	}
	for _, card := range s.Index.Heads() {
		if len(c.Rules) != 1 || card.Status != lessons.Active || card.Kind != lessons.Policy && card.Kind != lessons.Preference {
			continue
		}
		if triggers.SameRule(card.Title, c.Rules[0]) ||
			slices.ContainsFunc(card.Items, func(i lessons.Item) bool { return triggers.SameRule(i.Text, c.Rules[0]) }) {
			return card.Path
		}
	}
	return ""
}

// creditRecurrence counts a mistake that came back although a card spoke of it: a candidate that says the same as a card, where the card was served in the
// same conversation (without one: within a day), or is about a file in which one of the last answers broke the card. It returns the card that the candidate repeats, "" for none.
func (s *Room) creditRecurrence(c brain.Candidate) string {
	given := s.State.Given(c.SessionID)
	for _, path := range slices.Sorted(maps.Keys(given)) {
		card := s.Deck().ByPath[path]
		if card == nil || c.Similar != card.Path && !s.SameMistake(*card, c) && !s.broke(path, c.Files) {
			continue
		}
		s.State.Recurred(card.Path, c.SessionID)
		c.Similar = cmp.Or(c.Similar, card.Path)
	}
	return c.Similar
}

// broke reports whether one of the last answers broke an item of a card in one of some files.
func (s *Room) broke(card string, files []string) bool {
	return slices.ContainsFunc(s.Answers(), func(f brain.Footer) bool {
		return slices.ContainsFunc(f.Unaddressed, func(v brain.Verdict) bool {
			return v.Path == card && v.State == string(postcheck.Broken) && v.Place != nil && slices.Contains(files, v.Place.File)
		})
	})
}

// RolledBack observes what git undid, with files named as cards name them.
func (s *Room) RolledBack(ev triggers.Event) {
	if _, err := s.observe(s.Ctx, s.named(ev)); err != nil && s.Ctx.Err() == nil {
		s.Logger.Warn("event not observed", "err", err)
	}
}

// noteDeed notes in the ledger what a tool did.
func (s *Room) noteDeed(e triggers.Event) {
	switch e.Kind {
	case triggers.Edit:
		if !e.Failed {
			s.Enqueue(func() { s.Deeds.Edited(e.SessionID, e.Files, e.Changes, s.ProjectPath) })
		}
	case triggers.Command, triggers.TestRun:
		s.Enqueue(func() { s.Deeds.Ran(e.SessionID, e.Command, e.Output, e.HasFailed()) })
	case triggers.Tool:
		if mayRun().MatchString(e.Tool) {
			s.Enqueue(func() { s.Deeds.Ran(e.SessionID, brain.Elsewhere, "", nil) })
		}
	}
}

// mayRun matches tools that may run tests or push although they are no shell: another agent, a server's tool, a task.
var mayRun = lazyregexp.New(`(?i)agent|task$|mcp|__|terminal|shell|bash|exec|run|test|lint|build|error|problem|` +
	`diagnos|commit|push|git|pull_?request|workflow|command`)

// Room turns what happens into candidates for lessons.
type Room struct {
	*brain.Base

	detectorMu sync.Mutex // guards detector
	detector   *triggers.Detector
}

// New returns the room of a brain.
func New(base *brain.Base) *Room {
	return &Room{Base: base, detector: triggers.NewDetector(triggers.Options{
		Dismissed: base.Proposals.Dismissed.Has, Failing: base.State.Failing(), Memory: base.State.Memory(),
	})}
}

// Observed is what came of an event.
type Observed struct {
	Candidate *brain.Candidate `json:"candidate,omitempty"` // it is asked about; of several the first
	// Hint says that a message may be a complaint or a correction, which somebody who has read the conversation can tell. No person is shown it.
	Hint bool `json:"hint,omitzero"`
	// Invite says that the agent has our tools and may be told so, once.
	Invite bool `json:"invite,omitzero"`
}
