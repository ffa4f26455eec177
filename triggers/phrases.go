package triggers

import (
	"embed"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"handrail/lessons/lazyregexp"
)

// grammar is how one language says one thing, such as "it fails again". It is data: a file
// in the folder grammar, made of the word lists in words.en.txt and words.ko.txt.
//
// A sentence says the thing when one of its phrases matches and nothing takes it back.
type grammar struct {
	phrases  []phrase
	clause   *regexp.Regexp // what parts one clause from the next
	never    *regexp.Regexp // takes it back anywhere in the sentence
	before   *regexp.Regexp // … in the clause, up to the end of the phrase: "if it fails again"
	after    *regexp.Regexp // … right after the phrase, to the end of the clause: "실패하면"
	harmless *regexp.Regexp // … anywhere in the clause, for a bare mark
}

// phrase is one pattern. Every match of it holds one of its cues, short texts that are
// far cheaper to look for; without any cue it matches everywhere it may.
type phrase struct {
	cues    []string
	pattern *regexp.Regexp
	bare    bool // a mark such as "again", which says it unless the clause is harmless
}

//go:embed grammar/*.txt
var files embed.FS

// edges are what a phrase begins and ends at; Korean phrases say it themselves, since
// their words go on with particles.
var edges = map[string]string{"en": `\b`}

// load reads the grammar of a trigger in a language. Its file has sections, each under its
// name in brackets: further words, the clause mark, and patterns a line (phrases, marks,
// never, before, after, harmless). In a pattern {name} stands for the word list of that
// name; lines that begin with "# " are comments.
func load(trigger, lang string) grammar {
	text := sections(trigger + "." + lang)
	words := cutLists(sections("words." + lang)[""])
	for name, alternatives := range cutLists(text["words"]) {
		words[name] = alternatives
	}
	expand := filler(words)
	one := func(section string) *regexp.Regexp {
		return regexp.MustCompile(expand("(?:" + strings.Join(text[section], "|") + ")"))
	}
	g := grammar{
		clause: one("clause"), never: one("never"), before: one("before"),
		after: regexp.MustCompile("^" + one("after").String()), harmless: one("harmless"),
	}
	add := func(section string, bare bool) {
		for _, l := range text[section] {
			p := regexp.MustCompile(edges[lang] + expand("(?:"+l+")") + "(?:" + edges[lang] + "|$)")
			g.phrases = append(g.phrases, phrase{cues: cuesOf(p), pattern: p, bare: bare})
		}
	}
	add("phrases", false)
	add("marks", true)
	return g
}

// cutLists returns word lists by name.
func cutLists(lines []string) map[string]string {
	out := map[string]string{}
	for _, l := range lines {
		name, alternatives, _ := strings.Cut(l, " ")
		out[name] = alternatives
	}
	return out
}

// filler puts word lists in for their names. A list may name other lists, one level deep.
func filler(words map[string]string) func(pattern string) string {
	var fill []string
	for name, alternatives := range words {
		fill = append(fill, "{"+name+"}", "(?:"+alternatives+")")
	}
	r := strings.NewReplacer(fill...)
	return func(pattern string) string { return r.Replace(r.Replace(pattern)) }
}

var sectionHead = lazyregexp.New(`^\[([a-z]+)\]$`)

// sections returns the lines of a grammar file by section, comments and empty ones left
// out; those above the first section are under "".
func sections(name string) map[string][]string {
	data, err := files.ReadFile("grammar/" + name + ".txt")
	if err != nil {
		panic(err) //nolint:forbidigo // cannot be: the files are embedded, and the tests load each of them
	}
	out := map[string][]string{}
	section := ""
	for l := range strings.SplitSeq(string(data), "\n") {
		switch head := sectionHead.FindStringSubmatch(l); {
		case head != nil:
			section = head[1]
		case l != "" && !strings.HasPrefix(l, "# "):
			out[section] = append(out[section], l)
		}
	}
	return out
}

// find returns the words of the first sentence that says it, as written.
func (g grammar) find(text []said) (evidence string, ok bool) {
	for _, s := range text {
		if start, end, ok := g.match(s.norm); ok {
			return s.words(start, end), true
		}
	}
	return "", false
}

func (g grammar) match(s string) (start, end int, ok bool) {
	checked := false
	for _, p := range g.phrases {
		if !p.cued(s) {
			continue
		}
		for _, m := range p.pattern.FindAllStringIndex(s, -1) {
			if !checked {
				if g.never.MatchString(s) {
					return 0, 0, false
				}
				checked = true
			}
			start, end := g.clauseStart(s[:m[0]]), len(s)
			for start < m[0] && s[start] == ' ' {
				start++
			}
			if next := g.clause.FindStringIndex(s[m[1]:]); next != nil {
				end = m[1] + next[1]
			}
			if g.before.MatchString(s[start:m[1]]) || g.after.MatchString(s[m[1]:end]) || p.bare && g.harmless.MatchString(s[start:end]) {
				continue
			}
			return m[0], m[1], true
		}
	}
	return 0, 0, false
}

func (p phrase) cued(s string) bool {
	if len(p.cues) == 0 {
		return true
	}
	for _, c := range p.cues {
		if strings.Contains(s, c) {
			return true
		}
	}
	return false
}

// clauseStart returns where the last clause of s begins.
func (g grammar) clauseStart(s string) int {
	all := g.clause.FindAllStringIndex(s, -1)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1][1]
}

// cuesOf returns texts one of which stands in everything the pattern matches, as few and
// long ones as it can find, or nil.
func cuesOf(p *regexp.Regexp) []string { return cuesIn(p.String()) }

func cuesIn(pattern string) []string {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil // then it does not compile either
	}
	return required(tree)
}

func required(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		var out []string
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i+1]-re.Rune[i] > 3 || len(out) > maxClass {
				return nil
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				out = append(out, string(r))
			}
		}
		return out
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			one := required(sub)
			if one == nil {
				return nil
			}
			out = append(out, one...)
		}
		return out
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if one := required(sub); one != nil && (best == nil || rarer(one, best)) {
				best = one
			}
		}
		return best
	}
	return nil
}

// maxClass is how many characters a class may hold and still be looked for one by one.
const maxClass = 12

// rarer reports whether cues a are likely to stand in fewer texts than b: what counts is
// the shortest of them, then how many they are.
func rarer(a, b []string) bool {
	x, y := min(shortest(a), 3), min(shortest(b), 3)
	return x > y || x == y && len(a) < len(b)
}

// shortest returns the length of the shortest cue, in letters; a Hangul syllable counts
// as two.
func shortest(cues []string) int {
	n := 1 << 10
	for _, c := range cues {
		n = min(n, (len(c)+utf8.RuneCountInString(c))/2)
	}
	return n
}
