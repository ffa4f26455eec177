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
	// Probabilistic Relevance Framework", 2009, eq. 3.15), at the upper end of the usual
	// ranges: words of a title count three times, so counts are higher, and a long file
	// here is mostly one of many subjects.
	k1 = 2.0
	b  = 0.8
	// k3 saturates how often the query itself repeats a word (ibid., eq. 3.17).
	k3 = 1.0
	// leadBoost is what a query's first word weighs more than a late one, falling with
	// leadFall words: people say first what it is about, and long reports trail off.
	leadBoost = 1.0
	leadFall  = 25.0
	// maxUnits bounds the words of a query that are looked up, those with the most mass
	// first. Which of them a document holds is kept in one machine word.
	maxUnits = 32
	// leastMass is what a word needs of the mass of the heaviest that the brain knows. What
	// weighs less is in most documents and in the longest lists; without it results are the
	// same or better.
	leastMass = 0.2
	// maxText and maxWords bound how much of a query is read, in bytes and in different
	// words: a pasted log says what it has to say in its first pages.
	maxText  = 64 << 10
	maxWords = 512
)

// corpus is what the formula needs to know of the documents. There are two: bleve's
// postings, and the files read on the spot.
type corpus interface {
	// docs returns how many documents there are, and their mean length in weighted terms.
	docs() (n int, mean float64, err error)
	// term returns the postings of a term; close gives them back.
	term(ctx context.Context, field, term string) (postings, error)
	// path returns the path of a document.
	path(id uint64) (string, error)
}

// postings are the documents that hold a term.
type postings interface {
	df() int
	// each calls visit for every document, with the weighted count of the term and the
	// length of the document; it can be called once.
	each(visit func(id uint64, tf, length float64)) error
	close()
}

func mean(length, n int) float64 { return max(1, float64(length)/float64(max(1, n))) }

// unit is one word of a query.
type unit struct {
	word    string // as terms.Words gives it
	surface string // as the person wrote it
	terms   []string
	whole   bool    // a code word whose pieces are units too
	place   int     // in the query, among its different words
	weight  float64 // by repetition and place
	idf     float64 // of the unit as a whole
	shares  []float64
	lists   []postings
	known   bool // some document holds it
}

// mass is what a unit is worth.
func (u unit) mass() float64 { return u.weight * u.idf }

// query is a text made ready for the formula.
type query struct{ units []unit }

// parse cuts a query into units; the maxUnits with the most mass are chosen later, when
// their rarity is known.
func parse(text string) query {
	if len(text) > maxText {
		text = text[:maxText]
	}
	text = terms.Normalize(text)
	var (
		q      query
		s      terms.Scanner
		at     = map[string]int{}
		counts []int
		pos    int
	)
	add := func(word, surface string, ts []string) *unit {
		if i, ok := at[word]; ok {
			counts[i]++
			return &q.units[i]
		}
		if len(q.units) == maxWords {
			return new(unit)
		}
		at[word] = len(q.units)
		lead := 1 + leadBoost*math.Exp(-float64(pos)/leadFall)
		q.units = append(q.units, unit{word: word, surface: surface, terms: ts, place: len(q.units), weight: lead})
		counts = append(counts, 1)
		return &q.units[len(q.units)-1]
	}
	for _, w := range terms.Words(text) {
		if w.Stop {
			continue
		}
		surface := text[w.Start:w.End]
		cjk := w.Class == terms.Hangul || w.Class == terms.Han
		switch {
		case cjk:
			var grams []string
			s.Scan(w.Text, func(t terms.Term) {
				if !slices.Contains(grams, t.Text) {
					grams = append(grams, t.Text)
				}
			})
			if len(grams) > 0 {
				add(w.Text, w.Text, grams)
			}
		case w.Class == terms.Code:
			pieces := 0
			s.Scan(surface, func(t terms.Term) {
				if t.Class == terms.Part && !t.Stop {
					pieces++
				}
			})
			s.Scan(surface, func(t terms.Term) {
				if !t.Stop {
					u := add(t.Text, surface[t.Start:t.End], []string{t.Text})
					u.whole = t.Class == terms.Code && pieces > 0
				}
			})
		default:
			add(w.Text, surface, []string{w.Text})
		}
		pos++
	}
	for i, n := range counts {
		q.units[i].weight *= (k3 + 1) * float64(n) / (k3 + float64(n))
	}
	return q
}

// match is one document's standing.
type match struct {
	id      uint64
	score   float64 // BM25
	share   float64 // of the query's mass that the document holds, 0 to 1
	norm    float64 // score as a share of what a perfect document would have, 0 to 1
	matched uint64  // which units, by their bit
	boost   float64 // of a card, paths left aside; 0 for a note
	most    float64 // norm times the highest boost there can be
}

// ranking is the outcome of one query over one corpus.
type ranking struct {
	units   []unit
	matches []match // unordered
	n       int     // documents in the corpus
	known   float64 // the share of the query's mass whose words the corpus has
}

// scratch holds the accumulators of one search, reused by the next.
type scratch struct {
	score, mass, part []float32
	matched           []uint64
	boost             []float32 // of cards
	touched           []uint64  // documents with a score
	begun             []uint64  // documents with a part of the current unit
}

func (a *scratch) grow(id uint64) {
	if n := int(id) + 1; n > len(a.score) {
		n = max(n, 2*len(a.score), 1024)
		a.score = append(a.score, make([]float32, n-len(a.score))...)
		a.mass = append(a.mass, make([]float32, n-len(a.mass))...)
		a.part = append(a.part, make([]float32, n-len(a.part))...)
		a.matched = append(a.matched, make([]uint64, n-len(a.matched))...)
		a.boost = append(a.boost, make([]float32, n-len(a.boost))...)
	}
}

func (a *scratch) reset() {
	for _, id := range a.touched {
		a.score[id], a.mass[id], a.matched[id] = 0, 0, 0
	}
	for _, id := range a.begun {
		a.part[id] = 0
	}
	a.touched, a.begun = a.touched[:0], a.begun[:0]
	clear(a.boost)
}

// rank scores every document that shares a word with the query.
func rank(ctx context.Context, c corpus, q query, a *scratch) (ranking, error) {
	n, mean, err := c.docs()
	if err != nil || n == 0 || len(q.units) == 0 {
		return ranking{n: n}, err
	}
	units, err := weigh(ctx, c, q.units, n)
	defer closeLists(units)
	if err != nil {
		return ranking{}, err
	}
	total, known := 0.0, 0.0
	for _, u := range units {
		total += u.mass()
		if u.known {
			known += u.mass()
		}
	}
	for i := range units {
		if err := ctx.Err(); err != nil {
			return ranking{}, err
		}
		if err := a.add(&units[i], uint64(1)<<i, mean); err != nil {
			return ranking{}, err
		}
	}
	if err := a.markCards(ctx, c); err != nil {
		return ranking{}, err
	}
	r := ranking{units: units, n: n, known: known / total, matches: make([]match, len(a.touched))}
	for i, id := range a.touched {
		r.matches[i] = match{
			id: id, score: float64(a.score[id]), matched: a.matched[id], boost: float64(a.boost[id]),
			share: float64(a.mass[id]) / total, norm: float64(a.score[id]) / (total * (k1 + 1)),
		}
	}
	return r, nil
}

// add scores one unit.
func (a *scratch) add(u *unit, bit uint64, mean float64) error {
	for j, list := range u.lists {
		// The bigrams of one word share its mass by their rarity.
		share := float32(u.shares[j])
		mass := float32(u.mass()) * share
		if err := list.each(func(id uint64, tf, length float64) {
			a.grow(id)
			if a.score[id] == 0 {
				a.touched = append(a.touched, id)
			}
			a.score[id] += mass * float32(tf*(k1+1)/(tf+k1*(1-b+b*length/mean)))
			if len(u.lists) == 1 {
				a.mass[id] += mass
				a.matched[id] |= bit
				return
			}
			// A word of several bigrams is there when half of it is: one in common is
			// chance ("서버", "서비스").
			if a.part[id] == 0 {
				a.begun = append(a.begun, id)
			}
			a.part[id] += share
		}); err != nil {
			return err
		}
	}
	for _, id := range a.begun {
		if a.part[id] >= 0.5 {
			a.mass[id] += float32(u.mass()) * min(1, a.part[id])
			a.matched[id] |= bit
		}
		a.part[id] = 0
	}
	a.begun = a.begun[:0]
	return nil
}

// markCards notes which documents are cards.
func (a *scratch) markCards(ctx context.Context, c corpus) error {
	list, err := c.term(ctx, fieldKind, kindCard)
	if err != nil {
		return err
	}
	defer list.close()
	return list.each(func(id uint64, boost, _ float64) {
		a.grow(id)
		a.boost[id] = float32(boost / boostUnit)
	})
}

// weigh finds out how rare the units are and keeps those with the most mass.
func weigh(ctx context.Context, c corpus, units []unit, n int) ([]unit, error) {
	out := make([]unit, 0, len(units))
	for _, u := range units {
		sum, df := 0.0, 0
		for _, t := range u.terms {
			list, err := c.term(ctx, fieldText, t)
			if err != nil {
				return append(out, u), err
			}
			u.lists = append(u.lists, list)
			df += list.df()
			g := idf(n, list.df(), u.word)
			u.shares = append(u.shares, g)
			u.idf = max(u.idf, g)
			sum += g
		}
		for j := range u.shares {
			u.shares[j] /= sum
		}
		out = append(out, u)
		if out[len(out)-1].known = df > 0; df == 0 && u.whole {
			// Nobody wrote this name, and its pieces speak for it.
			closeLists(out[len(out)-1:])
			out = out[:len(out)-1]
		}
	}
	slices.SortStableFunc(out, func(a, b unit) int { return -cmp.Compare(a.mass(), b.mass()) })
	heaviest := 0.0
	for _, u := range out {
		if u.known {
			heaviest = u.mass()
			break
		}
	}
	keep := 0
	for keep < len(out) && keep < maxUnits && out[keep].mass() >= leastMass*heaviest {
		keep++
	}
	closeLists(out[keep:])
	return out[:keep], nil
}

func closeLists(units []unit) {
	for _, u := range units {
		for _, l := range u.lists {
			l.close()
		}
	}
}

// idf is BM25's inverse document frequency, never negative, with the prior's documents
// counted in; word is what the term belongs to.
func idf(n, df int, word string) float64 {
	seen := float64(df) + prior(word)
	return math.Log(1 + (float64(n)+priorSize-seen+0.5)/(seen+0.5))
}
