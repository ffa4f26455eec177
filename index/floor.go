package index

import (
	"math"
	"math/bits"
)

// The floor decides whether a match certainly speaks to a query. It looks at relevance
// before any boost, and weighs two things that fail apart and hold together: the share of
// the query's mass that a document holds separates short queries well and long ones
// badly, the BM25 score the other way round. Their product separates both:
//
//	evidence = score / ln(1+2M) · share^0.6 / (M/100)^0.25
//
// M counts the brain's documents and the prior's. ln(1+2M) is the mass of a word that no
// document has, so the first factor counts, roughly, rare words in common; the last one
// is there because among more documents the best chance match is a better one.
const (
	// The exponents come from a logistic regression over queries with and without an
	// answer, on brains of 1 to 2,000 cards of two kinds; floorEvidence is where about one
	// unrelated text in twenty gets through. docs/ranking.md has the table.
	floorEvidence = 1.85
	shareExponent = 0.6
	sizeExponent  = 0.25
	// floorOfBest is what a further card needs of the best one's evidence: beside a card
	// that is meant, one that merely shares two words is noise.
	floorOfBest = 0.5
)

func (r ranking) evidence(m match) float64 {
	docs := float64(r.n + priorSize)
	return m.score / math.Log(1+2*docs) * math.Pow(m.share, shareExponent) / math.Pow(docs/priorSize, sizeExponent)
}

// floor returns the evidence a match needs to speak to the query.
func (r ranking) floor() float64 {
	best := 0.0
	for _, m := range r.matches {
		best = max(best, r.evidence(m))
	}
	return max(floorEvidence, floorOfBest*best)
}

// speaks reports whether a match clears the floor. One word in common is never enough
// where the query has two.
func (r ranking) speaks(m match, floor float64) bool {
	return r.evidence(m) >= floor && bits.OnesCount64(m.matched) >= min(2, len(r.units))
}
