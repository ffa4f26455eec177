package index

import (
	"math"
	"slices"
)

// postings are the documents that hold a term, in order, and how much of it each has, and where.
type postings struct {
	ids     []uint32
	impacts []uint16 // in steps of impactStep
	places  []uint64
}

// impactStep is the grain of BM25's share of a term's mass, which lies between 0 and k1 + 1.
const impactStep = (k1 + 1) / math.MaxUint16

// impactOf returns BM25's share of a term's mass for a document that has it tf times, in
// steps.
func impactOf(tf, norm float64) uint16 {
	return uint16(max(1, tf*math.MaxUint16/(tf+norm)+0.5))
}

// normOf returns what a document's length adds to a term's count.
func normOf(length, pivot float64) float64 { return k1 * (1 - b + b*length/pivot) }

// in returns a document's impact and which of its places have the term; 0 where the term is not in it.
func (p *postings) in(id uint32) (impact uint16, places uint64) {
	if at, ok := slices.BinarySearch(p.ids, id); ok {
		return p.impacts[at], p.places[at]
	}
	return 0, 0
}
