package triggers

import (
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/handrail-dev/handrail/lessons/side"
	"github.com/handrail-dev/handrail/lessons/terms"
	"github.com/handrail-dev/handrail/triggers/heard"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

const (
	// memory bounds the event signatures, sessions and test runs that are remembered.
	memory = 256
	// coolDown is how long after a candidate the same trigger stays silent in the same
	// session: one failure makes people write two or three messages.
	coolDown = time.Minute
	// twice is within what time the same words are one message that came by two ways.
	twice = 10 * time.Second
	// maxFiles bounds the files a candidate names.
	maxFiles = 20
)

// Options are what a detector must know from outside.
type Options struct {
	// Dismissed reports whether a person has dismissed the candidate with this ID
	// before; it may be nil.
	Dismissed func(id string) bool
	// Failing are the test runs that a detector before this one waited for.
	Failing []Failing
	// Memory is what a detector before this one remembered of each conversation.
	Memory map[string]Memory
	// Weak has hints raise candidates too, which say so.
	Weak bool
	// Broken returns the rule of the project that a message says was broken, "" for none; it may be nil.
	Broken func(text string, j heard.Judgement) string
}

// Detector raises candidates from events. It is not safe for concurrent use.
type Detector struct {
	opt      Options
	seen     *lru.Cache[string, time.Time] // signatures of events that were judged
	raised   *lru.Cache[string, time.Time] // trigger and session → last candidate
	sessions *lru.Cache[string, *session]
	failing  *lru.Cache[string, *failure] // by the run's key
}

// session is what the detector remembers of a conversation.
type session struct {
	Memory
	request string          // what the person asked before the last message
	edited  []string        // files, last first
	lately  []string        // those edited since the last request
	failed  *failedRun      // last, nil for none
	green   map[string]bool // test runs that passed here, by their keys
	asking  string          // the candidate that the last message raised
	undo    undo
	work    work
}

// undo is a person's word that the agent take back what it did.
type undo struct {
	turn  int    // in which it came; 0 for none
	words string // as said
	of    string // what was asked before
}

// failure is a test run that failed and what was edited since.
type failure struct {
	Failing
	session string // in which it failed, "" where that is not known
	run     *failedRun
	changes []Change
}

// NewDetector returns a detector that has seen nothing.
func NewDetector(opt Options) *Detector {
	d := &Detector{opt: opt}
	// The size is a constant above zero, the only thing New refuses.
	d.seen, _ = lru.New[string, time.Time](memory)
	d.raised, _ = lru.New[string, time.Time](memory)
	d.sessions, _ = lru.New[string, *session](memory)
	d.failing, _ = lru.New[string, *failure](memory)
	for _, f := range opt.Failing {
		f.Edited = slices.Clone(f.Edited)
		d.failing.Add(keyOf(f.Dir, f.Command), &failure{Failing: f, run: newFailedRun(f.Command, "")})
	}
	for id, m := range opt.Memory {
		d.session(id).Memory = m.clone()
	}
	return d
}

// keyOf names a run of tests.
func keyOf(dir, command string) string { return dir + "\x00" + command }

func (d *Detector) session(id string) *session {
	if s, ok := d.sessions.Get(id); ok {
		return s
	}
	s := &session{}
	d.sessions.Add(id, s)
	return s
}

// Failing returns the test runs that wait for a pass, those that failed last at the end.
func (d *Detector) Failing() []Failing {
	var out []Failing
	for _, f := range d.failing.Values() {
		out = append(out, Failing{f.Dir, f.Command, slices.Clone(f.Edited)})
	}
	return out
}

// Memory returns what is remembered of a conversation.
func (d *Detector) Memory(session string) Memory {
	if s, ok := d.sessions.Peek(session); ok {
		return s.clone()
	}
	return Memory{}
}

// Judge says what a message is, by itself and what is known of the conversation. What is quoted at length says nothing when it holds a secret.
func (d *Detector) Judge(text string, c heard.Context) heard.Judgement {
	j := heard.Judge(text, c)
	switch j.Kind {
	case heard.Correction, heard.Preference, heard.Constraint:
		if leaks.Found(text) {
			return heard.Judgement{Undo: j.Undo}
		}
	}
	return j
}

// Observe takes note of an event, whose files have the names that cards give them, and returns what comes of it.
func (d *Detector) Observe(e Event) (seen Seen) {
	s := d.session(e.SessionID)
	d.gather(s, e, &seen)
	kept := seen.Candidates[:0]
	for _, c := range seen.Candidates {
		c.At, c.SessionID = e.At, e.SessionID
		c.tidy()
		if !d.due(c) {
			continue
		}
		if e.Kind == Message && c.Trigger != Record && c.Mistake != "" {
			s.asking = c.ID
		}
		kept = append(kept, c)
	}
	seen.Candidates = kept
	return seen
}

// gather finds out what an event says.
func (d *Detector) gather(s *session, e Event, seen *Seen) {
	switch e.Kind {
	case Message:
		seen.Candidates, seen.Hint = d.message(s, e)
	case Answer:
		seen.Candidates = s.admitted(e.Text)
	case Rollback:
		seen.Candidates = d.rolledBack(s, e)
	case Rejected:
		s.lately = slices.Clone(e.Files) // what the person says next is about them
		seen.Candidates = s.wentBack(TurnedDown, e, s.request, nil)
	case Command, TestRun:
		if r, ok := e.Tests(); ok {
			seen.Candidates = d.tested(s, r, e)
		} else if failed := e.HasFailed(); failed != nil && *failed {
			s.failed = newFailedRun(e.Command, e.Output)
		}
	case Edit:
		seen.Candidates = d.edited(s, e)
		if s.asking != "" {
			if fix := diffOf(s.work.in(s.Turn, nil)); fix != "" {
				seen.Mended = &Mended{ID: s.asking, Fix: leaks.Redact(fix)}
			}
		}
	}
}

// due is the gate: no event twice, no second complaint or correction of a conversation within the cool-down, nothing a person dismissed.
func (d *Detector) due(c Candidate) bool {
	if d.opt.Dismissed != nil && d.opt.Dismissed(c.ID) {
		return false
	}
	event, once := c.ID, 10*coolDown
	if c.Trigger == Record || c.Trigger == Constraint || c.Trigger == Preference { // who says it again means it
		event, once = c.ID+c.SessionID, twice
	}
	if last, ok := d.seen.Get(event); ok && c.At.Sub(last) < once {
		return false
	}
	d.seen.Add(event, c.At)
	if c.Trigger != Complaint && c.Trigger != Correction {
		return true // each is another event: two rollbacks, two rules, two tests
	}
	key := string(c.Trigger) + "\x00" + c.SessionID
	if last, ok := d.raised.Get(key); ok && c.At.Sub(last) < coolDown {
		return false
	}
	d.raised.Add(key, c.At)
	return true
}

// tidy takes secrets out of a candidate, bounds its texts and names it.
func (c *Candidate) tidy() {
	c.Evidence = slices.Clone(c.Evidence)
	texts := []*string{&c.Title, &c.Situation, &c.Mistake, &c.Fix, &c.Command, &c.Test}
	for _, list := range [][]string{c.Evidence, c.Rules} {
		for i := range list {
			texts = append(texts, &list[i])
		}
	}
	leaks.All(texts...)
	for _, text := range texts {
		*text = strings.TrimSpace(*text)
	}
	c.Title = heard.Short(strings.Join(strings.Fields(c.Title), " "))
	kept := c.Evidence[:0:0]
	for _, e := range c.Evidence {
		if e != "" && !slices.Contains(kept, e) {
			kept = append(kept, clipRunes(e, maxQuote))
		}
	}
	c.Evidence = kept
	for i, r := range c.Rules {
		c.Rules[i] = clipRunes(strings.Join(strings.Fields(r), " "), maxRuleText)
	}
	c.Files = slices.Clone(c.Files[:min(len(c.Files), maxFiles)])
	said := terms.Key(clipRunes(c.Situation+c.Mistake, 2*maxQuote))
	c.ID = side.Name(8, string(c.Trigger), terms.Key(c.Title), said, strings.Join(c.Files, "\x00"))
}
