package index

import (
	"context"
)

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
func (t *taker) explain(ctx context.Context, found []Hit) error {
	t.want.limit, t.want.cards, t.want.notes = 0, true, true
	cards, notes, _, err := t.candidates(ctx)
	if err != nil {
		return err
	}
	e := t.q.explained
	for _, c := range append(cards, notes...) {
		path, err := t.c.path(c.id)
		if err != nil {
			return err
		}
		if path != e.path {
			continue
		}
		h := t.heads[path]
		e.Hit = Hit{Card: h.card(path), match: match{id: c.id, score: float64(t.a.scores[c.id])}}
		e.Hit.Strength = t.r.strength(&e.Hit.match, h.size() > placeBits*maxBesides)
		if boosts(e.Hit.Card, t.q.Files)["paths"] > 0 {
			e.Hit.Strength *= pathsLift
		}
		e.Hit.Terms, e.Hit.Words = t.r.terms(e.Hit.match), t.r.words(e.Hit.match)
		e.Missing = t.r.terms(match{matched: ^e.Hit.match.matched & (1<<len(t.r.units) - 1)})
		best := 0.0
		for _, f := range found {
			if f.Card.Kind.IsCard() == e.Hit.Card.Kind.IsCard() {
				best = max(best, f.Strength)
			}
		}
		e.Share = min(1, e.Hit.Strength/bar(best))
		return nil
	}
	return nil
}
