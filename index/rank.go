package index

import (
	"cmp"
	"context"
	"math"
	"slices"

	"handrail/lessons/terms"
)

// The formula. Every constant was chosen on sets of different kinds; docs/ranking.md has
// the measurements.
const (
	// k1 and b are BM25's term saturation and length pivot (Robertson and Zaragoza, "The
	// Probabilistic Relevance Framework", 2009, eq. 3.15). b is below the customary 0.75
	// because a long note is often long for the sake of its subject.
	k1 = 2.0
	b  = 0.8
	// k3 saturates how often the query itself repeats a word (ibid., eq. 3.17).
	k3 = 1.0
	// leadBoost is what a query's first word weighs more than a late one, falling with
	// leadFall words: people say first what it is about, and long reports trail off.
	leadBoost = 1.0
	leadFall  = 25.0
	// maxUnits bounds the words of a query that are looked up, those with the most mass
	// first. Matches of a query are kept in one machine word.
	maxUnits = 64
	// maxWords bounds the words of a query that are read at all.
	maxWords = 4096
)

// corpus is what the formula needs to know of the documents. There are two: bleve's
// postings, and the files read on the spot.
type corpus interface {
	// docs returns how many documents there are, and their mean length in weighted terms.
	docs() (n int, meanLength float64, err error)
	// find returns the documents that hold a term in a field.
	find(ctx context.Context, field, term string) (postings, error)
	// path returns the path of a document.
	path(id uint64) (string, error)
}

// postings is the list of the documents that hold one term. It must be closed.
type postings interface {
	count() int
	// each calls f for every document, once; length is that of the field.
	each(f func(id uint64, tf, length float64)) error
	close()
}

// unit is one word of a query.
type unit struct {
	word    string // as terms.Words gives it
	surface string // as the person wrote it
	terms   []string
	weight  float64    // by repetition and place
	idf     float64    // of the unit as a whole
	grams   []float64  // the rarity of each of its terms
	lists   []postings // and who holds it
}

// query is a text made ready for the formula.
type query struct {
	units []unit
}

// parse cuts a query into units; the first maxUnits by weight are chosen later, when
// their rarity is known.
func parse(text string) query {
	var q query
	at := map[string]int{}
	counts := map[string]int{}
	words := terms.Words(text)
	if len(words) > maxWords {
		words = words[:maxWords]
	}
	norm := terms.Normalize(text)
	pos := 0
	add := func(key, surface string, ts []string) {
		counts[key]++
		if _, ok := at[key]; ok {
			return
		}
		at[key] = len(q.units)
		lead := 1 + leadBoost*math.Exp(-float64(pos)/leadFall)
		q.units = append(q.units, unit{word: key, surface: surface, terms: ts, weight: lead})
	}
	var s terms.Scanner
	for _, w := range words {
		if w.Stop {
			continue
		}
		surface := norm[w.Start:w.End]
		switch w.Class {
		case terms.Hangul, terms.Han:
			var grams []string
			s.Scan(w.Text, func(t terms.Term) { grams = append(grams, t.Text) })
			if len(grams) > 0 {
				add(w.Text, w.Text, grams)
			}
		case terms.Code:
			s.Scan(surface, func(t terms.Term) {
				if !t.Stop {
					add(t.Text, norm[w.Start:][t.Start:t.End], []string{t.Text})
				}
			})
		default:
			add(w.Text, surface, []string{w.Text})
		}
		pos++
	}
	for key, i := range at {
		n := float64(counts[key])
		q.units[i].weight *= (k3 + 1) * n / (k3 + n)
	}
	return q
}

// idf is BM25's inverse document frequency, never negative, with the prior's documents
// counted in; word is what the term belongs to.
func idf(n, df int, word string) float64 {
	seen := float64(df) + prior(word)
	return math.Log(1 + (float64(n)+priorSize-seen+0.5)/(seen+0.5))
}

// match is one document's standing.
type match struct {
	id      uint64
	score   float64 // BM25
	share   float64 // of the query's mass that the document holds, 0 to 1
	norm    float64 // score as a share of what a perfect document would have, 0 to 1
	matched uint64  // which units, by their bit
	isCard  bool
}

// ranking is the outcome of one query over one corpus.
type ranking struct {
	units   []unit
	matches []match // unordered
	n       int     // documents in the corpus
}

// scratch holds the accumulators of one search, reused by the next.
type scratch struct {
	score, mass []float32
	matched     []uint64
	touched     []uint64
	cards       []bool
	matches     []match
}

func (a *scratch) grow(id uint64) {
	if n := int(id) + 1; n > len(a.score) {
		n = max(n, 2*len(a.score), 1024)
		a.score = append(a.score, make([]float32, n-len(a.score))...)
		a.mass = append(a.mass, make([]float32, n-len(a.mass))...)
		a.matched = append(a.matched, make([]uint64, n-len(a.matched))...)
		a.cards = append(a.cards, make([]bool, n-len(a.cards))...)
	}
}

func (a *scratch) reset() {
	for _, id := range a.touched {
		a.score[id], a.mass[id], a.matched[id] = 0, 0, 0
	}
	a.touched = a.touched[:0]
	clear(a.cards)
}

// rank scores every document that shares a word with the query.
func rank(ctx context.Context, c corpus, q query, a *scratch) (ranking, error) {
	n, mean, err := c.docs()
	if err != nil || n == 0 || len(q.units) == 0 {
		return ranking{n: n}, err
	}
	units, done, err := weigh(ctx, c, q.units, n)
	defer done()
	if err != nil {
		return ranking{}, err
	}
	total := 0.0
	for i := range units {
		total += units[i].weight * units[i].idf
	}
	for i := range units {
		if err := a.add(&units[i], uint64(1)<<i, mean); err != nil {
			return ranking{}, err
		}
		if err := ctx.Err(); err != nil {
			return ranking{}, err
		}
	}
	cards, err := c.find(ctx, fieldKind, kindCard)
	if err != nil {
		return ranking{}, err
	}
	defer cards.close()
	if err := cards.each(func(id uint64, _, _ float64) {
		a.grow(id)
		a.cards[id] = true
	}); err != nil {
		return ranking{}, err
	}
	a.matches = a.matches[:0]
	for _, id := range a.touched {
		a.matches = append(a.matches, match{
			id: id, score: float64(a.score[id]), matched: a.matched[id], isCard: a.cards[id],
			share: float64(a.mass[id]) / total, norm: float64(a.score[id]) / (total * (k1 + 1)),
		})
	}
	return ranking{units: units, n: n, matches: a.matches}, nil
}

// add scores the documents that hold one unit of the query. The pieces of one word share
// its mass by their rarity.
func (a *scratch) add(u *unit, bit uint64, mean float64) error {
	sum := 0.0
	for _, g := range u.grams {
		sum += g
	}
	for j, list := range u.lists {
		mass := u.weight * u.idf * u.grams[j] / sum
		gain, flat, slope := mass*(k1+1), k1*(1-b), k1*b/mean
		err := list.each(func(id uint64, tf, length float64) {
			a.grow(id)
			if a.matched[id] == 0 {
				a.touched = append(a.touched, id)
			}
			a.score[id] += float32(gain * tf / (tf + flat + slope*length))
			a.mass[id] += float32(mass)
			a.matched[id] |= bit
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// weigh finds out how rare the units are and keeps those with the most mass. The lists it
// opens are closed by done, which is never nil.
func weigh(ctx context.Context, c corpus, units []unit, n int) (out []unit, done func(), err error) {
	var opened []postings
	done = func() {
		for _, l := range opened {
			l.close()
		}
	}
	out = make([]unit, 0, len(units))
	for _, u := range units {
		u.grams, u.lists = make([]float64, len(u.terms)), make([]postings, len(u.terms))
		for j, t := range u.terms {
			list, err := c.find(ctx, fieldText, t)
			if err != nil {
				return nil, done, err
			}
			opened = append(opened, list)
			u.lists[j] = list
			u.grams[j] = idf(n, list.count(), u.word)
			u.idf = max(u.idf, u.grams[j])
		}
		out = append(out, u)
	}
	if len(out) > maxUnits {
		slices.SortStableFunc(out, func(a, b unit) int { return -cmp.Compare(a.weight*a.idf, b.weight*b.idf) })
		out = out[:maxUnits]
	}
	return out, done, nil
}
