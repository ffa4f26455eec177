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

// formed judges an item of what has a form and no name, by the pieces of it that a turn added.
func (t Turn) formed(it lessons.Item, out *Verdict) bool {
	item := cmp.Or(it.Marked, it.Text)
	for _, f := range forms() {
		if !f.is("of").MatchString(item) {
			continue
		}
		said := func(u unit) bool {
			return f.name == "log" && !asks("datum").MatchString(u.names[0]) || asks("unsaid").MatchString(u.names[0])
		}
		of := slices.DeleteFunc(understand(item), said)
		for _, e := range t.Edits {
			if !f.is("files").MatchString(e.File) || asks("made-test").MatchString(e.File) {
				continue
			}
			for _, l := range t.pieces(e, f) {
				text := asks("code-comment").ReplaceAllString(l.Text, " ")
				if !f.is("form").MatchString(text) || f.is("spared").MatchString(text) {
					continue
				}
				if asks("form-of-one").MatchString(f.name) {
					says := text + " " + e.File
					if f.name == "log" {
						says = asks("quoted").ReplaceAllStringFunc(text, woven)
					}
					if !slices.ContainsFunc(of, readText(says).has) {
						continue
					}
				}
				right := f.is("right")
				if own := asks("own-name").FindStringSubmatch(l.Text); own != nil { // of the one that begins here
					right = regexp.MustCompile(strings.ReplaceAll(right.String(), "OWN", regexp.QuoteMeta(own[1])))
				}
				switch {
				case right.MatchString(text):
					begin, good := 0, 0
					for _, line := range strings.Split(text, "\n")[1:] {
						begin, good = begin+len(f.is("head").FindAllString(line, 1)), good+len(right.FindAllString(line, 1))
					}
					out.State = Kept
					if (f.scope == "unit" || f.scope == "file") && good > 0 && good < begin {
						out.State = Open // of two, one is not
					}
				case asks("form-by-ban").MatchString(f.name) && !asks("denied").MatchString(item): // it only wants another way
					out.State = Open
				default:
					out.State = f.wrong
				}
				if out.State == Open && f.name != "text" {
					out.Missing = []string{f.name}
				}
				out.By, out.Place = byLine, Place{File: e.File, Line: check.Line{Text: strings.Split(l.Text, "\n")[0], N: l.N}}
				if out.State != Kept {
					return true
				}
			}
		}
	}
	return out.State != NotHere
}

// pieces returns the added lines of an edit, or the pieces of a form that begin in them, each as one text behind its line.
func (t Turn) pieces(e check.Edit, f form) (out []check.Line) {
	if f.scope == "line" {
		return e.Added
	}
	s := t.source(e)
	at, added := s.places(e)
	for _, i := range at {
		if len(out) == maxThings || !f.is("head").MatchString(s[i]) {
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
