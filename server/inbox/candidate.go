package inbox

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/triggers"
)

// Candidate is a lesson that may be worth recording: half a card, and a question to a person. Nothing is written.
type Candidate struct {
	ID        string   `json:"id"`
	Trigger   string   `json:"trigger"` // complaint, record, correction, rollback, mended, rejected, red-green, preference, constraint
	Title     string   `json:"title"`
	Untitled  bool     `json:"untitled,omitzero"` // Title says what it is about, and neither a mistake nor a rule
	Situation string   `json:"situation"`         // markdown: the request in question, the files
	Mistake   string   `json:"mistake,omitempty"` // markdown: what was said of it
	Fix       string   `json:"fix,omitempty"`     // markdown: the lines that mended it
	Proof     string   `json:"proof,omitempty"`   // markdown, the card's Evidence: what failed, the lines that were taken back
	Evidence  []string `json:"evidence"`
	Command   string   `json:"command,omitempty"`  // the command that failed
	Test      string   `json:"test,omitempty"`     // the test that failed
	Language  string   `json:"language,omitempty"` // of the conversation, where it is not English: ko
	// Kind is that of the card it makes, where it is no lesson; Rules are standing rules that
	// the person laid down, the card's first items.
	Kind    lessons.Kind `json:"kind,omitempty"`
	Rules   []string     `json:"rules,omitempty"`
	Similar string       `json:"similar,omitempty"` // path of the card it would repeat
	// Quarantined is why Similar is in quarantine: it takes nothing up.
	Quarantined string    `json:"quarantined,omitempty"`
	At          time.Time `json:"at"` // when it was last seen; it waits for 30 days from then

	SessionID string     `json:"sessionId,omitempty"` // the conversation it comes from
	Files     []string   `json:"files,omitempty"`     // those it is about that were there, as cards name them
	Times     int        `json:"times,omitzero"`      // how often it was seen, when more than once
	Seen      []Sighting `json:"seen,omitempty"`      // the last of these times, oldest first
	Weak      bool       `json:"weak,omitzero"`       // it may be one, if it was seen in another conversation
	Likely    bool       `json:"likely,omitzero"`     // a weak one that is more likely one than not
}

// Sighting is once that a candidate was seen.
type Sighting struct {
	At   time.Time `json:"at"`
	Said string    `json:"said,omitempty"` // what the person said of it, or its title
	Host string    `json:"host,omitempty"` // of what was read after it had happened: the agent, or git
	Talk string    `json:"talk,omitempty"` // and the conversation
	ID   string    `json:"id,omitempty"`   // of the candidate that it was by itself
}

// From is Of for what was found after it had happened: where, and in which words of the person, "" for none.
func From(found triggers.Candidate, host, said string) Candidate {
	c := Of(found)
	if said == "" || c.Weak || len(c.Rules) > 0 && !c.breaks() {
		said = c.said()
	}
	c.Seen = []Sighting{{At: c.At, Said: said, Host: host, Talk: c.SessionID, ID: c.ID}}
	return c
}

// Joined joins of a list, oldest first, what tells of the same.
func Joined(list []Candidate) (out []Candidate) {
	for _, c := range list {
		if i := slices.IndexFunc(out, func(o Candidate) bool { return o.joins(c) }); i >= 0 {
			out[i].join(c)
		} else {
			out = append(out, c)
		}
	}
	return out
}

// IDs returns the candidate's id and those of what was joined to it after it had happened.
func (c Candidate) IDs() []string {
	ids := []string{c.ID}
	for _, s := range c.Seen {
		if s.ID != "" {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// maxTyped is how long words are, in characters, that a person may type twice.
const maxTyped = 60

// copies reports whether two sightings are one that was kept twice, or words that were pasted again.
func (s Sighting) copies(o Sighting) bool {
	return s.Said == o.Said && (s.At.Format(time.DateOnly) == o.At.Format(time.DateOnly) || utf8.RuneCountInString(s.Said) > maxTyped)
}

// Talks returns in how many conversations a candidate was seen.
func (c Candidate) Talks() int {
	talks := map[string]bool{}
	for _, s := range c.seen() {
		talks[s.Talk] = true
	}
	return len(talks)
}

// Of returns what a detector found as it waits for a person.
func Of(found triggers.Candidate) Candidate {
	c := Candidate{
		ID: found.ID, Trigger: string(found.Trigger), Title: found.Title, Situation: found.Situation, Mistake: found.Mistake, Fix: found.Fix,
		Evidence: append([]string{}, found.Evidence...), Kind: found.Kind, Rules: found.Rules, Command: found.Command, Test: found.Test, At: found.At,
		SessionID: found.SessionID, Files: found.Files, Weak: found.Weak, Likely: found.Likely,
	}
	if found.Korean {
		c.Language = "ko"
	}
	c.Untitled = !c.titled()
	var said, done []string
	c.Situation, done = lessons.Prose(c.Situation)
	c.Mistake, said = lessons.Prose(c.Mistake)
	c.Proof = strings.Join(ledger.With(said, done...), "\n\n")
	return c
}

var (
	// right matches a correction that says what is right instead.
	right = lazyregexp.New(`(?i)\b(?:instead of|rather than)\b|아니라|말고`)
	// points matches what says nothing where what it points at is not at hand.
	points = lazyregexp.New(`(?i)\b(?:this|that|it|these|those|them|here|there)(?: up| out| back)?[.!]*$|(?:^|\s)[그이저](?:건|걸|거|게)\s`)
)

// titled reports whether the title says a mistake or a rule that is one outside of its conversation, too. A complaint's words do not.
func (c Candidate) titled() bool {
	rule := slices.Contains(laidDown, triggers.Trigger(c.Trigger))
	here := rule && strings.HasSuffix(c.Title, " here") // in this project
	says := rule || c.Trigger == string(triggers.Record) && !strings.HasSuffix(c.said(), "?") ||
		c.Trigger == string(triggers.Correction) && (triggers.RuleOf(c.Title).Binds() || right().MatchString(c.Title) || c.repeats())
	return says && !strings.HasSuffix(c.Title, "…") && lessons.IsTitle(c.Title) && (here || !points().MatchString(c.Title))
}

const (
	// joinWithin is within what time two rollbacks of the same files are one.
	joinWithin = time.Minute
	// maxEvidence, maxSeen and maxText bound what candidates that were joined hold.
	maxEvidence = 12
	maxSeen     = 60
	maxText     = 4000
	// manyAlike is what part of a candidate's sightings tells the same as one that joins it: of many, one is like much else.
	// Where any of them was enough, three of 25 told of another mistake.
	manyAlike = 4
)

// told and laidDown are what candidates of several triggers are about: a mistake that a person told of, and a rule.
var (
	told     = []triggers.Trigger{triggers.Complaint, triggers.Correction, triggers.Record}
	laidDown = []triggers.Trigger{triggers.Constraint, triggers.Preference}
)

// joins reports whether c tells once more of what another candidate asks already: a person is not asked twice. In one
// conversation the same title is enough; what a person said in nearly the same words is the same in any.
func (c Candidate) joins(other Candidate) bool {
	sameTalk := c.SessionID == other.SessionID
	both := func(list []triggers.Trigger) bool {
		return slices.Contains(list, triggers.Trigger(c.Trigger)) &&
			slices.Contains(list, triggers.Trigger(other.Trigger))
	}
	seen := func(by func(a, b string) bool) bool {
		alike := slices.DeleteFunc(slices.Clone(c.seen()), func(s Sighting) bool {
			return !slices.ContainsFunc(other.seen(), func(o Sighting) bool { return by(s.Said, o.Said) })
		})
		return manyAlike*len(alike) >= len(c.seen()) || len(c.seen()) <= manyAlike && by(c.said(), other.said())
	}
	switch {
	case c.ID == other.ID:
		return true
	case both(laidDown) && len(c.Rules) == 1 && len(other.Rules) == 1:
		// not by their titles, which have the same words for "always" and "never"
		return seen(triggers.SameRule)
	case both(told) && (seen(triggers.SameTold) || !c.Untitled && !other.Untitled && triggers.SameTold(c.Title, other.Title) || c.breaks() && slices.Equal(c.Rules, other.Rules)):
		return true
	case !c.Untitled && !other.Untitled && len(c.Items()) == 1 && len(other.Items()) == 1 && triggers.SameRule(c.Title, other.Title):
		return true // one was laid down, of the other somebody says that it was broken
	case c.Trigger != other.Trigger || !sameTalk:
		return false
	case c.Trigger == string(triggers.RolledBack), c.Trigger == string(triggers.MendedSoon): // one after the other, of the same work
		return c.At.Sub(other.At).Abs() < joinWithin && slices.ContainsFunc(c.Files, func(f string) bool { return slices.Contains(other.Files, f) })
	}
	return c.SessionID != "" && lessons.SameTitle(c.Title, other.Title)
}

// reason matches what a person says right behind a rule where that is its reason.
var reason = lazyregexp.New(`(?i)^[\s,.;:!—–-]*((?:because|since|otherwise|that|this|it|they|we|which|so that)\b[^.!?\n]+)`)

// Items returns what a card would ask for: its rules, else a title that is one, with the person's reason. A rule that one of several tells is not theirs.
func (c Candidate) Items() []string {
	if c.Untitled || len(c.Rules) > 0 && !c.breaks() || !triggers.RuleOf(c.Title).Binds() || slices.ContainsFunc(c.Rules, func(r string) bool { return strings.Contains(r, c.Title) }) {
		return c.Rules
	}
	item := c.Title
	if _, rest, ok := strings.Cut(c.Mistake, item); ok {
		if m := reason().FindStringSubmatch(strings.ReplaceAll(rest, "\n> ", "\n")); m != nil {
			item += ": " + strings.TrimSpace(m[1])
		}
	}
	return []string{item}
}

// breaks reports whether a candidate tells of one rule that was broken, and not of one that a person laid down.
func (c Candidate) breaks() bool {
	return c.Trigger == string(triggers.Correction) && len(c.Rules) == 1
}

// repeats reports whether the person said the rule that was broken, and did not only name its file.
func (c Candidate) repeats() bool {
	return c.breaks() && slices.ContainsFunc(triggers.Sentences(c.Mistake), func(s string) bool { return triggers.RuleOf(s).About(triggers.RuleOf(c.Title)) })
}

// said returns what a person said that raised a candidate.
func (c Candidate) said() string {
	switch {
	case len(c.Rules) > 0 && !c.breaks():
		return c.Rules[0]
	case len(c.Evidence) > 0 && slices.Contains(told, triggers.Trigger(c.Trigger)):
		return c.Evidence[0]
	}
	return c.Title
}

// seen returns the sightings of a candidate, at least its own.
func (c Candidate) seen() []Sighting {
	if len(c.Seen) > 0 {
		return c.Seen
	}
	return []Sighting{{At: c.At, Said: c.said()}}
}

// maxDays bounds the days that are shown.
const maxDays = 5

// Days returns the days on which a candidate was seen, each once, oldest first: the first and the last ones.
func (c Candidate) Days() []string {
	var days []string
	for _, s := range c.seen() {
		days = append(days, s.At.Local().Format("2006-01-02"))
	}
	days = slices.Compact(days)
	if len(days) > maxDays {
		days = append([]string{days[0], "…"}, days[len(days)-maxDays+1:]...)
	}
	return days
}

// join adds what another candidate saw.
func (c *Candidate) join(other Candidate) {
	c.Seen = slices.Clone(c.seen())
	for _, s := range other.seen() {
		if s.Host == "" || !slices.ContainsFunc(c.Seen, s.copies) {
			c.Seen, c.Times = append(c.Seen, s), max(c.Times, 1)+1
		}
	}
	slices.SortStableFunc(c.Seen, func(a, b Sighting) int { return a.At.Compare(b.At) })
	c.Seen = c.Seen[max(0, len(c.Seen)-maxSeen):]
	c.Similar = other.Similar
	if other.At.After(c.At) {
		c.At = other.At
	}
	if c.Untitled && (!other.Untitled || c.Weak && !other.Weak) || !c.Untitled && !other.Untitled && c.like(other.Title) > c.like(c.Title) {
		c.Title, c.Untitled = other.Title, other.Untitled
	}
	c.Weak, c.Likely = c.Weak && other.Weak, c.Likely || other.Likely
	c.Evidence = ledger.With(c.Evidence, other.Evidence...)
	c.Evidence = c.Evidence[:min(len(c.Evidence), maxEvidence)]
	if !slices.Contains(laidDown, triggers.Trigger(c.Trigger)) { // the same rule in other words is no second item
		c.Rules = ledger.With(c.Rules, other.Rules...)
	}
	c.Files = ledger.With(c.Files, other.Files...)
	for _, text := range []struct {
		into *string
		more string
	}{{&c.Situation, other.Situation}, {&c.Mistake, other.Mistake}, {&c.Fix, other.Fix}, {&c.Proof, other.Proof}} {
		if !strings.Contains(*text.into, text.more) && len(*text.into)+len(text.more) < maxText {
			*text.into = strings.TrimSpace(*text.into + "\n\n" + text.more)
		}
	}
}

// like returns how often a candidate was told in words like these.
func (c Candidate) like(text string) (n int) {
	for _, s := range c.Seen {
		if triggers.SameTold(s.Said, text) {
			n++
		}
	}
	return n
}
