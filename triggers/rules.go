package triggers

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"handrail/lessons"
	"handrail/lessons/lazyregexp"
)

// A standing rule says how things are to be done from now on: a constraint forbids or
// demands something, a preference chooses. What the one task at hand requires ("the function
// must return null", "don't touch this file yet") is none, and neither is what a program
// always does or somebody else once said. In doubt there is none.

const (
	// minRule and maxRule bound a message that is looked at for rules and friction, in characters. A Hangul
	// syllable counts as three, the letters it is written with at most: "main에 커밋하지 마"
	// says in 12 what "never commit to main" says in 20.
	minRule = 20
	maxRule = 2000
	// maxRules bounds the rules of one message, maxRuleText each of them.
	maxRules    = 5
	maxRuleText = 300
	// maxFiller is how many words a sentence may have beside a rule that only counts alone:
	// "thanks, looks good".
	maxFiller = 3
)

// rule is a sentence that lays one down.
type rule struct {
	trigger  Trigger // Preference or Constraint
	sentence string  // as written
	alone    bool    // it counts only where nothing else is asked for
}

// ruleGrammar is how one language lays rules down.
type ruleGrammar struct {
	never   *regexp.Regexp // takes it back anywhere in the sentence
	phrases []rulePhrase
	deictic map[string]bool
}

type rulePhrase struct {
	phrase  // without its pattern, which is long and rarely needed
	pattern func() *regexp.Regexp
	trigger Trigger
}

// ruleGrammars are Korean, which has English words mixed in, and English.
var ruleGrammars = sync.OnceValue(func() []ruleGrammar { return []ruleGrammar{loadRules("ko"), loadRules("en")} })

func loadRules(lang string) ruleGrammar {
	text := sections("rule." + lang)
	expand := filler(cutLists(text["words"]))
	g := ruleGrammar{never: regexp.MustCompile(strings.Join(text["never"], "|")), deictic: map[string]bool{}}
	for _, s := range []struct {
		section string
		trigger Trigger
		alone   bool
	}{
		{"constraint", Constraint, false},
		{"preference", Preference, false},
		{"constraintalone", Constraint, true},
		{"preferencealone", Preference, true},
	} {
		for _, l := range text[s.section] {
			cues := cuesIn(expand(expand(strings.ReplaceAll(l, "{lead}", "")))) // what leads in may be absent
			g.phrases = append(g.phrases, rulePhrase{
				phrase: phrase{cues: cues, bare: s.alone}, trigger: s.trigger,
				pattern: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expand(expand(l))) }), // lists name lists that name lists
			})
		}
	}
	for _, l := range text["deictic"] {
		for w := range strings.FieldsSeq(l) {
			g.deictic[w] = true
		}
	}
	return g
}

// find returns what a sentence lays down; alone says that it does so only where nothing else
// is asked for.
func (g ruleGrammar) find(s string) (t Trigger, alone, ok bool) {
	for _, p := range g.phrases {
		if !p.cued(s) {
			continue
		}
		m := p.pattern().FindStringSubmatch(s)
		if m == nil || len(m) > 1 && g.deictic[m[1]] {
			continue
		}
		if g.never.MatchString(s) {
			return "", false, false
		}
		return p.trigger, p.bare, true
	}
	return "", false, false
}

var bullet = lazyregexp.New(`^(?:[-•>]|\d{1,2}[.)])\s+`)

// rulesOf returns the standing rules that a message lays down, in its order.
func rulesOf(text []said) []rule {
	var out []rule
	busy := false
	for _, s := range text {
		norm := strings.TrimRight(bullet.ReplaceAllString(s.norm, ""), ".!, ")
		found := false
		for _, g := range ruleGrammars() {
			t, alone, ok := g.find(norm)
			if !ok {
				continue
			}
			found = true
			out = append(out, rule{trigger: t, sentence: strings.TrimSpace(bullet.ReplaceAllString(s.raw, "")), alone: alone})
			break
		}
		busy = busy || !found && len(strings.Fields(norm)) > maxFiller
	}
	if busy {
		out = slices.DeleteFunc(out, func(r rule) bool { return r.alone })
	}
	return out[:min(len(out), maxRules)]
}

// ruleTrigger returns what the message is that lays these down: what forbids weighs more.
func ruleTrigger(rules []rule) Trigger {
	if slices.ContainsFunc(rules, func(r rule) bool { return r.trigger == Constraint }) {
		return Constraint
	}
	return Preference
}

// ruled describes a message that lays rules down. What was done before has no part in it.
func ruled(e Message, j judgement) Candidate {
	return Candidate{
		Trigger: j.trigger, Kind: kindOf(j.trigger), Rules: sentencesIn(j.rules), Files: e.Files,
		Title: strings.Trim(firstLine(j.rules[0].sentence), edgeMarks), Evidence: sentencesIn(j.rules),
		Situation: quoteOf(clipRunes(strings.TrimSpace(e.Text), maxQuote)),
	}
}

// kindOf returns the kind of card that a rule makes.
func kindOf(t Trigger) lessons.Kind {
	if t == Constraint {
		return lessons.Policy
	}
	return lessons.Preference
}

func sentencesIn(rules []rule) []string {
	var out []string
	for _, r := range rules {
		out = append(out, r.sentence)
	}
	return out
}

// sized reports whether a message is long enough to say something and no longer than a page.
func sized(text string) bool {
	n := utf8.RuneCountInString(strings.TrimSpace(text))
	if n > maxRule {
		return false
	}
	for _, r := range text {
		if isSyllable(r) {
			n += 2
		}
	}
	return n >= minRule
}
