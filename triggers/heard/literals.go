package heard

import (
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// pattern is a regular expression with texts one of which stands in everything it matches: they are far cheaper to look for, and most
// expressions, each some 25 KB, are never asked for.
type pattern struct {
	expr     lazyregexp.Regexp
	literals []string // none: it may match anywhere
}

func compile(expr string) pattern {
	p := pattern{expr: lazyregexp.New(expr)}
	if tree, err := syntax.Parse(expr, syntax.Perl); err == nil {
		p.literals = required(tree)
	}
	return p
}

// sought is a text in which many patterns are looked for. Its pairs of bytes tell at once of most literals that it has not got them.
type sought struct {
	text  string
	pairs [1 << 12 / 64]uint64
}

// pair returns where two bytes are noted. Some pairs share a place, but no two of small letters and spaces.
func pair(a, b byte) (word int, bit uint64) {
	n := int(a&63)<<6 | int(b&63)
	return n / 64, 1 << (n % 64)
}

func seek(text string) *sought {
	s := &sought{text: text}
	for i := 1; i < len(text); i++ {
		word, bit := pair(text[i-1], text[i])
		s.pairs[word] |= bit
	}
	return s
}

func (s *sought) holds(literal string) bool {
	for i := 1; i < len(literal); i++ {
		if word, bit := pair(literal[i-1], literal[i]); s.pairs[word]&bit == 0 {
			return false
		}
	}
	return strings.Contains(s.text, literal)
}

// may reports whether the pattern could match s.
func (p pattern) may(s *sought) bool {
	return len(p.literals) == 0 || slices.ContainsFunc(p.literals, s.holds)
}

// matches reports whether the pattern matches s.
func (p pattern) matches(s *sought) bool { return p.may(s) && p.expr().MatchString(s.text) }

// find returns what the pattern matches in s, by byte offsets, or nil.
func (p pattern) find(s *sought) []int {
	if !p.may(s) {
		return nil
	}
	return p.expr().FindStringIndex(s.text)
}

// maxLiterals bounds them: beyond it the expression itself is as fast.
const maxLiterals, maxProduct = 200, 24

// required returns texts one of which stands in everything that an expression matches, or nil where it knows none.
func required(re *syntax.Regexp) []string {
	if all := whole(re); shortest(all) > 0 {
		return all
	}
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpAlternate:
		return union(re.Sub, required)
	case syntax.OpConcat:
		var best []string
		take := func(texts []string) {
			if shortest(texts) > shortest(best) {
				best = texts
			}
		}
		run := []string{""} // what the parts before match, one behind the other
		for _, sub := range re.Sub {
			joined := product(run, whole(sub))
			if joined == nil {
				take(run)
				take(required(sub))
				joined = product([]string{""}, whole(sub))
			}
			run = joined
		}
		take(run)
		return best
	}
	return nil
}

// whole returns all texts that an expression matches, or nil where they are too many.
func whole(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		var out []string
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				out = append(out, string(r))
				if len(out) > maxLiterals {
					return nil
				}
			}
		}
		return out
	case syntax.OpCapture:
		return whole(re.Sub[0])
	case syntax.OpQuest:
		if all := whole(re.Sub[0]); all != nil {
			return append([]string{""}, all...)
		}
	case syntax.OpAlternate:
		return union(re.Sub, whole)
	case syntax.OpConcat:
		out := []string{""}
		for _, sub := range re.Sub {
			out = product(out, whole(sub))
		}
		return out
	}
	return nil
}

// union returns what any of several expressions matches, or nil where that is not known of one, or too much.
func union(list []*syntax.Regexp, of func(*syntax.Regexp) []string) (out []string) {
	for _, re := range list {
		one := of(re)
		if one == nil || len(out)+len(one) > maxLiterals {
			return nil
		}
		out = append(out, one...)
	}
	return out
}

// product returns each text of heads before each of tails, or nil where they are too many.
func product(heads, tails []string) (out []string) {
	if len(heads)*len(tails) > maxProduct {
		return nil
	}
	for _, head := range heads {
		for _, tail := range tails {
			out = append(out, head+tail)
		}
	}
	return out
}

// shortest returns the length of the shortest text, in bytes: the longer it is, the fewer sentences hold one of them.
func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}
