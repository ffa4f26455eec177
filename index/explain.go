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
