package postcheck

import (
	"cmp"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck/check"
)

// form is what items speak of that has a form and no name, and words in lower case of which its lines have one.
type form struct {
	name  string
	words []string
}

var (
	ofLines = []form{{"pin", []string{"uses:"}}, {"tag", []string{"image:", "from ", "tag:"}}, {"colour", []string{"#"}}, {"text", []string{"</", "text("}}}
	ofFiles = []form{{"user", []string{"from ", "user "}}, {"settings", []string{"env"}}}
)

// formed judges an item of what has a form and no name, by the added lines that have it.
func (t Turn) formed(it lessons.Item, out *Verdict) bool {
	item := cmp.Or(it.Marked, it.Text)
	for _, f := range ofLines {
		if !asks("of-" + f.name).MatchString(item) {
			continue
		}
		for _, e := range t.Edits {
			if !asks("files-"+f.name).MatchString(e.File) || asks("made-test").MatchString(e.File) {
				continue
			}
			for _, l := range e.Added {
				text := asks("code-comment").ReplaceAllString(l.Text, " ")
				switch {
				case !asks("form-"+f.name).MatchString(text) || asks("spared-"+f.name).MatchString(text):
				case asks("right-" + f.name).MatchString(text):
					out.State, out.By, out.Place = Kept, byLine, Place{File: e.File, Line: l}
				case f.name == "text" && !asks("denied").MatchString(item): // it only wants another way
					out.State, out.By, out.Place = Open, byLine, Place{File: e.File, Line: l}
					return true
				default:
					out.State, out.By, out.Place = Broken, byLine, Place{File: e.File, Line: l}
					return true
				}
			}
		}
	}
	return out.State != NotHere
}

// imageUser judges an item of the user that an image runs as, by the last stage of a Dockerfile.
func (t Turn) imageUser(it lessons.Item, out *Verdict) bool {
	if !asks("of-user").MatchString(cmp.Or(it.Marked, it.Text)) {
		return false
	}
	for _, e := range t.Edits {
		if !asks("dockerfile").MatchString(e.File) {
			continue
		}
		s, from, last, user := t.source(e), 0, 0, ""
		for i, l := range s {
			if m := asks("user-line").FindStringSubmatch(l); m != nil {
				last, user = i, m[1]
			} else if strings.HasPrefix(l, "FROM ") {
				from, last, user = i, i, ""
			}
		}
		_, added := s.places(e)
		if len(added) == 0 {
			continue
		}
		at := Place{File: e.File, Line: check.Line{Text: s[last], N: last + 1}}
		switch root := user == "root" || user == "0"; {
		case !added[from] && !added[last]:
		case root:
			out.State, out.By, out.Place = Broken, byLine, at
			return true
		case user == "":
			out.State, out.By, out.Missing = Open, byLine, []string{"USER"}
			return true
		default:
			out.State, out.By, out.Place = Kept, byLine, at
		}
	}
	return out.State != NotHere
}
