package index

import (
	"math"
	"math/bits"
	"slices"
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
	floorEvidence = 2.1
	shareExponent = 0.6
	knownExponent = 0.5
	sizeExponent  = 0.1
	// floorOfBest is what a further card needs of the best one's evidence: beside a card
	// that is meant, one that merely shares two words is noise.
	floorOfBest = 0.5
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

// leastScore is what no document that clears the floor stays below.
func (r ranking) leastScore() float64 { return floorEvidence / r.perScore() }

// speaks reports whether a match clears the floor. One word in common is never enough
// where the query has two.
func (r ranking) speaks(m match) bool {
	return r.evidence(m) >= floorEvidence && bits.OnesCount64(m.matched) >= min(2, len(r.units))
}

// besideBest takes out hits whose evidence is far below the best one's.
func besideBest(hits []Hit) []Hit {
	best := 0.0
	for _, h := range hits {
		best = max(best, h.evidence)
	}
	return slices.DeleteFunc(hits, func(h Hit) bool { return h.evidence < floorOfBest*best })
}
