package index

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	api "github.com/blevesearch/bleve_index_api"

	"github.com/handrail-dev/handrail/index/mapped"
	"github.com/handrail-dev/handrail/lessons"
)

// Query is a question to the index.
type Query struct {
	Text     string
	Files    []string         // slash paths the request is about, relative to the project
	Project  string           // cards of another project are left out
	Limit    int              // most hits to return, cards and notes together, or with Strength of each; 0 means 10
	Cards    bool             // look for cards
	Notes    bool             // look for notes
	Statuses []lessons.Status // of cards; empty means any but Conflicted
	Strength bool             // tell how surely each hit speaks to the text, and order by that; see floor.go

	explained *explained // one file whose standing is wanted as well
}

// Hit is a card or note that speaks to a query.
type Hit struct {
	Card      lessons.Card       // the head: no body, no sections
	Score     float64            // Relevance times every boost
	Relevance float64            // BM25 as a share of what a perfect document would score, 0 to 1
	Terms     []string           // words of the query that the file holds, rarest first
	Words     []string           // what it holds for them as the index has it: stems, other spellings, synonyms
	Boosts    map[string]float64 // what Relevance was multiplied with, by name

	Strength   float64 // how surely the file speaks to the query, 1 at the floor; only if asked for
	Similarity float64 // cosine with the query, by who embeds both; 0 without

	match match
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
	// pathsLift is what a card's strength is multiplied with when its paths hold a file of the
	// request: half of the words do then.
	pathsLift = 2
	// verifiedBoost is for a card that a person has checked. It is half of what high severity
	// adds, so it decides between cards that are about as close.
	verifiedBoost = 1.05
	// Occurrences: what went wrong five times is louder than a one-off, and frequency
	// saturates: 1 + min(0.3, 0.1·ln n), which is 1 for a mistake seen once.
	occurrenceStep = 0.1
	occurrenceMax  = 0.3
	// passageBoost is for words of the query that stand together: 1 + twice what the passage
	// with the most has of them. A session that has each word somewhere is not one that
	// speaks of them. Beyond passageWords it fades with the square of the length, and is
	// nothing for queries of more than maxPassageWords: a report is not said in one passage.
	passageBoost    = 2
	passageWords    = 12
	maxPassageWords = 16
	// passageExponent flattens what words are worth there: the company of a rare word says
	// more than the rare word does.
	passageExponent = 0.6
	// passageDepth is among how many times as many as are asked for the passages decide.
	passageDepth = 4
)

// nearness is what a word counts for a place that is none, one or two from its own.
var nearness = [...]float64{1, 0.7, 0.3}

// Search returns what speaks to a query, best first. A query without significant words has no hits. While the first
// index of a brain is made, and while a damaged one is made anew, Search waits for it.
func (x *Index) Search(ctx context.Context, q Query) ([]Hit, error) {
	parsed := parse(q.Text)
	if len(parsed.units) == 0 {
		return nil, ctx.Err()
	}
	hits, s, err := x.searchStore(ctx, q, parsed, nil)
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrClosed) {
		x.cfg.Log.Error("index could not be read", "err", err)
		x.rebuild()
		hits, _, err = x.searchStore(ctx, q, parsed, s)
	}
	return hits, cmp.Or(ctx.Err(), err)
}

// rebuild has a damaged index built anew in the background.
func (x *Index) rebuild() {
	x.damaged.Store(true)
	select {
	case x.mend <- struct{}{}:
	default: // asked for already
	}
}

// searchStore searches bleve's postings, once there is a store other than the one that could not be read.
func (x *Index) searchStore(ctx context.Context, q Query, parsed query, unreadable *store) (hits []Hit, s *store, err error) {
	if err := x.await(ctx, unreadable); err != nil {
		return nil, nil, err
	}
	defer x.mu.RUnlock()
	err = mapped.Read(func() error {
		snapshot, err := x.pic.store.snapshot()
		if err != nil {
			return err
		}
		defer snapshot.Close() //nolint:errcheck // read only
		v, err := x.pic.store.lists.at(snapshot, pivotOf(x.pic.length, len(x.pic.heads)))
		if err != nil {
			return err
		}
		hits, err = answer(ctx, q, parsed, &segments{view: v}, x.pic.heads)
		return err
	})
	return hits, x.pic.store, err
}

// await returns, with the picture locked for reading, when it has a store other than this one.
func (x *Index) await(ctx context.Context, other *store) error {
	for {
		x.mu.RLock()
		if s := x.pic.store; s != nil && s != other {
			return nil
		}
		built, failed := x.built, x.failed
		x.mu.RUnlock()
		if failed != nil {
			return fmt.Errorf("make the index: %w", failed)
		}
		select {
		case <-built:
		case <-ctx.Done():
			return ctx.Err()
		case <-x.ctx.Done():
			return ErrClosed
		}
	}
}

// answer ranks a corpus and turns the best matches into hits.
func answer(ctx context.Context, q Query, parsed query, c *segments, heads map[string]head) ([]Hit, error) {
	r, err := weighed(c, parsed)
	if err != nil || len(r.units) == 0 {
		return nil, err
	}
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	t := taker{q: q, c: c, language: "en", heads: heads, r: r, paths: 1}
	if slices.ContainsFunc(parsed.units, func(u unit) bool { return u.spoken != "" }) {
		t.language = "ko"
	}
	if len(q.Files) > 0 {
		t.paths = pathsBoost
	}
	if n := float64(len(r.units)); n <= maxPassageWords {
		t.together = passageBoost * min(1, (passageWords/n)*(passageWords/n))
	}
	t.a.scores = make([]float32, len(c.boosts))
	if err := t.a.sum(ctx, r); err != nil {
		return nil, err
	}
	cards, notes := t.candidates()
	if q.Strength {
		hits, err := t.strongest(ctx, cards, notes)
		if err == nil && q.explained != nil {
			err = t.explain()
		}
		return hits, err
	}
	limit := q.Limit
	if t.together > 0 {
		limit = passageDepth * min(q.Limit, max(c.n, 1))
	}
	return t.take(ctx, append(cards, notes...), limit)
}

// better orders hits: by score, then those seen last first, then by path.
func better(a, b Hit) int {
	return cmp.Or(-cmp.Compare(a.Score, b.Score), -strings.Compare(a.Card.LastSeen.String(), b.Card.LastSeen.String()), strings.Compare(a.Card.Path, b.Card.Path))
}

// taker turns documents into hits.
type taker struct {
	q        Query
	c        *segments
	heads    map[string]head
	r        ranking
	a        scratch
	paths    float64 // what a card's boost may be multiplied with beside those that are known
	language string  // of the query
	together float64 // what a score gains where all of the query stands in one passage
}

// strongest returns the strongest cards and the strongest notes.
func (t *taker) strongest(ctx context.Context, cards, notes queue) (hits []Hit, err error) {
	for _, kind := range []queue{cards, notes} {
		found, err := t.take(ctx, kind, max(strongestOf, 2*t.q.Limit))
		if err != nil {
			return nil, err
		}
		hits = append(hits, found...)
	}
	slices.SortFunc(hits, better)
	return hits, nil
}

// candidates returns the documents that hold a word of the query, by kind.
func (t *taker) candidates() (cards, notes queue) {
	for _, id := range t.a.touched {
		c := candidate{id, t.a.scores[id] * float32(1+t.together)}
		switch boost := t.c.boosts[id]; {
		case boost > 0 && t.q.Cards:
			c.most *= boost * float32(t.paths)
			cards = append(cards, c)
		case boost == 0 && t.q.Notes:
			notes = append(notes, c)
		}
	}
	return cards, notes
}

// slack makes up for the rounding of sums that are compared.
const slack = 1.0001

// take returns the best hits among candidates, best first. It looks at the best so many that the query admits, and at
// others only where a boost that is not known yet may lift them above these.
func (t *taker) take(ctx context.Context, left queue, depth int) ([]Hit, error) {
	heap.Init(&left)
	scale := t.r.total * (k1 + 1)
	hits := make([]Hit, 0, min(passageDepth*min(t.q.Limit, len(left)), len(left)))
	best := make([]float64, 0, min(t.q.Limit, len(left))) // the highest scores so far, descending
	bar := float32(0)
	for read, admitted := 1, 0; len(left) > 0; read++ {
		c := heap.Pop(&left).(candidate)
		if c.most*slack < bar {
			break
		}
		if !t.q.Strength && len(best) == t.q.Limit && float64(c.most)*slack < best[t.q.Limit-1]*scale {
			break // nor can any after it
		}
		if read%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		path, err := t.c.snapshot.ExternalID(api.NewIndexInternalID(nil, uint64(c.id)))
		if err != nil {
			return nil, fmt.Errorf("name a hit: %w", err)
		}
		h, ok := t.heads[path]
		if !ok {
			continue // written a moment ago
		}
		score := float64(t.a.scores[c.id])
		hit := Hit{Card: h.at(path), Relevance: score / scale, Score: score / scale, match: match{id: c.id}}
		if !t.q.admits(hit.Card) {
			continue
		}
		if admitted++; admitted == depth {
			bar = c.most / float32(t.paths)
		}
		hit.Boosts = boosts(hit.Card, t.q.Files)
		if t.q.Strength {
			strength, lone := t.r.strength(&hit.match, h.long())
			hit.Strength = t.r.titled(strength, lone, hit.Card)
			if hit.Strength == 0 {
				continue
			}
			if hit.Boosts["paths"] > 0 {
				hit.Strength *= pathsLift
			}
			hit.Score = hit.Strength
		} else if t.together > 0 {
			hit.Boost("passage", 1+t.together*t.r.passage(c.id))
		}
		for _, name := range boostNames {
			if factor, ok := hit.Boosts[name]; ok {
				hit.Score *= factor
			}
		}
		hits = append(hits, hit)
		at, _ := slices.BinarySearchFunc(best, hit.Score, func(a, b float64) int { return -cmp.Compare(a, b) })
		best = slices.Insert(best, at, hit.Score)
		if len(best) > t.q.Limit {
			best = best[:t.q.Limit]
		}
	}
	preferTwins(hits, t.language)
	slices.SortFunc(hits, better)
	hits = hits[:min(t.q.Limit, len(hits))]
	for i := range hits {
		m := &hits[i].match
		if !t.q.Strength { // it has looked already
			t.r.look(m)
		}
		hits[i].Terms, hits[i].Words = t.r.terms(*m), t.r.words(*m)
	}
	return hits, nil
}

// candidate is a document and the highest its score can come to.
type candidate struct {
	id   uint32
	most float32
}

// queue hands out candidates best first: of tens of thousands only the first few are wanted.
type queue []candidate

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].most > q[j].most }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push is never called.
func (q *queue) Push(any) {}

// Pop takes the last one away.
func (q *queue) Pop() any {
	last := len(*q) - 1
	c := (*q)[last]
	*q = (*q)[:last]
	return c
}

// admits reports whether a card may answer the query at all.
func (q Query) admits(c lessons.Card) bool {
	if !c.Kind.IsCard() {
		return true
	}
	if !c.For(q.Project) || c.Status == lessons.Conflicted {
		return false
	}
	return len(q.Statuses) == 0 || slices.Contains(q.Statuses, c.Status)
}

// boostNames are the factors of take in the order in which they are multiplied, so that
// the last bit of a score is always the same.
var boostNames = [...]string{"card", "occurrences", "passage", "paths", "severity", "source", "verified"}

// boosts returns what a card's relevance is multiplied with, by name; factors of one are left out.
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
	if c.Verified {
		out["verified"] = verifiedBoost
	}
	if _, ok := lessons.MatchPaths(c.Paths, files); ok {
		out["paths"] = pathsBoost
	}
	return out
}

// terms returns the words of the query that a match holds, rarest first.
func (r ranking) terms(m match) []string {
	at := make([]int, 0, bits.OnesCount64(m.matched))
	for i := range r.units {
		if m.matched>>i&1 == 1 {
			at = append(at, i)
		}
	}
	slices.SortFunc(at, func(a, b int) int {
		return cmp.Or(-cmp.Compare(r.units[a].idf, r.units[b].idf), cmp.Compare(r.units[a].place, r.units[b].place))
	})
	out := make([]string, len(at))
	for i, u := range at {
		out[i] = r.units[u].surface
	}
	return out
}

// words returns what a match holds for the words of the query, as the index has it.
func (r ranking) words(m match) (out []string) {
	for i := range r.units {
		if m.matched>>i&1 == 0 {
			continue
		}
		u := &r.units[i]
		if u.in(m.id) > 0 {
			out = append(out, u.word)
		}
		for k := range u.others {
			if u.others[k].in(m.id) > 0 {
				out = append(out, u.others[k].word)
			}
		}
	}
	return out
}

// scratch holds the accumulators of one search.
type scratch struct {
	scores  []float32 // by document
	touched []uint32  // documents with a score
}

// sum gives every document that holds a word of a ranking its score.
func (a *scratch) sum(ctx context.Context, r ranking) error {
	for i := range r.units {
		u := &r.units[i]
		a.add(u, 1)
		for k := range u.others {
			a.add(&u.others[k], otherWeight)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// add gives every document that holds a unit its share of the unit's mass. The bigrams of one word share it by
// their rarity.
func (a *scratch) add(u *unit, weight float64) {
	for j, list := range u.lists {
		mass := float32(weight * u.mass() * u.shares[j] * impactStep)
		for i, id := range list.ids {
			s := a.scores[id]
			if s == 0 {
				a.touched = append(a.touched, id)
			}
			a.scores[id] = s + mass*float32(list.impacts[i])
		}
	}
}

// Standing is how one file stands to a query.
type Standing struct {
	Hit     Hit      // its words and strength; without a score
	Missing []string // words of the query that it lacks, rarest first
	Share   float64  // its strength as a share of what the floor asks for beside the best match, 1 where it clears it; 0 for one word of several
}

// Explain tells how the file at path stands to a query, whatever its project and status. A
// file that holds no word of it has a zero Standing.
func (x *Index) Explain(ctx context.Context, q Query, path string) (Standing, error) {
	q.Strength, q.explained = true, &explained{path: path}
	if _, err := x.Search(ctx, q); err != nil {
		return Standing{}, err
	}
	return q.explained.Standing, nil
}

// explained is the file that a search is to explain, and what came of it.
type explained struct {
	path string
	Standing
}

// explain fills in how the file that is asked about stands, beside those found.
func (t *taker) explain() error {
	e := t.q.explained
	h, ok := t.heads[e.path]
	id, err := t.c.snapshot.InternalID(e.path)
	if err != nil || !ok || id == nil {
		return err
	}
	e.Hit = Hit{Card: h.at(e.path), match: match{id: uint32(id.Value())}}
	t.r.look(&e.Hit.match)
	if e.Hit.match.matched == 0 {
		e.Hit = Hit{}
		return nil
	}
	strength, lone := t.r.strength(&e.Hit.match, h.long())
	e.Hit.Strength = t.r.titled(strength, lone, e.Hit.Card)
	if boosts(e.Hit.Card, t.q.Files)["paths"] > 0 {
		e.Hit.Strength *= pathsLift
	}
	e.Hit.Terms, e.Hit.Words = t.r.terms(e.Hit.match), t.r.words(e.Hit.match)
	e.Missing = t.r.terms(match{matched: ^e.Hit.match.matched & (1<<len(t.r.units) - 1)})
	e.Share = min(1, e.Hit.Strength)
	return nil
}
