package index

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"

	api "github.com/blevesearch/bleve_index_api"
)

// segments is a corpus over bleve's postings.
type segments struct {
	reader api.IndexReader
	length int64 // of all text fields
	id     api.IndexInternalID
}

func (s *segments) docs() (int, float64, error) {
	n, err := s.reader.DocCount()
	if err != nil || n == 0 {
		return 0, 0, err
	}
	return int(n), max(1, float64(s.length)/float64(n)), nil
}

func (s *segments) find(ctx context.Context, field, term string) (postings, error) {
	detail := field != fieldKind
	tfr, err := s.reader.TermFieldReader(ctx, []byte(term), field, detail, detail, false)
	if err != nil {
		return nil, fmt.Errorf("look up %q: %w", term, err)
	}
	return segmentPostings{tfr}, nil
}

// segmentPostings is one list of bleve's.
type segmentPostings struct{ api.TermFieldReader }

func (p segmentPostings) count() int { return int(p.Count()) }
func (p segmentPostings) close()     { _ = p.Close() } // a snapshot: nothing to lose

func (p segmentPostings) each(f func(id uint64, tf, length float64)) error {
	var d api.TermFieldDoc
	for {
		next, err := p.Next(&d)
		if err != nil {
			return fmt.Errorf("read the postings: %w", err)
		}
		if next == nil {
			return nil
		}
		// bleve hands out 1/√length (zapx, Posting.Norm).
		f(next.ID.Value(), float64(next.Freq), 1/(next.Norm*next.Norm))
	}
}

func (s *segments) path(id uint64) (string, error) {
	s.id = api.NewIndexInternalID(s.id, id)
	return s.reader.ExternalID(s.id)
}

// posting is one document of a list.
type posting struct {
	id         uint64
	tf, length float64
}

// files is a corpus made by reading the brain's files for one query.
type files struct {
	heads  []*head
	sorted []*head                         // heads by path, made when first asked for
	rows   map[string]map[string][]posting // field, term
	length float64
}

// scan reads every file of the brain for the terms of one query.
func (x *Index) scan(ctx context.Context, q query) (*files, error) {
	f := &files{rows: map[string]map[string][]posting{fieldText: {}, fieldKind: {kindCard: nil}}}
	for _, u := range q.units {
		for _, t := range u.terms {
			f.rows[fieldText][t] = nil
		}
	}
	var work []file
	if err := x.cfg.Brain.Walk(ctx, func(rel string, info fs.FileInfo) error {
		work = append(work, file{rel, info})
		return nil
	}, nil); err != nil {
		return nil, fmt.Errorf("walk the brain: %w", err)
	}
	var read atomic.Int64
	for d := range x.prepare(ctx, work) {
		x.cfg.Progress(int(read.Add(1)), len(work))
		if d == nil {
			continue
		}
		id := uint64(len(f.heads))
		f.heads = append(f.heads, d.head)
		f.length += float64(d.length)
		f.add(fieldText, d.text, id, float64(d.length))
		if d.head.card.Kind.IsCard() {
			f.rows[fieldKind][kindCard] = append(f.rows[fieldKind][kindCard], posting{id, 1, 1})
		}
	}
	return f, ctx.Err()
}

// add notes the counts of those terms that the query asks for.
func (f *files) add(field string, counts map[string]int, id uint64, length float64) {
	for term, rows := range f.rows[field] {
		if n := counts[term]; n > 0 {
			f.rows[field][term] = append(rows, posting{id, float64(n), length})
		}
	}
}

func (f *files) docs() (int, float64, error) {
	n := len(f.heads)
	return n, max(1, f.length/float64(max(1, n))), nil
}

func (f *files) find(_ context.Context, field, term string) (postings, error) {
	return rows(f.rows[field][term]), nil
}

// rows is one list of a scan.
type rows []posting

func (r rows) count() int { return len(r) }
func (r rows) close()     {}

func (r rows) each(f func(id uint64, tf, length float64)) error {
	for _, p := range r {
		f(p.id, p.tf, p.length)
	}
	return nil
}

func (f *files) byPath() []*head {
	if f.sorted == nil {
		f.sorted = slices.SortedFunc(slices.Values(f.heads), func(a, b *head) int { return strings.Compare(a.card.Path, b.card.Path) })
	}
	return f.sorted
}

func (f *files) path(id uint64) (string, error) { return f.heads[id].card.Path, nil }
