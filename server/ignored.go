package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"handrail/lessons"
	"handrail/postcheck"
	"handrail/postcheck/check"
	"handrail/triggers/leaks"
)

// IgnoreRequest says of a line that it may break an item. Without a path it only asks for
// the list. The card stays as it is.
type IgnoreRequest struct {
	Path   string `json:"path,omitempty"`   // of the card
	Item   string `json:"item,omitempty"`   // as its verdict has it
	File   string `json:"file,omitempty"`   // as cards name it
	Text   string `json:"text,omitempty"`   // of the line, as the verdict's place has it
	Reason string `json:"reason,omitempty"` // why, up to 300 characters; not needed with off
	Off    bool   `json:"off,omitempty"`    // the line counts again
}

// Ignored is a line that breaks an item and may.
type Ignored struct {
	Path   string    `json:"path"` // of the card
	Item   string    `json:"item"`
	File   string    `json:"file"` // as cards name it
	Text   string    `json:"text"` // of the line
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// IgnoreHere leaves a line out of later verdicts on one item, or lets it count again, and
// returns all such lines, newest first.
func (s *Server) IgnoreHere(_ context.Context, r IgnoreRequest) ([]Ignored, error) {
	if r.Path != "" {
		rel, err := s.brain.Rel(r.Path)
		if err != nil {
			return nil, fmt.Errorf("ignore a line: %w", err)
		}
		for field, value := range map[string]string{"item": r.Item, "file": r.File, "text": r.Text} {
			if strings.TrimSpace(value) == "" {
				return nil, &RequestError{Field: field, Allowed: []string{"text"}}
			}
		}
		row := Ignored{Path: rel, Item: r.Item, File: r.File, Text: strings.TrimSpace(r.Text), Reason: leaks.Redact(strings.Join(strings.Fields(r.Reason), " ")), At: s.now()}
		key := ignoredKey(row.Path, row.Item, row.File, row.Text)
		switch n := utf8.RuneCountInString(row.Reason); {
		case r.Off:
			s.state.ignored.Delete(key)
		case n == 0 || n > lessons.MaxReason:
			return nil, &RequestError{Field: "reason", Value: head(row.Reason, 80), Allowed: []string{fmt.Sprintf("1 … %d characters", lessons.MaxReason)}}
		default:
			s.state.ignored.Put(key, row)
		}
	}
	return s.state.ignored.All(func(a, b Ignored) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(a.Path, b.Path), strings.Compare(a.Item, b.Item), strings.Compare(a.File, b.File), strings.Compare(a.Text, b.Text))
	}), nil
}

func ignoredKey(path, item, file, text string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{path, item, file, text}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// passOver judges again, without the lines that may break it, each item that such a line
// breaks: another line may break it as well.
func (s *Server) passOver(ctx context.Context, t postcheck.Turn, cards []lessons.Card, verdicts []postcheck.Verdict) {
	for i, v := range verdicts {
		ignored := func(file, text string) bool {
			return s.state.ignored.Has(ignoredKey(v.Path, v.Item.Text, file, strings.TrimSpace(text)))
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
