package triggers

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/lessons/side"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// circles is how many failures in a row make a circle: two are a second try.
const circles = 3

// oneCall is within what time the same failure is one call that two hooks tell of: an
// agent needs longer to try again.
const oneCall = time.Second / 2

// Streak is how often in a row one tool has failed on one file.
type Streak struct {
	Of    string    `json:"of,omitempty"` // names both
	Count int       `json:"count,omitempty"`
	At    time.Time `json:"at,omitzero"` // of the last failure
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
