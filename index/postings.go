package index

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
)

// gone marks documents that were replaced or removed and are still in the postings.
const gone = -1

// postings are the documents that hold a term, and how much of it each has. Some may be
// gone.
type postings struct {
	runs []run
	n    int
	most uint16 // the highest impact
}

// run is a stretch of postings, in the order of their documents; it reaches over
// runSpan documents at most.
type run struct {
	base    uint32 // what is added to ids
	ids     []uint16
	impacts []uint16 // in steps of impactStep
	places  []uint8  // the place that has the term, or one of the marks below
	many    []uint64 // the places of those marked so, in order
}

// Marks of documents that have a term not in one place. Places are kept in a byte because
// most words of a document stand in one place.
const (
	markEverywhere = placeBits
	markMany       = 0xff
)

// mark returns how places are kept in a byte.
func mark(places uint64) uint8 {
	switch {
	case places == everywhere:
		return markEverywhere
	case bits.OnesCount64(places) == 1:
		return uint8(bits.TrailingZeros64(places))
	}
	return markMany
}

// at returns the places of a run's posting.
func (r run) at(i int) uint64 {
	switch m := r.places[i]; m {
	case markEverywhere:
		return everywhere
	case markMany: // a thousand are counted in the time of one look into memory
		return r.many[bytes.Count(r.places[:i], []byte{markMany})]
	default:
		return 1 << m
	}
}

const (
	runSpan = 1 << 16
	// impactStep is the grain of BM25's share of a term's mass, which lies between 0 and
	// k1 + 1.
	impactStep = (k1 + 1) / math.MaxUint16
)

// impactOf returns BM25's share of a term's mass for a document that has it tf times, in
// steps.
func impactOf(tf, norm float64) uint16 {
	return uint16(max(1, tf*math.MaxUint16/(tf+norm)+0.5))
}

// normOf returns what a document's length adds to a term's count.
func normOf(length, pivot float64) float64 {
	return float64(k1 * (1 - b + b*length/pivot)) // rounded, so that a norm kept is the same
}

// normsOf returns the norms of common lengths.
func normsOf(pivot float64) []float64 {
	out := make([]float64, 4096)
	for length := range out {
		out[length] = normOf(float64(length), pivot)
	}
	return out
}

// packer makes postings of a known number of documents, which take no more room than they
// need.
type packer struct {
	out     postings
	ids     []uint16
	impacts []uint16
	places  []uint8
	many    []uint64 // of the run that is being made
	base    uint32   // of that run
	from    int      // where it begins
}

func newPacker(n int) packer {
	return packer{ids: make([]uint16, 0, n), impacts: make([]uint16, 0, n), places: make([]uint8, 0, n)}
}

// add puts a document behind those before it.
func (p *packer) add(id uint32, impact uint16, places uint64) {
	if base := id &^ (runSpan - 1); base != p.base {
		p.cut()
		p.base = base
	}
	m := mark(places)
	p.ids, p.impacts, p.places = append(p.ids, uint16(id-p.base)), append(p.impacts, impact), append(p.places, m)
	if m == markMany {
		p.many = append(p.many, places)
	}
	p.out.most = max(p.out.most, impact)
}

// cut ends a run.
func (p *packer) cut() {
	if from, at := p.from, len(p.ids); at > from {
		p.out.runs = append(p.out.runs, run{p.base, p.ids[from:at:at], p.impacts[from:at:at], p.places[from:at:at], slices.Clone(p.many)})
		p.from, p.many = at, p.many[:0]
	}
}

// postings ends the last run.
func (p *packer) postings() postings {
	p.cut()
	p.out.n = len(p.ids)
	return p.out
}

// find returns where a document is, and false where it is not.
func (p postings) find(id uint32) (r *run, at int, ok bool) {
	for i := len(p.runs) - 1; i >= 0; i-- {
		if r := &p.runs[i]; id >= r.base {
			if id-r.base >= runSpan {
				return nil, 0, false
			}
			at, ok := slices.BinarySearch(r.ids, uint16(id-r.base))
			return r, at, ok
		}
	}
	return nil, 0, false
}

// impact returns a document's impact, 0 where the term is not in it.
func (p postings) impact(id uint32) uint16 {
	if r, at, ok := p.find(id); ok {
		return r.impacts[at]
	}
	return 0
}

// places returns which places of a document have the term.
func (p postings) places(id uint32) uint64 {
	if r, at, ok := p.find(id); ok {
		return r.at(at)
	}
	return 0
}
