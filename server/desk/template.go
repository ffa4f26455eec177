package desk

import (
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/say"
)

// Template is a new card to be filled in in an editor. No file holds it yet.
type Template struct {
	Path    string `json:"path"`    // where the editor may save it: among the drafts
	Snippet string `json:"snippet"` // in the syntax of LSP, with a tab stop at everything that is left to say
}

// Template returns a card that says what is known of it, for a person to say the rest. The title of r is not used. A kind or severity that does not exist is a *lessons.ValueError.
func (s *Room) Template(r CreateRequest) (Template, error) {
	mark := rand.Text() // no text of a person holds it
	stops := []string{"<" + r.Language.Say(say.WhatWentWrong) + ">"}
	stop := func() string { return fmt.Sprintf("%s-%d.", mark, len(stops)) }
	r.Title, r.Fields.Status = stop(), lessons.Drafted
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
	title := r.Language.Say(say.NewLesson)
	return Template{Path: s.Files.NewPath(lessons.Draft{Title: title, Status: lessons.Drafted}), Snippet: out}, nil
}
