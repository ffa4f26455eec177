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

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/terms"
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

var (
	// question matches the end of a paragraph that asks: a question, and a sentence on it at most.
	question = lazyregexp.New(`(?:[?？]|(?:까|나|시겠어|실래)요\.?)[\s"'”*_\x60)\]]*` +
		`(?:\s[^?.!]{1,100}[.!:]?)?[\s*_\x60)]*$`)
	// choice matches a question that a list answers, if the person does: "What changed?" answers itself.
	choice = lazyregexp.New(`(?i)\b(?:you|i|we|which|should|shall|prefer)\b|까요|시겠|실래|어느|원하`)
)

// EndsAsking reports whether an answer ends with a question, or with the choices that belong to
// one, so that the message after it is a reply.
func EndsAsking(answer string) bool {
	lines := strings.Split(strings.TrimSpace(answer), "\n")
	last := len(lines) - 1
	for last > 0 && (listItem().MatchString(lines[last]) || strings.TrimSpace(lines[last]) == "") {
		last--
	}
	return question().MatchString(lines[last]) && (last == len(lines)-1 || choice().MatchString(lines[last]))
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
	rule, lasts, rules := rulesOf(m)
	if lasts == Plain {
		j.Rule, j.Rules = rule, rules
	}
	intent, kept := recordIn(m)
	switch heard := m.judge(w, c); {
	case intent == Asks:
		j.Kind, j.Strength, j.Evidence = Record, Plain, kept
	case heard.Strength == Plain:
		heard.Rules, heard.Rule, heard.Undo = j.Rules, j.Rule, j.Undo
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

// askLearned matches a question for what was learned, with the time that it asks about.
var askLearned = lazyregexp.New(`(?i)^\W*(?:\w+\W+){0,3}?(?:what|which)\b[^.?!\n]{0,40}\b(?:learn(?:ed|t)?|lessons?)\b[^.?!\n]{0,30}\b(today|this week)\b` +
	`|^[^.?!\n]{0,10}(오늘|이번 ?주)[^.?!\n]{0,12}(?:뭘?|무엇을|무슨|어떤|뭐를?)[^.?!\n]{0,12}(?:배웠|배운|교훈)`)

// AsksWhatWasLearned returns of how many days a message asks what was learned in them: today, or a week; 0 where
// it asks for something else.
func AsksWhatWasLearned(text string) int {
	if len(text) > maxClause {
		return 0
	}
	switch m := askLearned().FindStringSubmatch(text); {
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
	return compile(strings.Join([]string{
		`(?:^|[,;] )(?:(?:no|ok(?:ay)?|oh|hm+|wait|please|just|now|then|and|so|lets|can you|could you)[ ,.!]*)*(?:undo|revert|roll ?back|back out)(?:[ ,.!]|please|now|again)*$`,
		`\b(?:undo|revert|roll ?back|back out|reverse|discard|scrap|throw (?:out|away)|restore)(?: (?:all|both|of))* (?:that|this|it|them|these|those|everything|all)(?:$| ?[.!?,]| (?:again|please|and|for now|now|to|completely|entirely|back|as)\b)`,
		`\b(?:undo|revert|roll ?back|restore|discard) (?:the )?(?:file|\S*\w\.[a-z]{1,5})(?:$| ?[.!?,]| (?:again|please|and|now|to|back|as)\b)`, // a path is read as "file"
		`\b(?:undo|revert|roll ?back|back out|reverse|discard|scrap|drop|remove|delete|get rid of|throw (?:out|away)|take (?:back|out)) (?:\S+ ){0,3}(?:(?:what|whatever|that|everything|all|code|parts?|lines?|stuff|things?) you\b|your\b|(?:last|latest|previous|recent|these|those|this|that|the|all|any) (?:\S+ ){0,2}(?:changes?|edits?|modifications?|commits?)\b|changes? you\b)`,
		`\b(?:take|put|change|turn|set|bring|roll|pull|switch) (?:that|this|it|them|those|these|everything|your \w+|the (?:changes?|edits?|old \w+)) (?:all )?(?:back|out)(?: out)?(?:$| ?[.!?,]| (?:again|please|and|now|to|as|how|where|like)\b)`,
		`\bback to (?:how|what|the way|where) (?:it|that|this|they|things?|we)\b|\b(?:how|as|the way|like) (?:it|they|that|things) (?:was|were)(?: before)?(?:$| ?[.!?,])|\b(?:go|change|get|restore|put) (?:\S+ ){0,3}(?:back )?to (?:the|its) (?:original|previous|old|prior|former)\b`,
		`되돌[려리]|원래 ?(?:대로|상태|모습|코드)|원상 ?복구|원복|(?:롤백|리버트|복구) ?(?:해|하[고자세]|시켜|부탁|$)|돌려 ?놓|돌려 ?놔|(?:이전|전|처음|예전)(?:으로|대로| ?(?:상태|버전|코드)(?:로|대로)) ?(?:다시 )?(?:돌|복구|바꿔|해)|없던 ?(?:일|걸)로`,
		`(?:방금|아까|네가|니가|너가|마지막|수정|변경|작업|고친|바꾼|추가한|넣은|만든|그거|그것|이거|저거|다시|도로)\S*(?: \S+){0,4}? ?(?:취소 ?(?:해|하|시|$)|빼 ?(?:줘|라|주|봐|$)|지워 ?(?:줘|라|주|$)|없애 ?(?:줘|라|주|$)|걷어내)`,
	}, "|"))
})

// denied matches what goes before an undoing, and it, where its own clause says not to.
var denied = lazyregexp.New(`\b(?:dont|do not|never|shouldnt|cannot|cant)\b[^,;]*$`)

// notUndoing matches a sentence about undoing that asks for none: a condition, a question, what
// the person did, a feature.
var notUndoing = lazyregexp.New(`\b(?:if|unless|without|why|did you|have you|i (?:just |already |have |had )?(?:undo|undid|reverted|revert|rolled)|(?:i|we) (?:can|could|used)|using|used|only when|button|feature|shortcut|users?)\b|버튼|기능|(?:리|하|우|빼|애)지 ?(?:마|말|않)|왜 |[했됐]나|면 `)

// asksUndo reports whether the person tells the agent to take back what it did.
func (m message) asksUndo() bool {
	for _, s := range m.sentences {
		at := undoing().find(seek(s.said))
		if at != nil && !notUndoing().MatchString(s.said) && !denied().MatchString(strings.TrimRight(s.said[:at[1]], " .!?,;")) {
			return true
		}
	}
	return false
}

// blames matches a sentence that says what the agent did, was asked for, or must not do. "You" who may, need or could do something
// is only asked for more, and "I don't think so" or "the items do not wrap" is about something else.
var blames = lazyregexp.New(`\byou(?:re|ve)? (?:(?:just|also|still|again|only|have|are|were|did|do|seem to be) )*(?:not|didnt|dont|arent|\w*[^e\W]ed|\w+ing|` +
	`made|broke|wrote|put|ran|left|took|got|forgot|lost|went)\b|(?:\b|_)i (?:only |just )?(?:asked|told|wanted) you (?:not |just |only )*to\b|` +
	`(?:^|[,;:] |\b(?:and|or|so|please|also|but|just|then|now|instead|we) )(?:dont|do not)\b|^why (?:did|are|do|have|were)nt_you\b|\b(?:never|no need|must|should not|shouldnt|stop|without)\b|` +
	`지 ?[마말]|말라고?|[네니너]가 |왜 .*(?:했|바꿨|바꾸|지웠|지우|넣)`)

// forbids matches a sentence that begins with what must not be done, and what that is.
var forbids = lazyregexp.New(`^(?:(?:no|ok|please|so|and|also|just),? )*(?:dont|do not|never|stop) (.+)`)

// minBlame is how many words a sentence has that says what was done: "you didn't do it" does not; minForbidden is how many of
// what must not be done say something.
const minBlame, minForbidden = 5, 2

// Blames reports whether a correction is about what the agent did or must not do, and not about what the person had meant.
func Blames(text string) bool {
	for _, s := range own(text).sentences {
		asks := strings.HasSuffix(s.said, "?") && !strings.HasPrefix(s.norm, "why")
		if !asks && len(strings.Fields(s.norm)) >= minBlame && blames().MatchString(s.norm) {
			return true
		}
	}
	return Forbidden(text) != ""
}

// Forbidden returns the first sentence of a text that begins with what must not be done, as written; "" for none.
func Forbidden(text string) string {
	for _, s := range own(text).sentences {
		if m := forbids().FindStringSubmatch(s.norm); m != nil &&
			len(slices.DeleteFunc(terms.Words(m[1]), func(w terms.Term) bool { return w.Stop })) >= minForbidden {
			return s.words
		}
	}
	return ""
}

// NamesRules reports whether a text names a file that agents take their rules from.
func NamesRules(text string) bool { return ruleFile().MatchString(text) }
