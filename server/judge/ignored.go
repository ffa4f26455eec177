package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck"
	"github.com/handrail-dev/handrail/postcheck/check"
	"github.com/handrail-dev/handrail/server/brain"
)

// IgnoreRequest says of a line that it may break an item. Without a path it only asks for
// the list. The card stays as it is.
type IgnoreRequest struct {
	Path   string `json:"path,omitempty" names:"card"` // of the card
	Item   string `json:"item,omitempty"`              // as its verdict has it
	File   string `json:"file,omitempty"`              // as cards name it
	Text   string `json:"text,omitempty"`              // of the line, as the verdict's place has it
	Reason string `json:"reason,omitempty"`            // why, up to 300 characters; not needed with off
	Off    bool   `json:"off,omitempty"`               // the line counts again
}

// IgnoreHere leaves a line out of later verdicts on one item, or lets it count again, and
// returns all such lines, newest first.
func (s *Room) IgnoreHere(_ context.Context, r IgnoreRequest) ([]brain.Ignored, error) {
	if r.Path != "" {
		rel, err := s.Files.Rel(r.Path)
		if err != nil {
			return nil, fmt.Errorf("ignore a line: %w", err)
		}
		for field, value := range map[string]string{"item": r.Item, "file": r.File, "text": r.Text} {
			if strings.TrimSpace(value) == "" {
				return nil, &brain.RequestError{Field: field, Need: brain.NeedText}
			}
		}
		row := brain.Ignored{Path: rel, Item: r.Item, File: r.File, Text: r.Text, Reason: strings.Join(strings.Fields(r.Reason), " ")}
		if n := utf8.RuneCountInString(row.Reason); !r.Off && (n == 0 || n > lessons.MaxReason) {
			return nil, &brain.RequestError{Field: "reason", Value: brain.Head(row.Reason, 80), Need: brain.NeedReason}
		}
		s.State.Ignore(row, r.Off)
	}
	return s.State.Ignored(), nil
}

// withoutIgnored judges again, without the lines that may break it, each item that such a line
// breaks: another line may break it as well.
func (s *Room) withoutIgnored(ctx context.Context, t postcheck.Turn, cards []lessons.Card, verdicts []postcheck.Verdict) {
	for i, v := range verdicts {
		ignored := func(file, text string) bool {
			return s.State.Ignores(brain.Ignored{Path: v.Path, Item: v.Item.Text, File: file, Text: text})
		}
		if v.State != postcheck.Broken || v.Place.File == "" || !ignored(v.Place.File, v.Place.Line.Text) {
			continue
		}
		rest := t
		rest.Edits = slices.Clone(t.Edits)
		for k, e := range rest.Edits {
			rest.Edits[k].Added = slices.DeleteFunc(slices.Clone(e.Added), func(l check.Line) bool { return ignored(e.File, l.Text) })
		}
		own := slices.DeleteFunc(slices.Clone(cards), func(c lessons.Card) bool { return c.Path != v.Path })
		for _, again := range postcheck.Judge(ctx, rest, own) {
			if again.Item.Line == v.Item.Line {
				verdicts[i] = again
			}
		}
	}
}
