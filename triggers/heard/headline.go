package heard

import (
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/terms"
)

const (
	// fewWords and mostWords are how many words say a mistake or a rule at a glance, mostRunes how many characters.
	fewWords, mostWords, mostRunes = 3, 14, 90
	minForbidden                   = 2                    // words of what must not be done that say something
	edges                          = " \t\r\n,.;:!~…-–—>" // are cut off
)

//go:embed says.txt
var saysPage string

var says = lazyregexp.Named(saysPage)

// What a sentence says, the least first: anything, what the agent did, what must not be done, and what is known to be a rule.
const (
	rankSays = 1 + iota
	rankBlames
	rankForbids
	rankRule
)

// Headline returns what a card of a person's words could be called: the first clause that says what must not be done, else the first sentence that
// says what the agent did, else how they begin. It is theirs, without what leads up to it, and ends with a clause where it is long.
func Headline(text string) (best string) {
	rank := -1
	for _, s := range own(text).sentences {
		parts := clauses(s.words)
		at, is := slices.IndexFunc(parts, prohibits), rankForbids
		switch {
		case at >= 0:
		case s.blames() && strings.HasPrefix(s.norm, "why"):
			at, is = 0, rankBlames
		case s.blames():
			at, is = max(0, slices.IndexFunc(parts, func(p string) bool { return says("blames").MatchString(say(p).norm) })), rankBlames
		default:
			at, is = 0, rankSays
		}
		told := around(parts, at, is)
		n := len(strings.Fields(told))
		if is == rankSays && n < fewWords {
			is--
		}
		if is > rank && n > 1 {
			best, rank = told, is
		}
	}
	return best
}

// Bare returns what a person says without what leads up to it.
func Bare(told string) string {
	told = says("lead").ReplaceAllString(strings.TrimRight(told, edges)+" ", "")
	told = says("told").ReplaceAllString(strings.TrimRight(told, edges), "never ")
	told = says("kept").ReplaceAllString(told, "$1$2$3$4")
	return strings.TrimSpace(strings.TrimLeft(told, strings.ReplaceAll(edges, ".", ""))) // the dot of a file's name
}

// Short returns as much of a text as can be read at a glance, ending with a clause.
func Short(text string) string {
	if glance(text) {
		return text
	}
	return around(clauses(text), 0, rankRule)
}

// Quote is Short for words of a person that are quoted: of what begins with a short clause, some of the next one.
func Quote(text string) string { return around(clauses(text), 0, rankSays) }

func glance(text string) bool {
	return len(strings.Fields(text)) <= mostWords && utf8.RuneCountInString(text) <= mostRunes
}

// around returns a clause with what belongs to it: those behind it, and before it where it says little. In Korean, what must not
// be done comes last, its reason before it.
func around(parts []string, at, rank int) string {
	told := func(from, to int) string { return Bare(strings.Join(parts[from:to], "")) }
	fits := func(from, to int) bool { return glance(told(from, to)) }
	from, to := at, at+1
	if rank < rankForbids && fits(0, len(parts)) {
		return told(0, len(parts))
	}
	last := rank == rankForbids && strings.ContainsFunc(parts[at], hangul)
	for to < len(parts) && fits(from, to+1) && (!last || to == at+1 && strings.HasSuffix(strings.TrimSpace(parts[at]), "말고")) {
		to++
	}
	for from > 0 && fits(from-1, to) && (len(strings.Fields(told(from, to))) <= fewWords || last && (says("reasoned").MatchString(parts[from-1]) || says("points").MatchString(told(from, to)))) {
		from--
	}
	out := told(from, to)
	if rank < rankForbids && 2*len(strings.Fields(out)) <= mostWords {
		out = told(from, len(parts))
	}
	if !glance(out) {
		out = says("assures").ReplaceAllString(out, "")
	}
	if glance(out) {
		return out
	}
	words := strings.Fields(out)
	for len(words) > 1 && (len(words) > mostWords || utf8.RuneCountInString(strings.Join(words, " ")) >= mostRunes) {
		words = words[:len(words)-1]
	}
	return strings.TrimRight(strings.Join(words, " "), edges) + "…"
}

// clauses cuts a sentence, so that all of it is there.
func clauses(sentence string) (parts []string) {
	from := 0
	for _, m := range says("clauseEnd").FindAllStringSubmatchIndex(sentence, -1) {
		at := m[1]
		if m[2] >= 0 {
			at = m[2]
		}
		quoted := strings.Count(sentence[:at], "`")%2+strings.Count(sentence[:at], `"`)%2 > 0
		if !quoted && len(strings.Fields(sentence[from:at])) > 0 {
			parts, from = append(parts, sentence[from:at]), at
		}
	}
	return append(parts, sentence[from:])
}

// prohibits reports whether a clause says what must not be done.
func prohibits(clause string) bool {
	m := says("forbids").FindStringSubmatch(say(clause).norm)
	return m != nil && len(slices.DeleteFunc(terms.Words(m[1]+m[2]), func(w terms.Term) bool { return w.Stop })) >= minForbidden
}

func hangul(r rune) bool { return r >= 0xAC00 && r <= 0xD7A3 }
