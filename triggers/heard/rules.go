package heard

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons/terms"
)

// A standing rule says how things are to be done from now on: a constraint forbids or demands something, a preference chooses. What the one task at
// hand requires ("the function must return null", "don't touch this file yet") is none, and neither is what a program always does or somebody else once
// said. In doubt there is none. The patterns are in rules.en.txt and rules.ko.txt.

const (
	// minRule and maxRule bound a message that is looked at for rules, in characters. A Hangul syllable counts as three, the letters it is written
	// with at most: "main에 커밋하지 마" says in 12 what "never commit to main" says in 20.
	minRule = 20
	maxRule = 2000
	// maxRules bounds the rules of one message.
	maxRules = 5
	// maxFiller is how many words a sentence may have beside a rule that only counts alone: "thanks, looks good".
	maxFiller = 3
)

// rulePage is how one language lays rules down.
type rulePage struct {
	never   *regexp.Regexp // takes it back anywhere in the sentence
	saying  *regexp.Regexp // what the agent is to say and when, in which never says nothing
	phrases []rulePhrase
	deictic map[string]bool // words that point at the work at hand
}

type rulePhrase struct {
	pattern pattern
	kind    Kind
	alone   bool // it counts only where nothing else is asked for
	demand  bool // nothing says that it lasts
}

// rulePages are Korean, which has English words mixed in, and English.
var rulePages = sync.OnceValue(func() []rulePage { return []rulePage{loadRules("ko"), loadRules("en")} })

// loadRules reads a page of rules, a pattern a line.
func loadRules(lang string) rulePage {
	text := map[string][]string{}
	for section, line := range lines("rules." + lang + ".txt") {
		text[section] = append(text[section], line)
	}
	either := func(section string) *regexp.Regexp { return regexp.MustCompile(strings.Join(text[section], "|")) }
	p := rulePage{never: either("never"), saying: either("saying"), deictic: terms.Set(strings.Join(text["deictic"], " "))}
	for _, section := range []string{"constraint", "preference", "constraintalone", "preferencealone", "constraintdemand"} {
		kind, alone := strings.CutSuffix(section, "alone")
		kind, demand := strings.CutSuffix(kind, "demand")
		for _, l := range text[section] {
			p.phrases = append(p.phrases, rulePhrase{compile(l), Kind(kind), alone || demand, demand})
		}
	}
	return p
}

// find returns how a sentence lays down a rule.
func (p rulePage) find(s *sought) (r rulePhrase, ok bool) {
	for _, r := range p.phrases {
		if !r.pattern.may(s) {
			continue
		}
		if m := r.pattern.expr().FindStringSubmatch(s.text); m == nil || len(m) > 1 && p.deictic[m[1]] {
			continue
		}
		return r, !p.never.MatchString(p.saying.ReplaceAllString(s.text, ""))
	}
	return rulePhrase{}, false
}

// rule returns how a sentence lays down a rule.
func (s sentence) rule() (rulePhrase, bool) {
	text := seek(strings.TrimRight(s.said, ".!, "))
	for _, p := range rulePages() {
		if r, ok := p.find(text); ok {
			return r, true
		}
	}
	return rulePhrase{}, false
}

// rulesOf returns the standing rules that a message lays down, in its order, and what they are
// together: what forbids weighs more. A demand that nothing says to last ("must validate input")
// is one only where nothing else is said, and then a hint. Who complains may lay one down in a clause:
// "why px again, we only use rem".
func rulesOf(m message, complains bool) (kind Kind, strength Strength, rules []string) {
	size := 0 // of what is said: see minRule
	for _, s := range m.sentences {
		size += utf8.RuneCountInString(s.raw)
		for _, r := range s.raw {
			if hangul(r) {
				size += 2
			}
		}
	}
	if size > maxRule {
		return "", "", nil
	}
	busy := false // something else is asked for
	var found []rulePhrase
	var raw, demands []string
	for _, s := range m.sentences {
		r, ok := s.rule()
		var parts []string
		if complains && !ok {
			parts = clauses(s.words)
		}
		for i := 1; !ok && i < len(parts); i++ {
			s.words = strings.Join(parts[i:], "")
			r, ok = say(s.words).rule()
			ok = ok && !r.alone
		}
		switch {
		case !ok:
			busy = busy || len(strings.Fields(s.said)) > maxFiller
		case r.demand:
			demands = append(demands, s.words)
		case size >= minRule:
			found, raw = append(found, r), append(raw, s.words)
		}
	}
	if len(found) == 0 && !busy && len(demands) > 0 {
		return Constraint, Hint, demands[:1]
	}
	kind = Preference
	for i, r := range found {
		if r.alone && (busy || len(demands) > 0) || len(rules) == maxRules {
			continue
		}
		rules = append(rules, raw[i])
		if r.kind == Constraint {
			kind = Constraint
		}
	}
	if len(rules) == 0 {
		return "", "", nil
	}
	return kind, Plain, rules
}
