package heard

import (
	"regexp"
	"regexp/syntax"
	"slices"
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
	return len(p.literals) == 0 || slices.ContainsFunc(p.literals, func(l string) bool { return strings.Contains(s, l) })
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
			if one := required(sub); one != nil && (best == nil || shortest(one) > shortest(best)) {
				best = one
			}
		}
		return best
	}
	return nil
}

// shortest returns the length of the shortest text, in bytes: the longer it is, the fewer sentences hold one of them.
func shortest(texts []string) int {
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}
