package desk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// documents is the folder of a brain where the notes of documents lie.
const documents = "notes/from"

// Ingested is a document as notes of the brain.
type Ingested struct {
	Source string   `json:"source"`
	Title  string   `json:"title"`
	Parts  []string `json:"parts,omitempty"` // markdown; in an answer absent
	Sum    string   `json:"sum"`             // of the document's bytes
	Notes  []string `json:"notes,omitempty"` // their paths
	Same   bool     `json:"same,omitzero"`   // it has not changed since, so nothing was written
}

// Ingest writes documents as notes that say where they come from, in the place of those that it wrote of the same
// sources before, as one act for Undo. Secrets are left out.
func (s *Room) Ingest(ctx context.Context, docs []Ingested) ([]Ingested, error) {
	for i := range docs { // both become names: of the file, and of where to read it again
		docs[i].Title, docs[i].Source = leaks.Redact(docs[i].Title), leaks.Redact(docs[i].Source)
	}
	before, err := s.Documents(ctx)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for _, d := range before {
		for _, rel := range d.Notes {
			taken[rel] = true
		}
	}
	act := s.Begin("ingest")
	err = s.Do(act, func() error {
		for i := range docs {
			d := &docs[i]
			var old []string
			for _, b := range before {
				if b.Source == d.Source {
					old, d.Same = b.Notes, b.Sum == d.Sum
				}
			}
			if d.Same {
				d.Notes = old
				continue
			}
			stem := documents + "/" + lessons.Slug(d.Title)
			if len(old) > 0 {
				stem = strings.TrimSuffix(old[0], ".md")
			}
			for n := 2; len(old) == 0 && taken[stem+".md"]; n++ {
				stem = fmt.Sprintf("%s/%s-v%d", documents, lessons.Slug(d.Title), n)
			}
			for n, part := range d.Parts {
				rel := stem + ".md"
				if n > 0 {
					rel = fmt.Sprintf("%s-%d.md", stem, n+1)
				}
				src := s.noteOf(*d, n, part)
				var err error
				if slices.Contains(old, rel) {
					err = act.Edit(rel, func([]byte) ([]byte, error) { return src, nil })
				} else {
					err = act.Create(rel, src)
				}
				if err != nil {
					return err
				}
				d.Notes, taken[rel] = append(d.Notes, rel), true
			}
			for _, rel := range old {
				if !slices.Contains(d.Notes, rel) {
					if err := act.Remove(rel); err != nil {
						return err
					}
				}
			}
		}
		return ctx.Err()
	})
	for i := range docs {
		docs[i].Parts = nil
	}
	if err != nil {
		return nil, fmt.Errorf("ingest: %w", err)
	}
	return docs, nil
}

// noteOf returns the file of one part of a document.
func (s *Room) noteOf(d Ingested, n int, part string) []byte {
	title := d.Title
	if len(d.Parts) > 1 {
		title = fmt.Sprintf("%s (%d/%d)", d.Title, n+1, len(d.Parts))
	}
	return fmt.Appendf(nil, "---\ntype: note\ntitle: %q\nfrom: %q\nread: %s\nsum: %q\n---\n\n# %s\n\n%s\n",
		title, d.Source, s.Now().Format(time.DateOnly), d.Sum, title, leaks.Redact(part))
}

// head returns a field that noteOf wrote, "" where there is none.
func head(src []byte, name string) string {
	before, _, _ := strings.Cut(string(src), "\n---\n")
	_, rest, ok := strings.Cut(before, "\n"+name+": ")
	if !ok {
		return ""
	}
	quoted, _, _ := strings.Cut(rest, "\n")
	value, _ := strconv.Unquote(quoted)
	return value
}

// Documents returns the documents that the brain has as notes, by source.
func (s *Room) Documents(ctx context.Context) ([]Ingested, error) {
	bySource := map[string]*Ingested{}
	err := s.Files.WalkFolder(ctx, documents, func(rel string, _ fs.FileInfo) error {
		src, err := s.Files.Read(rel)
		if err != nil {
			return err
		}
		from := head(src, "from")
		if from == "" {
			return nil // a person's own
		}
		d := bySource[from]
		if d == nil {
			d = &Ingested{Source: from, Title: head(src, "title"), Sum: head(src, "sum")}
			bySource[from] = d
		}
		d.Notes = append(d.Notes, rel)
		return nil
	}, func(string, error) {})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the documents: %w", err)
	}
	var out []Ingested
	for _, d := range bySource {
		slices.SortFunc(d.Notes, func(a, b string) int { return len(a) - len(b) }) // the first has no number
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b Ingested) int { return strings.Compare(a.Source, b.Source) })
	return out, nil
}
