package heard

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// pattern is a regular expression with texts one of which stands in everything it matches: they are far cheaper to look for.
type pattern struct {
	*regexp.Regexp
	literals []string // none: it may match anywhere
}

func compile(expr string) pattern {
	p := pattern{Regexp: regexp.MustCompile(expr)}
	if tree, err := syntax.Parse(expr, syntax.Perl); err == nil {
		p.literals = required(tree)
	}
	return p
}

// may reports whether the pattern could match s.
func (p pattern) may(s string) bool {
	for _, l := range p.literals {
		if strings.Contains(s, l) {
			return true
		}
	}
	return len(p.literals) == 0
}

// maxLiterals bounds them: beyond it the expression itself is as fast.
const maxLiterals = 200

// required returns texts one of which stands in everything that an expression matches, or nil where it knows none.
func required(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
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
			if one == nil || len(out)+len(one) > maxLiterals {
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

// rarer reports whether texts a are likely to stand in fewer sentences than b: what counts is the shortest of them, then how many they are.
func rarer(a, b []string) bool {
	x, y := min(shortest(a), 4), min(shortest(b), 4)
	return x > y || x == y && len(a) < len(b)
}

// shortest returns the length of the shortest text, in bytes.
func shortest(texts []string) int {
	n := len(texts[0])
	for _, t := range texts {
		n = min(n, len(t))
	}
	return n
}
