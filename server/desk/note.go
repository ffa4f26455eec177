package desk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/index"
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// noteOutcomes are how what a note tells of may have ended.
var noteOutcomes = []string{"worked", "failed", "mixed"}

// NoteRequest is something to be noted.
type NoteRequest struct {
	Text    string   `json:"text" jsonschema:"what was done or found, in a sentence or two"`
	Outcome string   `json:"outcome,omitempty" jsonschema:"how it ended: worked, failed or mixed"`
	Tags    []string `json:"tags,omitempty" jsonschema:"what it is about"`
}

// NoteLine is a line of a month's file of notes: "- 2026-11-25 · worked · #ci · Moved the cache".
type NoteLine struct {
	Path string `json:"path"` // notes/2026-11.md
	Text string `json:"text"` // without secrets
}

// Note adds a line with today's date to the month's file of notes, which is searched and quoted as any note and is
// never a lesson. Undo takes it back. An empty text and an unknown outcome are a *RequestError.
func (s *Room) Note(_ context.Context, r NoteRequest) (NoteLine, error) {
	line := func(text string) string { return strings.Join(strings.Fields(leaks.Redact(text)), " ") }
	text := line(r.Text)
	if text == "" {
		return NoteLine{}, &brain.RequestError{Field: "text", Need: brain.NeedText}
	}
	parts := []string{s.Now().Format(time.DateOnly)}
	if r.Outcome != "" {
		if err := lessons.OneOf("outcome", r.Outcome, noteOutcomes); err != nil {
			return NoteLine{}, err
		}
		parts = append(parts, r.Outcome)
	}
	for _, tag := range r.Tags {
		parts = append(parts, "#"+strings.ReplaceAll(line(tag), " ", "-"))
	}
	month := s.Now().Format("2006-01")
	n := NoteLine{"notes/" + month + ".md", "- " + strings.Join(append(parts, text), " · ")}
	act := s.Begin("note")
	err := s.Do(act, func() error {
		if _, err := s.Files.Lstat(n.Path); errors.Is(err, fs.ErrNotExist) {
			return act.Create(n.Path, []byte("# "+month+"\n\n"+n.Text+"\n"))
		}
		return act.Edit(n.Path, func(src []byte) ([]byte, error) {
			return []byte(strings.TrimRight(string(src), "\n") + "\n" + n.Text + "\n"), nil
		})
	})
	if err != nil {
		return n, fmt.Errorf("note: %w", &lessons.PathError{Path: n.Path, Err: err})
	}
	return n, nil
}

// Notes returns the lines of the files of notes, the last first; limit 0 means all.
func (s *Room) Notes(_ context.Context, limit int) ([]NoteLine, error) {
	out := []NoteLine{}
	files := s.Index.Files()
	slices.SortFunc(files, func(a, b index.File) int { return strings.Compare(a.Path, b.Path) }) // by month
	for _, f := range files {
		if !strings.HasPrefix(f.Path, "notes/20") {
			continue
		}
		src, err := s.Files.Read(f.Path)
		if err != nil {
			return nil, fmt.Errorf("list notes: %w", err)
		}
		for line := range strings.Lines(string(src)) {
			if strings.HasPrefix(line, "- 20") {
				out = append(out, NoteLine{f.Path, strings.TrimSpace(line)})
			}
		}
	}
	slices.Reverse(out)
	if limit > 0 {
		out = out[:min(limit, len(out))]
	}
	return out, nil
}
