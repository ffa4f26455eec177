package postcheck

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/postcheck/check"
)

// thing is an added line that an item is of.
type thing struct {
	file   string
	closed bool            // nothing that stands elsewhere is of it
	lines  [2][]check.Line // its statement, and its unit without what begins that
}

// things returns the added lines of code that hold a name that an item is of, or begin something of its kind, as an endpoint or a test. What is said of it
// stands in the line, too, or in the file's name.
func (t Turn) things(of []literal, whose []unit, tests bool) (out []thing) {
	for _, e := range t.Edits {
		if len(of) == 0 || !isCode(e.File) || !tests && isTest(e.File) {
			continue
		}
		s := t.source(e)
		at, added := s.places(e)
		for _, i := range at {
			line, is := s[i], func(l literal) bool { return l.re.MatchString(s[i]) }
			if len(out) == maxThings || !slices.ContainsFunc(of, is) || asks("comment-line").MatchString(line) || asks("imports").MatchString(line) && line[0] != '#' {
				continue
			}
			for s.marks(i) {
				i++
			}
			says, head, own, closed := line+" "+e.File, s.unit(i, added), s.block(i), strings.HasPrefix(strings.TrimSpace(line), "- ")
			if strings.HasPrefix(line, "kind:") {
				own, closed = s.document(i), true
			}
			for _, l := range own {
				says += " " + l.Text
			}
			if readText(says).all(whose) {
				begins := func(l check.Line) bool { return l.N == head+1 && head != i && added[head] }
				out = append(out, thing{e.File, closed, [2][]check.Line{own, slices.DeleteFunc(s.block(head), begins)}})
			}
		}
	}
	return out
}

// begins returns what finds a line that begins something of a kind: one of those that asks.txt knows, or what code, a resource or a
// manifest calls by its name.
func begins(kind, word string) *regexp.Regexp {
	named := strings.ReplaceAll(asks("is-any").String(), "KIND", regexp.QuoteMeta(strings.TrimSuffix(word, "s")))
	if asks("kinds").MatchString(kind) {
		named += "|" + asks("is-"+kind).String()
	}
	return regexp.MustCompile(named)
}

// split returns where things hold a name, and how many do not: in their statement or, where none does so, in their unit.
func split(things []thing, re *regexp.Regexp) (with []Place, without int) {
	for wide := 0; wide < 2 && len(with) == 0; wide++ {
		for _, th := range things {
			shows := func(l check.Line) bool { return re.MatchString(l.Text) && !asks("comment-line").MatchString(l.Text) }
			if i := slices.IndexFunc(th.lines[wide], shows); i >= 0 && (wide == 0 || !th.closed) {
				with = append(with, Place{File: th.file, Line: th.lines[wide][i]})
			}
		}
	}
	return with, len(things) - len(with)
}

// halved reports whether a turn added two things that begin alike of which one lacks what is wanted, and surely where they are calls,
// resources, classes or whole scripts: of two functions only one may be of it.
func (t Turn) halved(l literal) (so, surely bool) {
	seen := map[bool]map[string]bool{true: {}, false: {}} // by whether it has what is wanted, the names of things
	for _, e := range t.Edits {
		if !isCode(e.File) || !l.tests && isTest(e.File) {
			continue
		}
		s := t.source(e)
		at, added := s.places(e)
		shows := func(x check.Line) bool { return l.re.MatchString(x.Text) && !asks("comment-line").MatchString(x.Text) }
		for _, i := range at {
			name, block, head := asks("between").ReplaceAllString(asks("thing").FindString(s[i]), "."), s.block(i), s.unit(i, added)
			if l.re.MatchString(name) || asks("comment-line").MatchString(s[i]) || asks("imports").MatchString(s[i]) {
				continue
			}
			call := strings.HasSuffix(name, "(")
			if name != "" && (len(block) > 1 || !call || asks("option").MatchString(l.text)) { // of one line, a call has its name in common alone
				seen[slices.ContainsFunc(block, shows)][name] = true
			}
			if (call || name == "") && added[head] && (head == i || asks("holds-more").MatchString(s[head])) && asks("heads").MatchString(s[i]) && !asks("controls").MatchString(s[i]) {
				seen[slices.ContainsFunc(block, shows)][path.Ext(e.File)+strings.Fields(s[i])[0]] = true
			}
		}
	}
	for name := range seen[true] {
		if seen[false][name] {
			so, surely = true, surely || name[0] != '.' || strings.HasSuffix(name, "class")
		}
	}
	return so, surely
}
