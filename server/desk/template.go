package desk

import (
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/say"
)

// Template is a new card to be filled in in an editor, in three parts that follow each other. No file holds it yet.
type Template struct {
	Path    string `json:"path"`    // where the editor may save it: among the drafts
	Head    string `json:"head"`    // the frontmatter, without a title
	Snippet string `json:"snippet"` // in the syntax of LSP: the title, the root cause and the checklist, a tab stop each
	Rest    string `json:"rest"`    // the other sections
}

// Template returns a card that says what is known of it, for a person to say the rest. Title, root cause and checklist
// of r are not used. A kind or severity that does not exist is a *lessons.ValueError.
func (s *Room) Template(r CreateRequest) (Template, error) {
	mark := "x" + rand.Text() // no text of a person holds it, and YAML needs no quotes around it
	r.Title, r.Fields.Status = mark, lessons.Drafted
	d, err := s.draft(r, nil)
	if err != nil {
		return Template{}, err
	}
	why, check := lessons.RootCause, lessons.Prevention
	snippet := fmt.Sprintf("# ${1:<%s>}\n\n## %s\n\n${2:%s}\n\n## %s\n\n- [ ] ${3:%s}\n", r.Language.Say(say.WhatWentWrong),
		why.Heading(d.Language), why.Placeholder(d.Language), check.Heading(d.Language), strings.Replace(check.Placeholder(d.Language), "- [ ] ", "", 1))
	d.Sections[why], d.Sections[check] = mark, mark
	gap := "\n\n" + mark + "\n"
	drop := strings.NewReplacer("title: "+mark+"\n", "", "\n## "+why.Heading(d.Language)+gap, "", "\n## "+check.Heading(d.Language)+gap, "")
	head, rest, _ := strings.Cut(drop.Replace(string(d.Render())), "# "+mark+"\n")
	path := s.Files.NewPath(lessons.Draft{Title: r.Language.Say(say.NewLesson), Status: lessons.Drafted})
	return Template{Path: path, Head: head, Snippet: snippet, Rest: rest}, nil
}
