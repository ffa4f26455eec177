package index

import (
	"math"
	"math/bits"
	"slices"
)

// The floor decides whether a file certainly speaks to a query. What counts is the file's
// subject (title, tags, checklist, names) together with one passage of it: words scattered
// over a long text are chance, and the longer it is the more of them it has.
//
//	evidence = (passage + subject) · (passage / total)^0.45 / N^0.13
//
// All are masses of the query's words: total of all, subject of those in the file's
// subject, passage of those there or in the passage that has most of them. The words of the
// subject thus count twice. N is the number of documents: among more of them the best chance
// match is a better one.
const (
	// The constants come from a grid over real requests with and without an answer, on brains
	// of 20 to 2,000 cards and of cards of 300 to 50,000 bytes; floorEvidence is where at most
	// one unrelated text in twenty gets through in each of them. docs/decisions/0007-one-floor.md has the table.
	floorEvidence = 11.5
	shareExponent = 0.45
	sizeExponent  = 0.13
	// floorOfBest is what a further card needs of the best one's evidence, wherever the
	// floor is: that the brain speaks to the query at all is settled by then.
	floorOfBest = 0.4
	// leastStrength is what a hit needs to be told of: what is weaker comes to nothing, even
	// with what the conversation was about.
	leastStrength = 0.3
	// strongestOf is how many of the best by score are looked at.
	strongestOf = 50
	// besides is what the places beside one count in a passage, up to texts whose places are
	// of maxBesides bytes: a passage is some 320 bytes in all.
	besides    = 0.5
	maxBesides = 3 * placeStep / 2
	// presentPart is how much of a word a place must have for the word to be counted.
	presentPart = 0.25
)

// Certain returns the hits that certainly speak to the query that they were found for,
// told by their strength: of cards and of notes each those near the best, if that one is
// at the floor.
func Certain(hits []Hit) []Hit {
	var best [2]float64
	kind := func(h Hit) int {
		if h.Card.Kind.IsCard() {
			return 0
		}
		return 1
	}
	for _, h := range hits {
		best[kind(h)] = max(best[kind(h)], h.Strength)
	}
	return slices.DeleteFunc(hits, func(h Hit) bool {
		return h.Strength < bar(best[kind(h)])
	})
}

// bar returns what strength the floor asks for beside a best one.
func bar(best float64) float64 {
	if best < 1 {
		return 1
	}
	return floorOfBest * best
}

// strength returns how surely a document speaks to the query, 1 at the floor; 0 for less than
// leastStrength, and for one word in common where the query has two. In a document of long
// places the passage is one of them.
func (r ranking) strength(m *match, long bool) float64 {
	if m.share == 0 {
		r.look(m)
	}
	if s := r.strengthOf(m.share*r.total, m.share*r.total); s < leastStrength {
		return 0 // even if all of it stood in the subject
	}
	var subject float64
	var inSubject uint64
	var mass [placeBits]float64 // beside the subject's
	var in [placeBits]uint64    // which units
	for i := range r.units {
		if m.matched>>i&1 == 0 {
			continue
		}
		u := &r.units[i]
		var parts [placeBits]float64
		all := u.parts(m.id, 1, &parts)
		for k := range u.others {
			all = max(all, u.others[k].parts(m.id, otherWeight, &parts))
		}
		subject += u.mass() * all
		if all >= presentPart {
			inSubject |= 1 << i
		}
		for at, part := range parts {
			if part > all {
				mass[at] += u.mass() * (part - all)
			}
			if part >= presentPart {
				in[at] |= 1 << i
			}
		}
	}
	passage, words := subject, inSubject
	beside := besides
	if long {
		beside = 0
	}
	for at := range mass {
		here, holds := mass[at], in[at]
		for _, next := range [...]int{at - 1, at + 1} {
			if beside > 0 && next >= 0 && next < placeBits {
				here += beside * mass[next]
				holds |= in[next]
			}
		}
		if subject+here > passage {
			passage, words = subject+here, inSubject|holds
		}
	}
	if bits.OnesCount64(words) < min(2, len(r.units)) {
		return 0
	}
	if s := r.strengthOf(subject, passage); s >= leastStrength {
		return s
	}
	return 0
}

func (r ranking) strengthOf(subject, passage float64) float64 {
	return (passage + subject) * math.Pow(passage/r.total, shareExponent) / math.Pow(float64(r.n), sizeExponent) / floorEvidence
}

// parts raises what each place of a document has of a unit, at most weight, and returns
// what is everywhere.
func (u *unit) parts(id uint32, weight float64, out *[placeBits]float64) (all float64) {
	var at [placeBits]float64
	some := uint64(0)
	for j := range u.lists {
		_, places := u.lists[j].in(id)
		if places == everywhere {
			all += u.shares[j]
			continue
		}
		some |= places
		for ; places != 0; places &= places - 1 {
			at[bits.TrailingZeros64(places)] += u.shares[j]
		}
	}
	for ; some != 0; some &= some - 1 {
		i := bits.TrailingZeros64(some)
		out[i] = max(out[i], weight*min(1, at[i]+all))
	}
	return weight * min(1, all)
}
