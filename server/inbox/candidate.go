package inbox

import (
	"slices"
	"strings"
	"time"

	"handrail/lessons"
	"handrail/triggers"
)

// Candidate is a lesson that may be worth recording: half a card, and a question to a person. Nothing is written.
type Candidate struct {
	ID        string   `json:"id"`
	Trigger   string   `json:"trigger"` // complaint, record, correction, rollback, rejected, red-green, preference, constraint, repeated, retry-loop
	Title     string   `json:"title"`
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
	Origin      string    `json:"origin,omitempty"` // answer id of the turn it comes from
	At          time.Time `json:"at"`               // when it was last seen; it waits for 30 days from then

	SessionID string           `json:"sessionId,omitempty"` // the conversation it comes from
	Files     []string         `json:"files,omitempty"`     // those it is about that were there, as cards name them
	Pattern   triggers.Pattern `json:"pattern"`             // what it has in common with others of its kind
	Times     int              `json:"times,omitzero"`      // how often it was seen, when more than once
}

// Of returns what a detector found as it waits for a person.
func Of(found triggers.Candidate) Candidate {
	c := Candidate{
		ID: found.ID, Trigger: string(found.Trigger), Title: found.Title, Situation: found.Situation, Mistake: found.Mistake, Fix: found.Fix,
		Evidence: append([]string{}, found.Evidence...), Kind: found.Kind, Rules: found.Rules, Command: found.Command, Test: found.Test, At: found.At,
		SessionID: found.SessionID, Files: found.Files, Pattern: triggers.PatternOf(found),
	}
	if found.Korean {
		c.Language = "ko"
	}
	var said, done []string
	c.Situation, done = lessons.Prose(c.Situation)
	c.Mistake, said = lessons.Prose(c.Mistake)
	c.Proof = strings.Join(union(said, done), "\n\n")
	return c
}

const (
	// joinWithin is within what time two rollbacks of the same files are one.
	joinWithin = time.Minute
	// maxEvidence and maxText bound what candidates that were joined hold.
	maxEvidence = 12
	maxText     = 4000
)

// joins reports whether c tells once more of what another candidate of the conversation asks
// already: a person is not asked twice.
func (c Candidate) joins(other Candidate) bool {
	switch {
	case c.Trigger != other.Trigger || c.SessionID != other.SessionID:
		return false
	case c.Trigger == string(triggers.RolledBack): // one after the other, of the same work
		return c.At.Sub(other.At).Abs() < joinWithin && slices.ContainsFunc(c.Files, func(f string) bool { return slices.Contains(other.Files, f) })
	}
	return c.SessionID != "" && lessons.Card{Title: c.Title}.Key() == lessons.Card{Title: other.Title}.Key()
}

// join adds what another candidate saw.
func (c *Candidate) join(other Candidate) {
	c.Times = max(c.Times, 1) + 1
	c.At, c.Similar = other.At, other.Similar
	c.Evidence = union(c.Evidence, other.Evidence)
	c.Evidence = c.Evidence[:min(len(c.Evidence), maxEvidence)]
	c.Rules, c.Files = union(c.Rules, other.Rules), union(c.Files, other.Files)
	for _, text := range []struct {
		into *string
		more string
	}{{&c.Situation, other.Situation}, {&c.Mistake, other.Mistake}, {&c.Fix, other.Fix}, {&c.Proof, other.Proof}} {
		if !strings.Contains(*text.into, text.more) && len(*text.into)+len(text.more) < maxText {
			*text.into = strings.TrimSpace(*text.into + "\n\n" + text.more)
		}
	}
}

// union returns a new list with what another one has beside it.
func union(list, more []string) []string {
	list = slices.Clone(list)
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}
