package mcp

import (
	"context"
	"strings"

	"handrail/lessons"
	"handrail/server"
)

// NoteArgs are a line to be noted.
type NoteArgs struct {
	Text    string   `json:"text" jsonschema:"what was done or found, in a sentence or two"`
	Outcome string   `json:"outcome,omitempty" jsonschema:"how it ended: worked, failed or mixed"`
	Tags    []string `json:"tags,omitempty" jsonschema:"what it is about"`
}

func (s *session) note(ctx context.Context, loop Loop, a NoteArgs) (result[server.NoteLine], error) {
	n, err := loop.Note(ctx, server.NoteRequest{Text: a.Text, Outcome: a.Outcome, Tags: a.Tags})
	return result[server.NoteLine]{n, n.Path + "\n" + lessons.Visible(n.Text)}, err
}

// NotesArgs say how many notes are wanted.
type NotesArgs struct {
	Limit *count `json:"limit,omitempty" jsonschema:"most notes; 20 when absent"`
}

// NoteList is a list of notes, newest first.
type NoteList struct {
	Notes []server.NoteLine `json:"notes"`
}

func (s *session) notes(ctx context.Context, loop Loop, a NotesArgs) (result[NoteList], error) {
	n, err := limit(a.Limit, 20)
	if err != nil {
		return result[NoteList]{}, err
	}
	if err := s.complete(ctx, loop); err != nil {
		return result[NoteList]{}, err
	}
	list, err := loop.Notes(ctx, n)
	lines := []string{s.word(textNotes)}
	for _, n := range list {
		lines = append(lines, lessons.Visible(n.Text))
	}
	return result[NoteList]{NoteList{list}, strings.Join(lines, "\n")}, err
}
