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
//	evidence = score / ln(1+2M) · share^0.6 · known^(N/2M) / (M/100)^0.1
//
// N counts the brain's documents, M those and the prior's. ln(1+2M) is the mass of a word
// that no document has, so the first factor counts, roughly, rare words in common. known
// is the part of the query's mass whose words the brain has at all: in a large brain, a
// text full of words that nobody wrote is from elsewhere; a small one cannot tell. The
// last factor is there because among more documents the best chance match is a better one.
const (
	// The form comes from a logistic regression and the constants from a grid over queries
	// with and without an answer, on brains of 8 to 2,000 cards of three kinds;
	// floorEvidence is where at most one unrelated text in twenty gets through, over all of
	// them. docs/ranking.md has the table.
	floorEvidence = 2.37
	shareExponent = 0.6
	knownExponent = 0.5
	sizeExponent  = 0.1
	// floorOfBest is what a further card needs of the best one's evidence, wherever the
	// floor is: that the brain speaks to the query at all is settled by then. Half of it
	// costs one right card in fifty on brains of hundreds, a quarter twice the cards.
	floorOfBest = 0.4
)

func (r ranking) evidence(m match) float64 {
	return m.score * r.perScore() * math.Pow(m.share, shareExponent)
}

// perScore is the evidence in one point of score, for a document that holds all of the
// query.
func (r ranking) perScore() float64 {
	docs := float64(r.n + priorSize)
	return math.Pow(r.known, knownExponent*float64(r.n)/docs) / math.Log(1+2*docs) / math.Pow(docs/priorSize, sizeExponent)
}

// leastScore is what no document of that much evidence stays below.
func (r ranking) leastScore(evidence float64) float64 { return evidence / r.perScore() }

// speaks reports whether a match has so much evidence. One word in common is never enough
// where the query has two.
func (r ranking) speaks(m match, evidence float64) bool {
	return r.evidence(m) >= evidence && bits.OnesCount64(m.matched) >= min(2, len(r.units))
}
