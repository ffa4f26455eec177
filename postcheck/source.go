package postcheck

import (
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/postcheck/check"
)

// source is the lines of a file.
type source []string

// source returns the file of an edit; of a chat's, what was added is all there is.
func (t Turn) source(e check.Edit) (s source) {
	if t.Text != nil {
		if text := t.Text(e.File); text != "" {
			return strings.Split(text, "\n")
		}
	}
	for _, a := range e.Added {
		s = append(s, a.Text)
	}
	return s
}

func (s source) indent(i int) int { return len(s[i]) - len(strings.TrimLeft(s[i], " \t")) }

// begins reports whether a block of some depth begins at a line: an empty line, a bracket that closes and one on a line of its own begin none.
func (s source) begins(i, depth int) bool {
	first := strings.TrimLeft(s[i], " \t\r")
	return strings.TrimSpace(first) != "{" && first != "" && s.indent(i) <= depth && !strings.ContainsAny(first[:1], ")}]") && !strings.HasPrefix(first, "end")
}

// marks reports whether a line only decorates what follows.
func (s source) marks(i int) bool {
	return i >= 0 && i < len(s)-1 && asks("decorates").MatchString(s[i])
}

// block returns the lines of the block that begins at one, with what decorates it.
func (s source) block(head int) []check.Line {
	for ; s.marks(head); head++ {
	}
	n, end := head, head+1
	for ; s.marks(n - 1); n-- {
	}
	for ; end < len(s) && !s.begins(end, s.indent(head)); end++ {
	}
	return s.lines(n, end)
}

// document returns the lines of the YAML document that holds a line.
func (s source) document(i int) []check.Line {
	for ; i > 0 && !strings.HasPrefix(s[i-1], "---"); i-- {
	}
	end := i
	for ; end < len(s) && !strings.HasPrefix(s[end], "---"); end++ {
	}
	return s.lines(i, end)
}

// lines returns some lines, counted from 0, without the one at end.
func (s source) lines(i, end int) (out []check.Line) {
	for ; i < end; i++ {
		out = append(out, check.Line{Text: s[i], N: i + 1})
	}
	return out
}

// unit returns where the function that holds a line begins, or what was added with the line and is whole in itself.
func (s source) unit(i int, added map[int]bool) int {
	head, own, depth := i, false, s.indent(i)+1
	for n := i; n >= 0; n-- {
		if s.begins(n, depth-1) {
			depth = s.indent(n)
			whole := added[n] && asks("heads").MatchString(s[n]) && !asks("controls").MatchString(s[n])
			if whole || !own && !asks("holds-more").MatchString(s[n]) {
				head, own = n, whole
			}
		}
	}
	return head
}

// places returns where the added lines of an edit stand: those that still do and are not empty.
func (s source) places(e check.Edit) (at []int, added map[int]bool) {
	added = map[int]bool{}
	next := 0
	run := func(i, k int) (n int) { // how many lines from the one on stand there, eight at most
		for ; n < 8 && k+n < len(e.Added) && i+n < len(s) && strings.TrimSpace(s[i+n]) == strings.TrimSpace(e.Added[k+n].Text); n++ {
		}
		return n
	}
	for k, a := range e.Added {
		i := a.N - 1
		if i < 0 || i >= len(s) || run(i, k) == 0 {
			i = next // behind the one before
			if next == 0 || run(next, k) == 0 {
				i = -1
				for j, most := 0, 0; j < len(s); j++ { // else where most of those after it do
					if n := run(j, k); n > most || n > 0 && n == most && i < next {
						i, most = j, n
					}
				}
			}
		}
		next = i + 1
		if i >= 0 && !added[i] && strings.TrimSpace(a.Text) != "" {
			at, added[i] = append(at, i), true
		}
	}
	return at, added
}

// unitOf returns the function that an added line stands in.
func (t Turn) unitOf(e check.Edit, line check.Line) []check.Line {
	s := t.source(e)
	at, _ := s.places(check.Edit{File: e.File, Added: []check.Line{line}})
	if len(at) == 0 {
		return nil
	}
	_, added := s.places(e)
	return s.block(s.unit(at[0], added))
}

// around returns the lines of the functions that an edit's lines stand in, and what stands in none, as a wrapper of
// them, but for imports and the heads of other functions.
func (t Turn) around(e check.Edit) (out []check.Line) {
	s := t.source(e)
	at, added := s.places(e)
	for _, i := range at {
		if !slices.ContainsFunc(out, func(l check.Line) bool { return l.N == i+1 }) {
			out = append(out, s.block(s.unit(i, added))...)
		}
	}
	own := out
	for n, line := range s {
		name := asks("gives-name").FindStringSubmatch(line) // of which only what uses it has anything
		uses := func(l check.Line) bool { return name == nil || strings.Contains(l.Text, name[1]) }
		if s.begins(n, 0) && !asks("imports").MatchString(line) && !asks("of-another").MatchString(line) && !asks("is-endpoint").MatchString(line) && slices.ContainsFunc(own, uses) {
			out = append(out, check.Line{Text: line, N: n + 1})
		}
	}
	return out
}
