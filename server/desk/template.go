package desk

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"handrail/lessons"
	"handrail/server/say"
)

// Template is a new card to be filled in in an editor. No file holds it yet.
type Template struct {
	Path    string `json:"path"`    // where the editor may save it: among the drafts
	Snippet string `json:"snippet"` // in the syntax of LSP, with a tab stop at everything that is left to say
}

// recent is how long a request counts as what a person is at.
const recent = time.Hour

// underWay says what a person is at: the last request, and the test run that failed last and
// has not passed since.
func (s *Room) underWay(l say.Locale) string {
	var out []string
	if last := s.Answers(); len(last) > 0 && last[0].Asked != "" && s.Now().Sub(last[0].At) < recent {
		out = append(out, l.Asked(last[0].Asked))
	}
	if failing := s.State.Failing(); len(failing) > 0 {
		out = append(out, l.Fails(failing[len(failing)-1].Command))
	}
	return strings.Join(out, "\n\n")
}

// Template returns a card that says what is known of it, for a person to say the rest: without
// a situation, what is under way. The title of r is not used. A kind or severity that does not exist is a *lessons.ValueError.
func (s *Room) Template(r CreateRequest) (Template, error) {
	mark := rand.Text() // no text of a person holds it
	stops := []string{"<" + r.Language.WhatWentWrong() + ">"}
	stop := func() string { return fmt.Sprintf("%s-%d.", mark, len(stops)) }
	r.Title, r.Fields.Status = stop(), lessons.Drafted
	r.Situation = cmp.Or(r.Situation, s.underWay(r.Language))
	d, err := s.draft(r, nil)
	if err != nil {
		return Template{}, err
	}
	for _, name := range lessons.SectionNames() {
		if d.Sections[name] == "" && name != lessons.Evidence {
			stops = append(stops, name.Placeholder(d.Language))
			d.Sections[name] = stop()
		}
	}
	escape := strings.NewReplacer(`\`, `\\`, `$`, `\$`, `}`, `\}`).Replace
	before, rest, _ := strings.Cut(string(d.Render()), "\ntitle: ") // the heading is the title
	_, rest, _ = strings.Cut(rest, "\n")
	out := escape(before + "\n" + rest)
	for i, placeholder := range stops {
		out = strings.ReplaceAll(out, fmt.Sprintf("%s-%d.", mark, i+1), fmt.Sprintf("${%d:%s}", i+1, escape(placeholder)))
	}
	title := r.Language.NewLesson()
	return Template{Path: s.Files.NewPath(lessons.Draft{Title: title, Status: lessons.Drafted}), Snippet: out}, nil
}
