package triggers

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handrail/lessons/shell"
	"handrail/lessons/side"
	"handrail/triggers/leaks"
)

// Friction shows where a conversation goes round in circles without a word of complaint: the
// person asks for nearly the same again and again, or a tool fails on the same file over and
// over.

const (
	// nearSame is the share of content words from which two prompts ask for the same.
	nearSame = 0.5
	// circles is how many make a circle: two are a second try.
	circles = 3
	// maxAsked bounds the prompts of a conversation that are compared, maxAskedWords the
	// features of each.
	maxAsked      = 30
	maxAskedWords = 200
	// twice is within what time the same words are one prompt that came by two ways.
	twice = 10 * time.Second
	// oneCall is within what time the same failure is one call that two hooks tell of: an
	// agent needs longer to try again.
	oneCall = time.Second / 2
	// minAsked is how many content words a prompt needs, minTopic how many of them must say
	// what it is about: "run the tests and commit" is asked for every hour.
	minAsked, minTopic = 3, 2
	// maxPrompt bounds a prompt that is compared with others, in bytes.
	maxPrompt = 8000
)

// Asked is a prompt by its content words.
type Asked struct {
	At    time.Time `json:"at"`
	Words []uint32  `json:"words"` // in order
	text  string    // as written, while the process lives
}

// Streak is how often in a row one tool has failed on one file.
type Streak struct {
	Of    string    `json:"of,omitempty"` // names both
	Count int       `json:"count,omitempty"`
	At    time.Time `json:"at,omitzero"` // of the last failure
}

// askedBefore notes a prompt and returns those before it that asked for nearly the same.
func (s *session) askedBefore(e Event) (before []Asked) {
	words, ok := askedFor(e.Text)
	if !ok || e.SessionID == "" {
		return nil
	}
	for _, a := range s.Asked {
		if e.At.Sub(a.At) < twice && slices.Equal(a.Words, words) {
			return nil
		}
		if jaccard(a.Words, words) >= nearSame {
			before = append(before, a)
		}
	}
	s.Asked = append(slices.Clone(s.Asked), Asked{At: e.At, Words: words, text: clipRunes(strings.TrimSpace(e.Text), maxQuote)})
	s.Asked = s.Asked[max(0, len(s.Asked)-maxAsked):]
	return before
}

// repeated describes a prompt that asks for what was asked before. Each of the others must
// be near this one: a topic that drifts from prompt to prompt is work that goes on.
func (s *session) repeated(e Event, before []Asked) []Candidate {
	before = slices.DeleteFunc(before, func(a Asked) bool { return leaks.Found(a.text) })
	if len(before) < circles-1 || leaks.Found(e.Text) {
		return nil
	}
	// It takes as many more before it is said again.
	s.Asked = slices.DeleteFunc(s.Asked, func(a Asked) bool {
		return slices.ContainsFunc(before, func(b Asked) bool { return slices.Equal(a.Words, b.Words) }) || a.At.Equal(e.At)
	})
	c := Candidate{Trigger: Repeated, Title: firstLine(e.Text), Files: e.Files, Evidence: []string{fmt.Sprintf("%d×: %s", len(before)+1, firstLine(e.Text))}}
	var quotes []string
	for _, a := range before {
		if a.text != "" {
			quotes = append(quotes, quoteOf(clipRunes(a.text, maxQuote/circles)))
			c.Evidence = append(c.Evidence, firstLine(a.text))
		}
	}
	c.Situation = strings.Join(append(quotes, quoteOf(clipRunes(strings.TrimSpace(e.Text), maxQuote/circles))), "\n\n")
	c.Evidence = append(c.Evidence, s.context()...)
	if len(c.Files) == 0 {
		c.Files = slices.Clone(s.edited)
	}
	return []Candidate{c}
}

// stepped watches for a tool that fails on the same file, or with the same command, again
// and again. Any other step ends the row, and so does one that somebody interrupted.
func (s *session) stepped(e Event) []Candidate {
	target := strings.Join(strings.Fields(e.Command), " ")
	if target == "" && len(e.On) > 0 {
		target = e.On[0]
	}
	of, failed := side.Name(8, e.Tool, target), e.HasFailed()
	switch {
	case failed == nil || !*failed || target == "":
		s.Streak = Streak{}
		return nil
	case s.Streak.Of == of && e.At.Sub(s.Streak.At) < oneCall:
		return nil
	case s.Streak.Of != of:
		s.Streak = Streak{Of: of}
	}
	s.Streak.Count++
	s.Streak.At = e.At.Round(0)
	if s.Streak.Count != circles || leaks.Found(e.Command) {
		return nil
	}
	c := Candidate{
		Trigger: RetryLoop, Title: e.Tool + " " + filepath.Base(target), Files: e.On[:min(len(e.On), 1)],
		Evidence:  []string{fmt.Sprintf("%d×: %s %s", circles, e.Tool, target)},
		Situation: fmt.Sprintf("%d× `%s` `%s`", circles, e.Tool, strings.ReplaceAll(target, "`", "'")),
	}
	if e.Command != "" {
		c.Title = target
	}
	said := shell.Excerpt(e.Output)
	if why := failureTitle(said); why != "" {
		c.Title += ": " + why
	}
	if said != "" {
		c.Evidence = append(c.Evidence, said)
		c.Situation += "\n\n" + fenced(said)
	}
	if s.request != "" {
		c.Situation = quoteOf(s.request) + "\n\n" + c.Situation
	}
	return []Candidate{c}
}
