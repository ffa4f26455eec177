package index

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"handrail/lessons"
)

// files is a corpus made by reading the brain's files for one query. Documents are
// numbered in the order of their paths.
type files struct {
	paths   []string
	heads   map[string]head
	rows    map[string]postings
	cards   []float32 // boosts
	highest float32
	pivot   float64
}

// scan reads every file of the brain and counts the words of one query.
func (x *Index) scan(ctx context.Context, q query) (*files, error) {
	var work []file
	if err := x.cfg.Brain.Walk(ctx, func(rel string, info fs.FileInfo) error {
		work = append(work, file{rel, info})
		return nil
	}, nil); err != nil {
		return nil, fmt.Errorf("walk the brain: %w", err)
	}
	f := &files{heads: make(map[string]head, len(work)), rows: map[string]postings{}}
	var found []*doc
	var mu sync.Mutex // guards found
	x.eachFile(ctx, work, func() (func(file, []byte, time.Time), func()) {
		var r reader
		var mine []*doc
		e := earOf(q)
		return func(w file, src []byte, at time.Time) {
				if src != nil {
					mine = append(mine, r.count(w, src, e))
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
	length := 0
	for _, d := range found {
		f.paths = append(f.paths, d.path)
		f.heads[d.path] = d.head
		f.cards = append(f.cards, float32(d.boost)/boostUnit)
		f.highest = max(f.highest, f.cards[len(f.cards)-1])
		length += d.length
	}
	f.pivot = pivotOf(length, len(found))
	for i, d := range found {
		for _, c := range d.text {
			p := f.rows[c.term]
			p.add(uint32(i), impactOf(float64(min(c.n, maxCount)), normOf(float64(d.length), f.pivot)), c.places)
			f.rows[c.term] = p
		}
	}
	return f, ctx.Err()
}

// count is read for the words of one query only.
func (r *reader) count(f file, src []byte, e *ear) *doc {
	card, _ := lessons.Parse(f.rel, src)
	d := &doc{path: f.rel, boost: boostOf(card)}
	counts := map[string]uses{}
	d.length = r.cut(card, func(term string, weight int, places uint64) {
		if e.wants(term) {
			u := counts[term]
			counts[term] = uses{u.n + weight, u.places | places}
		}
	})
	for t, u := range counts {
		d.text = append(d.text, count{t, u})
	}
	d.head = newHead(card, f.info.ModTime().UnixNano(), f.info.Size(), 0, d.length)
	return d
}

func (f *files) docs() (int, float64)                   { return len(f.paths), f.pivot }
func (f *files) df(term string) (int, error)            { return f.rows[term].n, nil }
func (f *files) has(term string) (bool, error)          { return f.rows[term].n > 0, nil }
func (f *files) postings(term string) (postings, error) { return f.rows[term], nil }
func (f *files) boosts() ([]float32, float32)           { return f.cards, f.highest }
func (f *files) path(id uint32) (string, error)         { return f.paths[id], nil }
