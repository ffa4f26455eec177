package index

import (
	"math"
	"math/bits"
	"slices"

	"github.com/handrail-dev/handrail/lessons"
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
//
// A title that the query names speaks for the file, whatever else the query says, and one that it
// does not name against it. To name it is to have a third of its words, and of a long query more:
// the more words there are, the more meet by chance.
const (
	// The exponents come from a grid over real requests with and without an answer, on brains of 20 to 2,000 cards and
	// of cards of 300 to 50,000 bytes, the other numbers from 2,902 real messages with the cards of their repositories
	// and 60 others. docs/decisions/0007-one-floor.md has the tables.
	floorEvidence = 10.7
	shareExponent = 0.45
	sizeExponent  = 0.13
	// What the strength is multiplied with where the query names the title (divided by N^0.13: among more titles more
	// meet by chance), has a word of it that is not common, and has none. A file without a title stays as it is.
	titleNamed   = 3.07
	titleTouched = 0.9
	titleMissed  = 0.7
	// titleShare is the least share of a title that names it, longQuery of how many words a query must
	// have all of it. A title of more than shortTitle words is not named by one word beside common ones.
	titleShare = 1.0 / 3
	longQuery  = 60
	shortTitle = 4
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

// Certain returns the hits that certainly speak to the query that they were found for, told by their strength.
func Certain(hits []Hit) []Hit {
	return slices.DeleteFunc(hits, func(h Hit) bool { return h.Strength < 1 })
}

// strength returns how surely a document speaks to the query, 1 at the floor and 0 for less than
// leastStrength, before its title has a say; and whether it holds one word where the query has two. In
// a document of long places the passage is one of them.
func (r ranking) strength(m *match, long bool) (strength float64, lone bool) {
	if m.share == 0 {
		r.look(m)
	}
	if r.strengthOf(m.share*r.total, m.share*r.total) < leastStrength {
		return 0, true // even if all of it stood in the subject
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
	if s := r.strengthOf(subject, passage); s >= leastStrength {
		return s, bits.OnesCount64(words) < min(2, len(r.units))
	}
	return 0, true
}

// titled returns a strength with what the title says to it. How rare words are the brain does not
// say: a small one does not know.
func (r ranking) titled(strength float64, lone bool, c lessons.Card) float64 {
	if c.Untitled {
		if lone {
			return 0
		}
		return strength
	}
	var share, all float64
	words, rare := 0, 0 // of the title; those that the query has and that are not common
	for _, w := range parse(c.Title).units {
		if w.whole {
			continue // its pieces speak for it
		}
		has := 0.0
		for _, t := range w.terms {
			has += r.has(t) / float64(len(w.terms))
		}
		weight := idf(0, 0, w.word)
		all += weight
		words++
		if has >= otherWeight { // of a word of several bigrams one in common is chance
			share += has * weight
			if prior(w.word) < 1 {
				rare++
			}
		}
	}
	switch {
	case (rare > 1 || rare == 1 && words <= shortTitle) && share >= max(titleShare, float64(len(r.units))/longQuery)*all:
		return strength * titleNamed / math.Pow(float64(r.n), sizeExponent)
	case lone:
		return 0
	case rare > 0:
		return strength * titleTouched
	}
	return strength * titleMissed
}

// has returns how much the query has of a term.
func (r ranking) has(term string) (part float64) {
	for i := range r.units {
		u := &r.units[i]
		if slices.Contains(u.terms, term) {
			return 1
		}
		if slices.ContainsFunc(u.others, func(o unit) bool { return slices.Contains(o.terms, term) }) {
			part = otherWeight
		}
	}
	return part
}

func (r ranking) strengthOf(subject, passage float64) float64 {
	return (passage + subject) * math.Pow(passage/r.total, shareExponent) / math.Pow(float64(r.n), sizeExponent) / floorEvidence
}

// parts raises what each place of a document has of a unit, at most weight, and returns what is everywhere.
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
