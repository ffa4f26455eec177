package say

import (
	"path"
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/triggers"
)

// kindNames name the kinds of candidates, for those whose mistake nobody has named.
var kindNames = map[triggers.Trigger]text{
	triggers.Complaint: {"Failed again", "또 실패함"}, triggers.Correction: {"Corrected", "바로잡음"}, triggers.Record: {"To be recorded", "기록 요청"},
	triggers.RolledBack: {"Undone", "되돌림"}, triggers.TurnedDown: {"Rejected", "거절됨"}, triggers.RedGreen: {"Tests failed, then passed", "테스트 실패 후 통과"},
	triggers.Preference: {"Wanted from now on", "앞으로의 방식"}, triggers.Constraint: {"Laid down", "정한 규칙"},
}

// Named returns candidates as people are shown them: one whose mistake nobody has named yet has
// its kind and place as title, in the language of its conversation.
func (l Locale) Named(list ...brain.Candidate) []brain.Candidate {
	out := make([]brain.Candidate, len(list))
	for i, c := range list {
		if c.Untitled {
			in := l
			if c.Language != "" {
				in = LocaleOf(c.Language)
			}
			kind, known := kindNames[triggers.Trigger(c.Trigger)]
			if !known {
				kind = text{c.Trigger, c.Trigger} // of a newer build
			}
			c.Title = in.Say(kind) + ": " + whereOf(c)
		}
		out[i] = c
	}
	return out
}

// maxPlaces is how many files name a candidate.
const maxPlaces = 3

// whereOf returns where a candidate arose: the test, the files, else what was said.
func whereOf(c brain.Candidate) string {
	switch triggers.Trigger(c.Trigger) {
	case triggers.RedGreen:
		if m := testLine().FindStringSubmatch(c.Proof); m != nil {
			return strings.TrimSpace(m[1])
		}
		if c.Test != "" {
			return c.Test
		}
	case triggers.Preference, triggers.Constraint:
		return c.Title
	}
	var names []string
	for _, f := range c.Files[:min(len(c.Files), maxPlaces)] {
		names = append(names, path.Base(f))
	}
	if len(names) == 0 {
		return c.Title
	}
	return strings.Join(names, ", ")
}

// testLine matches the line by which runners of JavaScript name a test that failed.
var testLine = lazyregexp.New(`(?m)^\s*[●✕✗×] +(.+)$`)
