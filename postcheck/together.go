package postcheck

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck/check"
)

// together judges an item of files that change together: one in which new settings are listed, two that hold the same keys, or one that
// follows another.
func (t Turn) together(it lessons.Item, out *Verdict) bool {
	item := strings.ReplaceAll(cmp.Or(it.Marked, it.Text), "`", "")
	files := asks("a-data-file").FindAllString(item, -1)
	if len(files) == 0 || asks("denied").MatchString(item) {
		return false
	}
	type wish struct{ file, name string }
	var wishes []wish
	last := files[len(files)-1]
	when := asks("when-changed").FindStringSubmatch(item)
	for _, e := range t.Edits {
		at := slices.IndexFunc(files, func(f string) bool { return path.Base(f) == path.Base(e.File) })
		switch {
		case asks("of-settings").MatchString(item):
			for _, name := range fresh(e, "setting") {
				if isCode(e.File) && at < 0 && !isTest(e.File) {
					wishes = append(wishes, wish{last, name})
				}
			}
		case len(files) == 2 && asks("both").MatchString(item):
			for _, name := range fresh(e, "key") {
				if at >= 0 {
					wishes = append(wishes, wish{files[1-at], name})
				}
			}
		case when != nil && at < 0:
			m := asks("key-of-file").FindStringSubmatch(item)
			if what := cmp.Or(when[1:]...); m != nil && !strings.Contains(what, last) && readText(strings.ReplaceAll(e.File, "/", " ")).all(understand(what)) {
				wishes = append(wishes, wish{last, cmp.Or(m[1:]...)})
			}
		}
	}
	there := map[string]string{} // what stood in a file before
	for _, f := range files {
		if len(wishes) > 0 && when == nil && t.Text != nil {
			there[f] = t.Text(f)
		}
	}
	for _, w := range wishes[:min(len(wishes), maxThings)] {
		re := regexp.MustCompile(`(?:^|[^\w-])` + regexp.QuoteMeta(w.name) + `(?:[^\w-]|$)`)
		found := re.MatchString(there[w.file])
		for _, e := range t.Edits {
			for _, l := range e.Added {
				if path.Base(e.File) == path.Base(w.file) && strings.Contains(l.Text, w.name) && re.MatchString(l.Text) && !asks("comment-line").MatchString(l.Text) {
					out.State, out.By, out.Place, found = Kept, byLine, Place{File: e.File, Line: l}, true
				}
			}
		}
		if !found {
			out.Missing = append(out.Missing, w.name)
		}
	}
	if len(out.Missing) > 0 {
		out.State, out.By, out.Place = Open, byLine, Place{}
	}
	return out.State != NotHere
}

// fresh returns the names of some form that an edit brings: none that it took away elsewhere.
func fresh(e check.Edit, form string) []string {
	names := func(lines []check.Line) (out []string) {
		for _, l := range lines {
			for _, m := range asks(form).FindAllStringSubmatch(l.Text, -1) {
				out = append(out, cmp.Or(m[1:]...))
			}
		}
		return out
	}
	old := names(e.Removed)
	return slices.DeleteFunc(names(e.Added), func(n string) bool { return slices.Contains(old, n) })
}
