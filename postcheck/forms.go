package postcheck

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck/check"
)

//go:embed forms.txt
var formsText string

// form is what items speak of that has a form and no name, as forms.txt says.
type form struct {
	name  string
	scope string   // how much of a file is one piece of it
	wrong State    // of a piece that is not right
	words []string // its lines have one
}

var forms = sync.OnceValue(func() (out []form) {
	for line := range strings.Lines(formsText) {
		if f := strings.Fields(line); len(f) > 3 && line[0] == '@' {
			out = append(out, form{f[0][1:], f[1], State(f[2]), f[3:]})
		}
	}
	return out
})

// is finds what a form's pieces have.
func (f form) is(part string) *regexp.Regexp { return asks(part + "-" + f.name) }

// knows reports whether a form finds all that an item wants, so that where it sees nothing, nothing is missing.
func (t Turn) knows(it lessons.Item) bool {
	item := cmp.Or(it.Marked, it.Text)
	return slices.ContainsFunc(forms(), func(f form) bool {
		return asks("form-knows").MatchString(f.name) && f.is("of").MatchString(item) && (f.name != "lock" || asks("to-change").MatchString(item)) &&
			!slices.ContainsFunc(t.Edits, func(e check.Edit) bool { return isCode(e.File) && !f.is("files").MatchString(e.File) })
	})
}

// formed judges an item of what has a form and no name, by the pieces of it that a turn added.
func (t Turn) formed(it lessons.Item, out *Verdict) bool {
	item := cmp.Or(it.Marked, it.Text)
	for _, f := range forms() {
		if !f.is("of").MatchString(item) || asks("form-plain").MatchString(f.name) && asks("denied").MatchString(item) && !asks("lacking").MatchString(item) {
			continue
		}
		of := slices.DeleteFunc(understand(item), func(u unit) bool {
			return f.name == "log" && !asks("datum").MatchString(u.names[0]+" "+u.surface) || asks("unsaid").MatchString(u.names[0])
		})
		in, _, _ := t.inPlace(item)
		for _, e := range in.Edits {
			if !f.is("files").MatchString(e.File) || isTest(e.File) {
				continue
			}
			for _, l := range t.pieces(e, f) {
				text := asks("code-comment").ReplaceAllString(l.Text, " ")
				if !f.holds(text, e.File, of) {
					continue
				}
				s := f.state(text, item, e.Removed)
				if s == NotHere {
					continue
				}
				out.State, out.By, out.Place = s, byLine, Place{File: e.File, Line: check.Line{Text: strings.Split(l.Text, "\n")[0], N: l.N}}
				if s == Open && f.name != "text" {
					out.Missing = []string{f.name}
				}
				if s != Kept {
					return true
				}
			}
			wrong := func(l check.Line) bool {
				return (f.scope == "line" || f.is("head").MatchString(l.Text)) && f.holds(l.Text, e.File, of) && !f.is("right").MatchString(l.Text)
			}
			if out.State == NotHere && f.wrong == Broken && f.scope != "unit" && len(e.Added) > 0 && slices.ContainsFunc(e.Removed, wrong) { // and none came
				out.State, out.By, out.Place = Kept, byLine, Place{File: e.File, Line: e.Added[0]}
			}
		}
	}
	return out.State != NotHere
}

// holds reports whether a text is a piece of what an item speaks of.
func (f form) holds(text, file string, of []unit) bool {
	if !f.is("form").MatchString(text) || f.is("spared").MatchString(text) {
		return false
	}
	if f.name == "log" {
		text = asks("quoted").ReplaceAllStringFunc(asks("label").ReplaceAllString(text, "$1$3 $2$4 $5"), woven)
	}
	return !asks("form-of-one").MatchString(f.name) || slices.ContainsFunc(of, readText(text+" "+file).has)
}

// state says what a piece is; not here where nothing is said of it.
func (f form) state(text, item string, removed []check.Line) State {
	right := f.is("right")
	if strings.Contains(right.String(), "OWN") { // of the one that begins here
		own := append(f.is("own").FindStringSubmatch(text), "", "")[1]
		if own == "" {
			return NotHere
		}
		right = regexp.MustCompile(strings.ReplaceAll(right.String(), "OWN", regexp.QuoteMeta(own)))
	}
	if !right.MatchString(text) {
		if asks("form-by-ban").MatchString(f.name) && !asks("denied").MatchString(item) { // it only wants another way
			return Open
		}
		return f.wrong
	}
	begin, good := 0, 0
	for _, line := range strings.Split(text, "\n")[1:] {
		begin, good = begin+len(f.is("head").FindAllString(line, 1)), good+len(right.FindAllString(line, 1))
	}
	was, fewer := f.is("form").FindString(text), good > 0 && good < begin
	switch {
	case f.scope == "line" && slices.ContainsFunc(removed, func(l check.Line) bool { return strings.Contains(l.Text, was) && right.MatchString(l.Text) }):
		return NotHere // it was right before
	case fewer && asks("form-unsure").MatchString(f.name):
		return NotHere
	case fewer && (f.scope == "unit" || f.scope == "file") && !asks("form-once").MatchString(f.name):
		return Open // of two, one is not
	}
	return Kept
}

// pieces returns the added lines of an edit, or the pieces of a form that begin in them, each as one text behind its line.
func (t Turn) pieces(e check.Edit, f form) (out []check.Line) {
	if f.scope == "line" {
		return e.Added
	}
	s := t.source(e)
	if f.scope == "gone" { // each of what went, before what came
		var came []string
		for _, l := range e.Added {
			came = append(came, l.Text)
		}
		for _, l := range e.Removed[:min(len(e.Removed), maxThings)] {
			if f.is("head").MatchString(l.Text) {
				out = append(out, check.Line{Text: l.Text + "\n" + strings.Join(came, "\n"), N: l.N})
			}
		}
		return out
	}
	at, added := s.places(e)
	for _, i := range at {
		if len(out) == maxThings || !f.is("head").MatchString(s[i]) || asks("comment-line").MatchString(s[i]) && f.name != "set-e" {
			continue
		}
		texts, piece := []string{s[i]}, s.block(i)
		switch f.scope {
		case "unit":
			piece = s.block(s.unit(i, added))
		case "file":
			piece = s.lines(0, len(s))
		case "rest":
			piece = s.lines(i, len(s))
		}
		for _, l := range piece {
			if !asks("comment-line").MatchString(l.Text) {
				texts = append(texts, l.Text)
			}
		}
		out = append(out, check.Line{Text: strings.Join(texts, "\n"), N: i + 1})
	}
	return out
}
