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
	if len(files) == 0 {
		return false
	}
	var wanted []string // what stands where it is to be followed
	follows := func(name string) *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[^\w-])` + regexp.QuoteMeta(name) + `(?:[^\w-]|$)`)
	}
	last := files[len(files)-1]
	when := cmp.Or(append(asks("when-changed").FindStringSubmatch(item), "", "")[1:]...)
	switch of := understand(strings.ReplaceAll(when, ".", " ")); {
	case asks("of-settings").MatchString(item):
		for _, e := range t.Edits {
			if isCode(e.File) && !asks("made-test").MatchString(e.File) && path.Base(e.File) != path.Base(last) {
				wanted = append(wanted, fresh(e, "setting")...)
			}
		}
	case len(files) == 2 && asks("both").MatchString(item):
		for i, file := range files {
			for _, e := range t.written(file) {
				wanted = append(wanted, fresh(e, "key")...)
				last = files[1-i]
			}
		}
		if len(t.written(files[0])) > 0 && len(t.written(files[1])) > 0 { // each is to have what the other has
			last = ""
		}
	case when != "" && !strings.Contains(when, last):
		m := asks("key-of-file").FindStringSubmatch(item)
		if m == nil || !slices.ContainsFunc(t.Edits, func(e check.Edit) bool {
			return path.Base(e.File) != path.Base(last) && readText(strings.ReplaceAll(e.File, "/", " ")).all(of)
		}) {
			return false
		}
		wanted = []string{cmp.Or(m[1:]...)}
	}
	for _, name := range wanted {
		re, at := follows(name), Place{}
		for _, file := range files {
			if last != "" && file != last {
				continue
			}
			found := false
			for _, e := range t.written(file) {
				for _, l := range e.Added {
					if re.MatchString(l.Text) && !asks("comment-line").MatchString(l.Text) {
						at, found = Place{File: e.File, Line: l}, true
					}
				}
			}
			if !found && when == "" && t.Text != nil && re.MatchString(t.Text(file)) { // it has stood there before
				found = true
			}
			if !found {
				out.Missing = append(out.Missing, name)
			}
		}
		if at != (Place{}) {
			out.State, out.By, out.Place = Kept, byLine, at
		}
	}
	if len(out.Missing) > 0 {
		out.State, out.By, out.Place = Open, byLine, Place{}
	}
	return out.State != NotHere
}

// written returns the edits of a file.
func (t Turn) written(file string) []check.Edit {
	return slices.DeleteFunc(slices.Clone(t.Edits), func(e check.Edit) bool { return path.Base(e.File) != path.Base(file) })
}

// fresh returns the names of some form that an edit brings: none that it took away elsewhere.
func fresh(e check.Edit, form string) (out []string) {
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
