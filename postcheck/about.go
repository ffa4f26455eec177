package postcheck

import (
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
)

// about reports whether a card speaks of what was done, by its paths, else by its tags or its title, and whether a person said so, by paths or tags.
func about(t Turn, c lessons.Card, readings ...*reading) (here, scoped bool) {
	if len(c.Paths) > 0 {
		var names []string
		for _, e := range t.Edits {
			names = append(names, e.File)
		}
		if !t.Watched {
			names = append(names, files(t.Answer)...)
		}
		if _, ok := lessons.MatchPaths(c.Paths, names); ok || t.Watched {
			return ok, ok
		}
	}
	title := understand(c.Title)
	for i := range title {
		title[i].either = true // said or denied, it is spoken of
	}
	for _, r := range readings {
		for _, tag := range c.Tags {
			if !strings.EqualFold(tag, c.Project) && slices.ContainsFunc(understand(tag), func(u unit) bool { return u.mass == 1 && u.all(r.says) }) {
				return true, true
			}
		}
		_, share := r.best(title, 0, len(r.places))
		here = here || share >= most
	}
	return here, false
}

// maxFiles bounds the names of files that are looked for in an answer.
const maxFiles = 200

// files returns what looks like the names of files in an answer.
func files(answer string) []string {
	var out []string
	for w := range strings.FieldsSeq(answer[:min(len(answer), maxAnswer)]) {
		w = strings.Trim(w, "`*_()[]{}<>\"',;:.")
		if i := strings.LastIndexByte(w, '.'); i > 0 && i < len(w)-1 && len(w)-i <= 6 && len(out) < maxFiles {
			out = append(out, strings.TrimPrefix(w, "./"))
		}
	}
	return out
}
