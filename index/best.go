package index

import (
	"cmp"
	"context"
	"slices"
)

// This file finds the best documents of a corpus without looking at all of them: the
// MaxScore rule of Turtle and Flood ("Query Evaluation: Strategies and Optimizations",
// 1995), term at a time. Lists are added in the order of what they can give at most. As
// soon as all that are left cannot bring a new document up to the last of the best, only
// the documents begun that still can are followed, and looked up in the lists one by one
// where that is shorter. What is left out could not have been among the best, so the
// outcome is that of the plain sum.

// wanted says which documents of a ranking are asked for.
type wanted struct {
	cards, notes bool
	limit        int     // the best so many by score and boost; 0 for all
	paths        float64 // what a card's boost may be multiplied with later
}

// scratch holds the accumulators of one search, reused by the next.
type scratch struct {
	scores  []float32 // by document
	touched []uint32  // documents with a score
	open    []uint32  // those of them that may be among the wanted
	best    []float32 // a heap of the highest, the lowest first
}

func (a *scratch) reset() {
	for _, id := range a.touched {
		a.scores[id] = 0
	}
	a.touched = a.touched[:0]
}

// weighted is a list and what each of its impacts counts.
type weighted struct {
	postings
	mass float32 // of a step
}

func (w weighted) most() float32 { return w.mass * float32(w.postings.most) }

// slack makes up for the rounding of sums that are compared.
const slack = 1.0001

// candidates returns the documents among which those wanted are, and whether others that
// share a word with the query were left out.
func (a *scratch) candidates(ctx context.Context, c *segments, r ranking, want wanted) (ids []uint32, left bool, err error) {
	boosts, highest := c.boosts()
	if n := len(boosts); n > len(a.scores) {
		a.scores = append(a.scores, make([]float32, n-len(a.scores))...)
	}
	var lists []weighted
	each := func(u *unit, weight float64) {
		for j, p := range u.lists {
			if p.n > 0 {
				// The bigrams of one word share its mass by their rarity.
				lists = append(lists, weighted{p, float32(weight * u.mass() * u.shares[j] * impactStep)})
			}
		}
	}
	for i := range r.units {
		u := &r.units[i]
		each(u, 1)
		for k := range u.others {
			each(&u.others[k], otherWeight)
		}
	}
	slices.SortStableFunc(lists, func(a, b weighted) int { return cmp.Compare(b.most(), a.most()) })
	rest := make([]float32, len(lists)+1) // what the lists from here on can give
	for i := len(lists) - 1; i >= 0; i-- {
		rest[i] = rest[i+1] + lists[i].most()
	}
	w := &weigher{want: want, boosts: boosts, paths: float32(want.paths), highest: 1}
	if want.cards {
		w.highest = max(1, highest*w.paths)
	}
	for i, l := range lists {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		// Looking for the bar costs about as much as adding a list of the same length.
		if !left && i > 0 && len(a.touched) <= 2*l.n {
			if bar := a.bar(w, a.touched); w.none(rest[i], bar) {
				ids, left = a.narrow(w, a.touched, rest[i], bar), true
			}
		} else if left && i%4 == 0 {
			ids = a.narrow(w, ids, rest[i], a.bar(w, ids))
		}
		if left {
			a.follow(l, ids)
		} else {
			a.add(l)
		}
	}
	if !left {
		ids = a.touched
	}
	kept := a.narrow(w, ids, 0, a.bar(w, ids))
	return kept, left || len(kept) < len(a.touched), nil
}

// add gives every document of a list its share.
func (a *scratch) add(l weighted) {
	for _, r := range l.runs {
		scores := a.scores[r.base:]
		for i, id := range r.ids {
			s := scores[id]
			if s == 0 {
				a.touched = append(a.touched, r.base+uint32(id))
			}
			scores[id] = s + l.mass*float32(r.impacts[i])
		}
	}
}

// follow gives the documents that are followed their share of a list.
func (a *scratch) follow(l weighted, ids []uint32) {
	const lookup = 24 // what looking one document up costs, in postings passed by
	if len(ids)*lookup < l.n {
		for _, id := range ids {
			if v := l.impact(id); v > 0 {
				a.scores[id] += l.mass * float32(v)
			}
		}
		return
	}
	for _, r := range l.runs {
		scores := a.scores[r.base:]
		for i, id := range r.ids {
			if s := scores[id]; s != 0 {
				scores[id] = s + l.mass*float32(r.impacts[i])
			}
		}
	}
}

// weigher says what a score comes to.
type weigher struct {
	want    wanted
	boosts  []float32
	paths   float32
	highest float32 // what any score is multiplied with at most
}

// boost returns what a document's score is multiplied with, without what may be added
// later; 0 for what is not wanted.
func (w *weigher) boost(id uint32) float32 {
	switch b := w.boosts[id]; {
	case b > 0 && w.want.cards:
		return b
	case b == 0 && w.want.notes:
		return 1
	}
	return 0
}

// none reports that no document with this score can be wanted.
func (w *weigher) none(score, bar float32) bool {
	return score*slack*w.highest < bar
}

// narrow returns those of ids that may still be among the wanted when rest is added.
func (a *scratch) narrow(w *weigher, ids []uint32, rest, bar float32) []uint32 {
	out := a.open[:0]
	for _, id := range ids {
		score := a.scores[id] + rest
		if w.none(score, bar) {
			continue
		}
		boost := w.boost(id)
		if w.boosts[id] > 0 {
			boost *= w.paths
		}
		if boost > 0 && score*slack*boost >= bar {
			out = append(out, id)
		}
	}
	a.open = out
	return out
}

// bar returns what the last of the best has by now; 0 while there are fewer.
func (a *scratch) bar(w *weigher, ids []uint32) float32 {
	if w.want.limit == 0 || len(ids) < w.want.limit {
		return 0
	}
	best := a.best[:0]
	for _, id := range ids {
		s := a.scores[id]
		if len(best) == w.want.limit && s*w.highest <= best[0] {
			continue
		}
		boost := w.boost(id)
		s *= boost
		switch {
		case boost == 0:
		case len(best) < w.want.limit:
			best = append(best, s)
			if len(best) == w.want.limit {
				slices.Sort(best) // a sorted slice is a heap
			}
		case s > best[0]:
			best[0] = s
			sink(best)
		}
	}
	a.best = best
	if len(best) < w.want.limit {
		return 0
	}
	return best[0]
}

// sink restores a heap, the lowest first, whose first has grown.
func sink(h []float32) {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if right := child + 1; right < len(h) && h[right] < h[child] {
			child = right
		}
		if h[i] <= h[child] {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
