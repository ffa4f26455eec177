package heard

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
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
	phrases []rulePhrase
	deictic map[string]bool // words that point at the work at hand
}

type rulePhrase struct {
	pattern pattern
	kind    Kind
	alone   bool // it counts only where nothing else is asked for
}

// rulePages are Korean, which has English words mixed in, and English.
var rulePages = sync.OnceValue(func() []rulePage { return []rulePage{loadRules("ko"), loadRules("en")} })

// loadRules reads a page of rules. It has sections, each under its name in brackets, a pattern a line; "{list}" stands for a word list of [words].
func loadRules(lang string) rulePage {
	src, err := pages.ReadFile("rules." + lang + ".txt")
	if err != nil {
		panic(err) //nolint:forbidigo // cannot be: the files are embedded, and the tests load each of them
	}
	var fill []string
	text := map[string][]string{}
	section := ""
	for line := range strings.SplitSeq(string(src), "\n") {
		switch {
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && !strings.ContainsAny(line, "^(|"):
			section = strings.Trim(line, "[]")
		case line == "", strings.HasPrefix(line, "# "):
		case section == "words":
			name, words, _ := strings.Cut(line, " ")
			fill = append(fill, "{"+name+"}", "(?:"+words+")")
		default:
			text[section] = append(text[section], line)
		}
	}
	lists := strings.NewReplacer(fill...)
	expand := func(s string) string { return lists.Replace(lists.Replace(lists.Replace(s))) } // lists name lists that name lists
	p := rulePage{never: regexp.MustCompile(strings.Join(text["never"], "|")), deictic: map[string]bool{}}
	for _, s := range []struct {
		section string
		kind    Kind
		alone   bool
	}{{"constraint", Constraint, false}, {"preference", Preference, false}, {"constraintalone", Constraint, true}, {"preferencealone", Preference, true}} {
		for _, l := range text[s.section] {
			p.phrases = append(p.phrases, rulePhrase{kind: s.kind, alone: s.alone, pattern: compile(expand(l))})
		}
	}
	for _, l := range text["deictic"] {
		for w := range strings.FieldsSeq(l) {
			p.deictic[w] = true
		}
	}
	return p
}

// find returns what a sentence lays down; alone says that it does so only where nothing else is asked for.
func (p rulePage) find(s string) (kind Kind, alone, ok bool) {
	for _, r := range p.phrases {
		if !r.pattern.may(s) {
			continue
		}
		m := r.pattern.FindStringSubmatch(s)
		if m == nil || len(m) > 1 && p.deictic[m[1]] {
			continue
		}
		if p.never.MatchString(s) {
			return "", false, false
		}
		return r.kind, r.alone, true
	}
	return "", false, false
}

// rulesOf returns the standing rules that a message lays down, in its order, and what they are together: what forbids weighs more.
func rulesOf(m message) (kind Kind, rules []string) {
	if !sized(m) {
		return "", nil
	}
	busy := false
	var alone []bool
	var kinds []Kind
	for _, s := range m.sentences {
		norm := strings.TrimRight(s.said, ".!, ")
		one, ok := false, false
		var k Kind
		for _, p := range rulePages() {
			if k, one, ok = p.find(norm); ok {
				break
			}
		}
		if ok {
			rules, alone, kinds = append(rules, s.raw), append(alone, one), append(kinds, k)
		}
		busy = busy || !ok && len(strings.Fields(norm)) > maxFiller
	}
	kept := rules[:0]
	kind = Preference
	for i, r := range rules {
		if alone[i] && busy || len(kept) == maxRules {
			continue
		}
		if kept = append(kept, r); kinds[i] == Constraint {
			kind = Constraint
		}
	}
	if len(kept) == 0 {
		return "", nil
	}
	return kind, slices.Clip(kept)
}

// sized reports whether a message is long enough to say something and no longer than a page.
func sized(m message) bool {
	n := 0
	for _, s := range m.sentences {
		n += utf8.RuneCountInString(s.raw)
		for _, r := range s.raw {
			if r >= 0xAC00 && r <= 0xD7A3 {
				n += 2
			}
		}
	}
	return n >= minRule && n <= maxRule
}
