// Package heard judges what a person says to an agent: whether a message says that something fails again (a complaint), that what the agent said
// or did is not so (a correction), that a lesson be kept (a record), or how things are done from now on (a constraint, a preference).
//
// own.go finds the person's own words in a message, cues.go what stands in a sentence of them: the cues of two pages, cues.en.txt and cues.ko.txt.
// A linear model over these cues and a few facts of the conversation (weights.txt) says how likely each sentence is a complaint or a correction.
// What it finds likely is a hint. Plain is only what also holds a cue that hardly anybody means otherwise, outside of a question or a request.
// rules.go, record.go and, for the answer to a message, admits.go go by patterns alone. The package knows no event, no clock and no file.
package heard

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Kind is what a message may be.
type Kind string

// The kinds. The empty one is none of them.
const (
	Complaint  Kind = "complaint"  // it fails again
	Correction Kind = "correction" // what was said or done is not so
	Record     Kind = "record"     // a lesson is to be kept
	Preference Kind = "preference" // how the person wants things done from now on
	Constraint Kind = "constraint" // what is never to be done, or always must be
)

// Strength is how sure a judgement is.
type Strength string

// The strengths.
const (
	Plain Strength = "plain" // hardly anybody means anything else
	Hint  Strength = "hint"  // it may well be; something else must agree
)

// Judgement is the judgement of a message. The zero value is no signal.
type Judgement struct {
	Kind     Kind
	Strength Strength
	Evidence string   // the sentence that says it, as written and cut short
	Likely   bool     // a complaint or correction that is more likely than not
	Rules    []string // sentences that lay down a standing rule, as written
	Rule     Kind     // Constraint or Preference, where there are Rules
	Undo     bool     // it tells the agent to take back what it did; something must then be taken back
}

// Said is a message before the one that is judged.
type Said struct {
	Role string `json:"role"` // "user" or "assistant"
	Text string `json:"text"`
}

// Context is what is known of a message's conversation. The zero value means nothing is known.
type Context struct {
	First  bool // nothing was said before
	Later  bool // the person has asked for something before
	Edited bool // the answer before it changed files
	Asked  bool // the answer before it ended with a question
}

// ContextOf reads a conversation, oldest message first; edited are the files that the last answer changed.
func ContextOf(before []Said, edited []string) Context {
	c := Context{Edited: len(edited) > 0}
	for _, m := range before {
		switch m.Role {
		case "user":
			c.Later, c.Asked = true, false
		case "assistant":
			c.Asked = EndsAsking(m.Text)
		}
	}
	return c
}

// EndsAsking reports whether an answer ends with a question, or with the choices that belong to
// one, so that the message after it is a reply.
func EndsAsking(answer string) bool {
	lines := strings.Split(strings.TrimSpace(answer), "\n")
	last := len(lines) - 1
	for last > 0 && (says("listItem").MatchString(lines[last]) || strings.TrimSpace(lines[last]) == "") {
		last--
	}
	return says("question").MatchString(lines[last]) && (last == len(lines)-1 || says("choice").MatchString(lines[last]))
}

// Warm reads the pages of cues, so that the first message need not wait some 40 ms for it.
func Warm() { cues(); learned(); rulePages(); undoing() }

// facts returns the names of a context's facts, as the model uses them.
func (c Context) facts() []string {
	var out []string
	for _, f := range []struct {
		is   bool
		name string
	}{{c.First, "#first"}, {c.Later, "#later"}, {c.Edited, "#edited"}, {c.Asked, "#asked"}} {
		if f.is {
			out = append(out, f.name)
		}
	}
	return out
}

// maxEvidence is how much of a sentence is shown, in characters.
const maxEvidence = 160

// Judge judges a message. It takes the first of these that the message plainly is: a record, a complaint or a correction, a rule; then hints.
func Judge(text string, c Context) Judgement { return hear(text).judgement(learned(), c) }

func (m message) judgement(w *model, c Context) Judgement {
	j := Judgement{Undo: m.asksUndo()}
	heard := m.judge(w, c)
	rule, lasts, rules := rulesOf(m, heard.Strength == Plain || heard.Likely)
	if lasts == Plain {
		j.Rule, j.Rules = rule, rules
	}
	intent, kept := recordIn(m)
	switch {
	case intent == Asks:
		j.Kind, j.Strength, j.Evidence = Record, Plain, kept
	case heard.Strength == Plain, heard.Likely && len(j.Rules) > 0 && j.Rules[0] != heard.Evidence: // a rule, for what happened
		heard.Strength, heard.Rules, heard.Rule, heard.Undo = Plain, j.Rules, j.Rule, j.Undo
		j = heard
	case len(j.Rules) > 0:
		j.Kind, j.Strength, j.Evidence = j.Rule, Plain, j.Rules[0]
	case heard.Strength == Hint:
		heard.Undo = j.Undo
		j = heard
	case lasts == Hint:
		j.Kind, j.Strength, j.Evidence = rule, Hint, rules[0]
	case intent == May:
		j.Kind, j.Strength, j.Evidence = Record, Hint, kept
	}
	j.Evidence = clip(j.Evidence, maxEvidence)
	return j
}

// features returns what the model is asked about each sentence.
func (m message) features(c Context) [][]string {
	facts := c.facts()
	if m.pasted {
		facts = append(facts, "#pasted")
	}
	if m.items > 1 {
		facts = append(facts, "#items")
	}
	out := make([][]string, max(1, len(m.sentences)))
	if len(m.sentences) == 0 {
		out[0] = append(facts, "#empty")
		return out
	}
	for i, s := range m.sentences {
		out[i] = append(out[i], facts...)
		switch n := utf8.RuneCountInString(s.norm); {
		case n < shortSentence:
			out[i] = append(out[i], "#short")
		case n > longSentence:
			out[i] = append(out[i], "#long")
		}
		for _, f := range s.counted(c) {
			out[i] = append(out[i], f.name, f.kind)
			if i == 0 {
				out[i] = append(out[i], f.kind+"^")
			}
		}
	}
	return out
}

// The lengths, in characters, from which a sentence counts as short or long.
const shortSentence, longSentence = 40, 150

// judge weighs complaints and corrections, by the sentence that is most like one.
func (m message) judge(w *model, c Context) Judgement {
	var best Judgement
	lead := math.Inf(-1)
	for i, f := range m.features(c) {
		if len(m.sentences) == 0 {
			break // nothing was said
		}
		s := m.sentences[i]
		for k, kind := range w.kinds {
			z := w.score(k, f)
			strength := Strength("")
			switch {
			case z >= w.plain[k] && s.plainly(kind, c) && m.items < 2: // a list answers what was asked
				strength = Plain
			case z >= w.hint[k]:
				strength = Hint
			}
			if strength == "" || best.Strength == Plain && strength == Hint {
				continue
			}
			if z -= w.hint[k]; z > lead || best.Strength == Hint && strength == Plain {
				lead = z
				best = Judgement{Kind: kind, Strength: strength, Evidence: s.words, Likely: z+w.hint[k] >= 0}
			}
		}
	}
	return best
}

// clip returns at most n characters of s, marked where it was cut.
func clip(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:n-1])) + "…"
}

// AsksWhatWasLearned returns of how many days a message asks what was learned in them: today, or a week; 0 where
// it asks for something else.
func AsksWhatWasLearned(text string) int {
	if len(text) > maxClause {
		return 0
	}
	switch m := says("askLearned").FindStringSubmatch(text); {
	case m == nil:
		return 0
	case m[1] == "today" || m[2] == "오늘":
		return 1
	}
	return 7
}

// undoing are the ways to tell an agent to take back what it did: a verb that says so, with the
// agent's work, a file or a bare pronoun behind it, or "put it back". The verb alone says little:
// "add an undo button", "revert the status of an order".
var undoing = sync.OnceValue(func() pattern {
	return compile(says("undoing").String())
})

// asksUndo reports whether the person tells the agent to take back what it did.
func (m message) asksUndo() bool {
	for _, s := range m.sentences {
		at := undoing().find(seek(s.said))
		if at != nil && !says("notUndoing").MatchString(s.said) && !says("denied").MatchString(strings.TrimRight(s.said[:at[1]], " .!?,;")) {
			return true
		}
	}
	return false
}

// minBlame is how many words a sentence has that says what was done: "you didn't do it" does not.
const minBlame = 5

// blames reports whether a sentence is about what the agent did or must not do.
func (s sentence) blames() bool {
	asks := strings.HasSuffix(s.said, "?") && !strings.HasPrefix(s.norm, "why")
	return !asks && len(strings.Fields(s.norm)) >= minBlame && says("blames").MatchString(s.norm)
}

// Blames reports whether a correction is about what the agent did or must not do, and not about what the person had meant.
func Blames(text string) bool {
	return slices.ContainsFunc(own(text).sentences, func(s sentence) bool { return s.blames() || slices.ContainsFunc(clauses(s.words), prohibits) })
}

// NamesRules reports whether a text names a file that agents take their rules from.
func NamesRules(text string) bool { return says("ruleFile").MatchString(text) }
