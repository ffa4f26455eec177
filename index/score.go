package index

import "context"

// scratch holds the accumulators of one search, reused by the next.
type scratch struct {
	scores  []float32 // by document
	touched []uint32  // documents with a score
}

func (a *scratch) reset() {
	for _, id := range a.touched {
		a.scores[id] = 0
	}
	a.touched = a.touched[:0]
}

// sum gives every document that holds a word of a ranking its score.
func (a *scratch) sum(ctx context.Context, documents int, r ranking) error {
	if documents > len(a.scores) {
		a.scores = append(a.scores, make([]float32, documents-len(a.scores))...)
	}
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
