// Package say holds what a person reads in English or Korean, and picks the language. It knows the types and errors of
// package brain, which it words, and no room.
package say

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/triggers"
	"github.com/handrail-dev/handrail/triggers/heard"
)

// Text is one sentence in English and in Korean. Verbs are fmt's; where their order differs they name their arguments.
type Text [2]string

// plural matches a plural behind the number one.
var plural = regexp.MustCompile(`\b1 (card|title|mistake|note|time|day|lesson|draft)s\b`)

// In returns the sentence in Korean for the language "ko", else in English, with its arguments filled in. An argument may be a
// Text itself.
func (t Text) In(language string, args ...any) string {
	i := 0
	if language == "ko" {
		i = 1
	}
	filled, one := make([]any, len(args)), false
	for n, arg := range args {
		one = one || arg == 1
		if inner, ok := arg.(Text); ok {
			arg = inner[i]
		}
		filled[n] = arg
	}
	out := fmt.Sprintf(t[i], filled...)
	if one && i == 0 {
		out = plural.ReplaceAllString(out, "1 $1")
	}
	return out
}

// Said is an error with its sentence for the person.
type Said struct {
	Text Text
	Args []any
	Err  error // the cause; may be nil
}

func (s Said) Error() string { return s.Text.In("", s.Args...) }
func (s Said) Unwrap() error { return s.Err }

// Joined joins the parts that are not empty.
func Joined(by string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), by)
}

// kindNames name the kinds of candidates, for those whose mistake nobody has named.
var kindNames = map[triggers.Trigger]text{
	triggers.Complaint: {"Failed again", "또 실패함"}, triggers.Correction: {"Corrected", "바로잡음"}, triggers.Record: {"To be recorded", "기록 요청"},
	triggers.RolledBack: {"Undone", "되돌림"}, triggers.MendedSoon: {"Mended within days", "며칠 만에 고침"}, triggers.TurnedDown: {"Rejected", "거절됨"}, triggers.RedGreen: {"Tests failed, then passed", "테스트 실패 후 통과"},
	triggers.Preference: {"Wanted from now on", "앞으로의 방식"}, triggers.Constraint: {"Laid down", "정한 규칙"},
}

// deeds says in Korean what candidates say of deeds.
var deeds = strings.NewReplacer(
	triggers.Denied, "거부되거나 취소됨", triggers.WentBack, ": 이전 내용으로 돌아감", triggers.FailsNow, ": 통과하다가 지금은 실패함",
	triggers.CameBack, "줄이 이 대화에서 지워졌다가 돌아옴", triggers.Rewritten, "줄이 이 대화에서 쓴 뒤 다시 고쳐짐",
)

// Named returns candidates as people are shown them, in the language of their conversation: one whose mistake nobody
// has named yet has its kind and place as title.
func (l Locale) Named(list ...brain.Candidate) []brain.Candidate {
	out := make([]brain.Candidate, len(list))
	for i, c := range list {
		in := l
		if c.Language != "" {
			in = LocaleOf(c.Language)
		}
		if in == Korean {
			c.Evidence = slices.Clone(c.Evidence)
			for i, e := range c.Evidence {
				c.Evidence[i] = deeds.Replace(e)
			}
			c.Title, c.Mistake, c.Proof = deeds.Replace(c.Title), deeds.Replace(c.Mistake), deeds.Replace(c.Proof)
		}
		if c.Untitled {
			kind, known := kindNames[triggers.Trigger(c.Trigger)]
			if !known {
				kind = text{c.Trigger, c.Trigger} // of a newer build
			}
			c.Title = in.Say(kind) + ": " + wordsOf(c)
		}
		out[i] = c
	}
	return out
}

// maxPlaces is how many files name a candidate; a complaint of fewWords, "the same again", does not say of what.
const maxPlaces, fewWords = 3, 4

// wordsOf returns what says most of a candidate that nobody has named: what a person said of it, the test, what was asked or undone and the files.
func wordsOf(c brain.Candidate) string {
	quoted := func(words string) string { return "“" + heard.Quote(words) + "”" }
	t := triggers.Trigger(c.Trigger)
	switch {
	case t == triggers.RedGreen:
		if m := testLine().FindStringSubmatch(c.Proof); m != nil {
			return strings.TrimSpace(m[1])
		}
		return cmp.Or(c.Test, c.Title)
	case t == triggers.Complaint && len(c.Evidence) > 0: // Title is what was asked before
		if said := c.Evidence[0]; len(strings.Fields(said)) > fewWords && triggers.Tells(said) || strings.Contains(c.Title, said) {
			return quoted(said)
		}
		return quoted(c.Title)
	case t != triggers.RolledBack && t != triggers.MendedSoon && t != triggers.TurnedDown:
		return "“" + c.Title + "”"
	}
	what := ""
	if asked, is := strings.CutPrefix(c.Situation, "> "); is {
		asked, _, _ = strings.Cut(asked, "\n")
		what = quoted(asked)
	}
	if t != triggers.TurnedDown { // whose title is the commit's; one that was turned down has none
		what = cmp.Or(what, c.Title)
	}
	var names []string
	for _, f := range c.Files[:min(len(c.Files), maxPlaces)] {
		names = append(names, path.Base(f))
	}
	places := strings.Join(names, ", ")
	if what == "" || places == "" || strings.Contains(what, places) {
		return cmp.Or(what, places, c.Title)
	}
	return what + " (" + places + ")"
}

// testLine matches the line by which runners of JavaScript name a test that failed.
var testLine = lazyregexp.New(`(?m)^\s*[●✕✗×] +(.+)$`)
