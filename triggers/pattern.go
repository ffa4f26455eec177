package triggers

import (
	"cmp"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/side"
	"github.com/handrail-dev/handrail/lessons/terms"
)

// Pattern is what one candidate has in common with others of its kind, in words that a
// person understands, so that they can say "never again for this":
//
//   - what was said (a complaint, a correction, a request to record): the very words that
//     made it one, such as "regression";
//   - work that was rolled back or turned down: its files, else what was said of it;
//   - tests that went green: the command and what had failed, whatever the numbers in it.
//
// Case, spaces and the marks around it do not count; nothing is stemmed or guessed.
type Pattern struct {
	Key     string `json:"key"`
	Trigger string `json:"trigger"`
	Words   string `json:"words"`
}

var digits = lazyregexp.New(`\d+`)

// PatternOf returns the pattern of a candidate that a Detector raised.
func PatternOf(c Candidate) Pattern {
	words := c.Title
	switch {
	case c.Trigger == RolledBack || c.Trigger == TurnedDown:
		if len(c.Files) > 0 {
			files := slices.Clone(c.Files)
			slices.Sort(files)
			words = strings.Join(slices.Compact(files), ", ")
		}
	case len(c.Evidence) == 0:
	case c.Trigger == RedGreen:
		words = c.Evidence[0]
		if c.Title != words {
			words += ": " + c.Title
		}
	default:
		words = cmp.Or(c.Cue, c.Evidence[0])
	}
	words = strings.Trim(strings.Join(strings.Fields(words), " "), edgeMarks)
	key := strings.ToLower(terms.Normalize(words))
	if c.Trigger == RedGreen {
		key = digits().ReplaceAllString(key, "0")
	}
	return Pattern{Key: side.Name(4, string(c.Trigger), key), Trigger: string(c.Trigger), Words: words}
}
