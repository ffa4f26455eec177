package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"handrail/lessons"
)

// Query is a question to the index.
type Query struct {
	Text     string
	Files    []string         // slash paths the request is about, relative to the project
	Project  string           // cards of another project are left out
	Limit    int              // most hits to return, cards and notes together; 0 means 10
	Cards    bool             // look for cards
	Notes    bool             // look for notes
	Statuses []lessons.Status // of cards; empty means any
	Floor    bool             // only what certainly speaks to the text; see floor.go
}

// Hit is a card or note that speaks to a query.
type Hit struct {
	Card      lessons.Card       // the head: no body, no sections
	Score     float64            // Relevance times every boost
	Relevance float64            // BM25 as a share of what a perfect document would score, 0 to 1
	Terms     []string           // words of the query that the file holds, rarest first
	Boosts    map[string]float64 // what Relevance was multiplied with, by name
}

// defaultLimit is how many hits a query has that does not say.
const defaultLimit = 10

// The boosts. Each is modest: none lifts a card over one that is clearly closer.
const (
	cardBoost  = 1.15 // a card is distilled, a note is not
	lowBoost   = 0.95
	highBoost  = 1.1
	autoBoost  = 0.8 // written from a candidate, not yet by a person's own hand
	pathsBoost = 1.25
	// Occurrences: what went wrong five times is louder than a one-off, and frequency
	// saturates: 1 + min(0.3, 0.1·ln n), which is 1 for a mistake seen once.
	occurrenceStep = 0.1
	occurrenceMax  = 0.3
)

// buffers keeps the accumulators of finished searches.
type buffers struct{ pool sync.Pool }

func (b *buffers) get() *scratch {
	if a, ok := b.pool.Get().(*scratch); ok {
		return a
	}
	return &scratch{}
}

func (b *buffers) put(a *scratch) {
	a.reset()
	b.pool.Put(a)
}

// Search returns what speaks to a query, best first. A query without significant words
// has no hits.
func (x *Index) Search(ctx context.Context, q Query) ([]Hit, error) {
	parsed := parse(q.Text)
	if len(parsed.units) == 0 {
		return nil, ctx.Err()
	}
	hits, ok, err := x.searchStore(ctx, q, parsed)
	if ok && (err == nil || ctx.Err() != nil) {
		return hits, err
	}
	if ok {
		x.cfg.Log.Error("index could not be read; answering from the files", "err", err)
		x.rebuild()
	}
	f, err := x.scan(ctx, parsed)
	if err != nil {
		return nil, err
	}
	a := x.buffers.get()
	defer x.buffers.put(a)
	return x.search(ctx, q, parsed, f, a, func(path string) *head {
		i, ok := slices.BinarySearchFunc(f.byPath(), path, func(h *head, p string) int { return strings.Compare(h.card.Path, p) })
		if !ok {
			return nil
		}
		return f.byPath()[i]
	})
}

// rebuild has a damaged index built anew in the background.
func (x *Index) rebuild() {
	if !x.damaged.CompareAndSwap(false, true) {
		return
	}
	x.wg.Go(func() {
		if _, err := x.Sync(x.ctx); err != nil && x.ctx.Err() == nil {
			x.cfg.Log.Error("index not built anew", "err", err)
		}
	})
}

// searchStore searches bleve's postings; ok is false when there are none. The library's
// panics on damaged segments are errors.
func (x *Index) searchStore(ctx context.Context, q Query, parsed query) (hits []Hit, ok bool, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.store == nil {
		return nil, false, nil
	}
	ok = true
	defer func() {
		if p := recover(); p != nil {
			hits, err = nil, fmt.Errorf("damaged: %v", p)
		}
	}()
	r, err := x.store.bleve.Reader()
	if err != nil {
		return nil, ok, fmt.Errorf("read the index: %w", err)
	}
	defer r.Close() //nolint:errcheck // a snapshot
	a := x.buffers.get()
	defer x.buffers.put(a)
	hits, err = x.search(ctx, q, parsed, &segments{reader: r, length: x.length}, a, func(path string) *head { return x.heads[path] })
	return hits, ok, err
}

func (x *Index) search(ctx context.Context, q Query, parsed query, c corpus, a *scratch, headOf func(path string) *head) ([]Hit, error) {
	r, err := rank(ctx, c, parsed, a)
	if err != nil {
		return nil, err
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	floor := 0.0
	if q.Floor {
		floor = r.floor()
	}
	matches := r.matches[:0]
	for _, m := range r.matches {
		if m.isCard && !q.Cards || !m.isCard && !q.Notes || q.Floor && !r.speaks(m, floor) {
			continue
		}
		matches = append(matches, m)
	}
	hits, err := q.collect(ctx, r, contenders(matches, limit), limit, c, headOf)
	if err == nil && len(hits) < limit && len(hits) < len(matches) {
		// So many were of another project or status that the rest may be among the hits.
		hits, err = q.collect(ctx, r, matches, limit, c, headOf)
	}
	return hits, err
}

// contenders returns the matches that may be among the best limit once boosts are known.
// With ten thousand matches of which ten are wanted, sorting them all is the larger part
// of a search.
func contenders(matches []match, limit int) []match {
	if len(matches) <= 4*limit {
		return matches
	}
	best := make([]float64, 0, limit+1) // the highest sure scores, rising
	for _, m := range matches {
		low := m.norm
		if m.isCard {
			low *= minBoost
		}
		if len(best) == limit && low <= best[0] {
			continue
		}
		i, _ := slices.BinarySearch(best, low)
		best = slices.Insert(best, i, low)
		if len(best) > limit {
			best = best[1:]
		}
	}
	var out []match
	for _, m := range matches {
		high := m.norm
		if m.isCard {
			high *= maxBoost
		}
		if high >= best[0] {
			out = append(out, m)
		}
	}
	return out
}

// collect reads the heads of matches and returns the best limit of those that the query
// admits.
func (q Query) collect(ctx context.Context, r ranking, matches []match, limit int, c corpus, headOf func(path string) *head) ([]Hit, error) {
	slices.SortFunc(matches, func(a, b match) int { return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(a.id, b.id)) })
	var hits []Hit
	kth := math.Inf(-1)
	for i, m := range matches {
		if len(hits) >= limit && m.norm*maxBoost < kth {
			break
		}
		if len(hits) >= limit && !m.isCard && m.norm < kth {
			continue // nothing lifts a note
		}
		if i&1023 == 1023 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		path, err := c.path(m.id)
		if err != nil {
			return nil, fmt.Errorf("name a hit: %w", err)
		}
		h := headOf(path)
		if h == nil || !q.admits(h.card) {
			continue
		}
		hit := Hit{Card: h.card, Relevance: m.norm}
		hit.Boosts = boosts(h.card, q.Files)
		hit.Score = m.norm
		for _, f := range hit.Boosts {
			hit.Score *= f
		}
		hit.Terms = r.terms(m)
		hits = append(hits, hit)
		if len(hits) >= limit {
			kth = worst(hits, limit)
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), -strings.Compare(a.Card.LastSeen.String(), b.Card.LastSeen.String()), strings.Compare(a.Card.Path, b.Card.Path))
	})
	return hits[:min(limit, len(hits))], nil
}

// maxBoost and minBoost are the products of a card's highest and lowest boosts.
const (
	maxBoost = cardBoost * highBoost * pathsBoost * (1 + occurrenceMax)
	minBoost = cardBoost * lowBoost * autoBoost
)

// worst returns the score of the limit-th best hit.
func worst(hits []Hit, limit int) float64 {
	scores := make([]float64, len(hits))
	for i, h := range hits {
		scores[i] = h.Score
	}
	slices.Sort(scores)
	return scores[len(scores)-limit]
}

// admits reports whether a card may answer the query at all.
func (q Query) admits(c lessons.Card) bool {
	if !c.Kind.IsCard() {
		return true
	}
	if q.Project != "" && c.Project != "" && !strings.EqualFold(q.Project, c.Project) {
		return false
	}
	return len(q.Statuses) == 0 || slices.Contains(q.Statuses, c.Status)
}

// boosts returns what a card's relevance is multiplied with, by name; factors of one are
// left out.
func boosts(c lessons.Card, files []string) map[string]float64 {
	if !c.Kind.IsCard() {
		return nil
	}
	out := map[string]float64{"card": cardBoost}
	switch c.Severity {
	case lessons.Low:
		out["severity"] = lowBoost
	case lessons.High:
		out["severity"] = highBoost
	}
	if c.Source == lessons.Auto {
		out["source"] = autoBoost
	}
	if c.Occurrences > 1 {
		out["occurrences"] = 1 + min(occurrenceMax, occurrenceStep*math.Log(float64(c.Occurrences)))
	}
	if matchesPaths(c.Paths, files) {
		out["paths"] = pathsBoost
	}
	return out
}

func matchesPaths(globs, files []string) bool {
	for _, g := range globs {
		for _, f := range files {
			if ok, err := doublestar.Match(g, f); ok && err == nil {
				return true
			}
		}
	}
	return false
}

// terms returns the words of the query that a match holds, rarest first.
func (r ranking) terms(m match) []string {
	at := make([]int, 0, bits.OnesCount64(m.matched))
	for i := range r.units {
		if m.matched>>i&1 == 1 {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(a, b int) int { return -cmp.Compare(r.units[a].idf, r.units[b].idf) })
	out := make([]string, len(at))
	for i, u := range at {
		out[i] = r.units[u].surface
	}
	return out
}

// Rarity returns how rare an index term is in this brain, as BM25's inverse document
// frequency: about 0 for a word of every file, ln(2N) for one nobody wrote. Without an
// index all words are equally rare.
func (x *Index) Rarity(term string) (rarity float64) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.store == nil {
		return 1
	}
	defer func() {
		if recover() != nil { // damaged; the next search says so
			rarity = 1
		}
	}()
	r, err := x.store.bleve.Reader()
	if err != nil {
		return 1
	}
	defer r.Close() //nolint:errcheck // a snapshot
	c := &segments{reader: r}
	n, _, err := c.docs()
	if err != nil {
		return 1
	}
	list, err := c.find(context.Background(), fieldText, term)
	if err != nil {
		return 1
	}
	defer list.close()
	return idf(n, list.count(), term)
}
