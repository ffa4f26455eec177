package index

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"sync"
	"time"

	api "github.com/blevesearch/bleve_index_api"

	"handrail/lessons"
)

// segments is a corpus over bleve's postings.
type segments struct {
	reader api.IndexReader
	mean   float64
	id     api.IndexInternalID
}

func (s *segments) docs() (int, float64, error) {
	n, err := s.reader.DocCount()
	return int(n), s.mean, err
}

func (s *segments) term(ctx context.Context, field, term string) (postings, error) {
	tfr, err := s.reader.TermFieldReader(ctx, []byte(term), field, true, true, false)
	if err != nil {
		return nil, fmt.Errorf("look up %q: %w", term, err)
	}
	return &segmentPostings{tfr}, nil
}

func (s *segments) path(id uint64) (string, error) {
	s.id = api.NewIndexInternalID(s.id, id)
	return s.reader.ExternalID(s.id)
}

type segmentPostings struct{ api.TermFieldReader }

func (p *segmentPostings) df() int { return int(p.Count()) }
func (p *segmentPostings) close()  { _ = p.Close() } // gives a buffer back

func (p *segmentPostings) each(visit func(id uint64, tf, length float64)) error {
	var d api.TermFieldDoc
	for {
		next, err := p.Next(&d)
		if err != nil {
			return fmt.Errorf("read postings: %w", err)
		}
		if next == nil {
			return nil
		}
		// bleve hands out 1/√length (zapx, Posting.Norm).
		visit(next.ID.Value(), float64(next.Freq), math.Round(1/(next.Norm*next.Norm)))
		d.ID = d.ID[:0]
	}
}

// files is a corpus made by reading the brain's files for one query. Documents are
// numbered in the order of their paths.
type files struct {
	paths  []string
	heads  map[string]head
	rows   map[string]map[string]filePostings // field, term
	length int
}

type posting struct {
	id         uint64
	tf, length float64
}

type filePostings []posting

func (p filePostings) df() int { return len(p) }
func (p filePostings) close()  {}
func (p filePostings) each(visit func(id uint64, tf, length float64)) error {
	for _, d := range p {
		visit(d.id, d.tf, d.length)
	}
	return nil
}

// scan reads every file of the brain and counts the words of one query.
func (x *Index) scan(ctx context.Context, q query) (*files, error) {
	asked := map[string]bool{}
	for _, u := range q.units {
		for _, t := range u.terms {
			asked[t] = true
		}
	}
	var work []file
	if err := x.cfg.Brain.Walk(ctx, func(rel string, info fs.FileInfo) error {
		work = append(work, file{rel, info})
		return nil
	}, nil); err != nil {
		return nil, fmt.Errorf("walk the brain: %w", err)
	}
	f := &files{heads: make(map[string]head, len(work)), rows: map[string]map[string]filePostings{fieldText: {}, fieldKind: {}}}
	var found []*doc
	var mu sync.Mutex // guards found
	x.eachFile(ctx, work, func() (func(file, []byte, time.Time), func()) {
		var r reader
		var mine []*doc
		return func(w file, src []byte, at time.Time) {
				if src != nil {
					mine = append(mine, r.count(w, src, asked))
				}
			}, func() {
				mu.Lock()
				found = append(found, mine...)
				mu.Unlock()
			}
	})
	slices.SortFunc(found, func(a, b *doc) int {
		if a.path < b.path {
			return -1
		}
		return 1
	})
	for i, d := range found {
		id := uint64(i)
		f.paths = append(f.paths, d.path)
		f.heads[d.path] = d.head
		f.length += d.length
		for _, c := range d.text {
			f.rows[fieldText][c.term] = append(f.rows[fieldText][c.term], posting{id, float64(c.n), float64(d.length)})
		}
		if d.boost > 0 {
			f.rows[fieldKind][kindCard] = append(f.rows[fieldKind][kindCard], posting{id, float64(d.boost), 1})
		}
	}
	return f, ctx.Err()
}

// count is read for the words of one query only.
func (r *reader) count(f file, src []byte, asked map[string]bool) *doc {
	card, _ := lessons.Parse(f.rel, src)
	d := &doc{path: f.rel, boost: boostOf(card)}
	counts := map[string]int{}
	d.length = r.cut(card, func(term string, weight int) {
		if asked[term] {
			counts[term] += weight
		}
	})
	for t, n := range counts {
		d.text = append(d.text, count{t, n})
	}
	d.head = newHead(card, f.info.ModTime().UnixNano(), f.info.Size(), 0, d.length)
	return d
}

func (f *files) docs() (int, float64, error) {
	return len(f.paths), mean(f.length, len(f.paths)), nil
}

func (f *files) term(_ context.Context, field, term string) (postings, error) {
	return f.rows[field][term], nil
}

func (f *files) path(id uint64) (string, error) { return f.paths[id], nil }
