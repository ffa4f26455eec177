// Package postcheck says which items of a card's Prevention Checklist an answer does not
// show. It compares words, so it can say "not visible", never "not done"; a person sees
// the result in a footer and nothing is blocked.
//
// The answer is cut into places (answer.go): sentences, list items and lines of code. In
// each it says things, denies them or puts them off (polarity.go, asides.txt): "I did not
// check the allowlist" does not address "check the allowlist". Words of the two languages,
// and of code, meet in a glossary and in idioms (glossary.txt, idioms.txt, concepts.go), and
// what shares no word meets in themes (themes.txt, wishes.txt, themes.go). What speaks for
// and against an item (item.go, clauses.go, scope.go, against.go) is weighed (decide.go, weights.txt).
package postcheck

import (
	"slices"
	"strings"

	"handrail/lessons"
)

const (
	// enough is the share of an item's mass that a paraphrase keeps: the thing, and not much
	// else.
	enough = 0.35
	// coreless is what a place loses against another when the words are missing that say
	// what is to be done.
	coreless = 0.1
	// half is what it takes when the core is missing: of two things, not just the other one.
	half = 0.5
	// plainly is the share at which one sentence does what an item forbids.
	plainly = 0.7
)

// Miss is a checklist item that an answer does not show.
type Miss struct {
	Path, Title string // of the card
	Item        lessons.Item
	Missing     []string // words of the item, as written, that the answer lacks
}

// Holds reports whether there is anything to check in an answer: one that is empty, refuses
// or asks back says nothing of any item.
func Holds(answer string) bool { return !skip(answer) }

// Check returns the items of the cards that the answer does not show, in the cards'
// order. rarity tells how rare an index term is in the brain; nil takes all for equal. An
// empty answer, a refusal and a question back have nothing to check.
func Check(answer string, cards []lessons.Card, rarity func(term string) float64) []Miss {
	if skip(answer) {
		return nil
	}
	if rarity == nil {
		rarity = func(string) float64 { return 1 }
	}
	var a *reading
	var out []Miss
	for _, c := range cards {
		for _, it := range c.Items {
			if a == nil {
				a = read(answer)
			}
			if missing, ok := a.addresses(understand(it.Text, rarity)); !ok {
				out = append(out, Miss{Path: c.Path, Title: c.Title, Item: it, Missing: missing})
			}
		}
	}
	return out
}

// addresses reports whether an answer shows an item, and which of its words are missing.
func (a *reading) addresses(w wish) (missing []string, ok bool) {
	if a.word[w.key] || !a.prepare(&w) {
		return nil, true // told word for word, or nothing that could be looked for
	}
	v, best := a.weigh(w)
	ok = v.dot(weights()) >= 0
	if ok {
		return nil, true
	}
	for i, u := range w.units {
		if best.has == nil || !best.has[i] {
			missing = append(missing, strings.Fields(u.surface)...)
		}
	}
	return missing, false
}

// prepare leaves of an item the words that an answer in its language could hold, and
// reports whether there are any to look for.
func (a *reading) prepare(w *wish) bool {
	a.cite(w)
	kept := w.units[:0:0]
	things := 0
	index := make([]int, len(w.units))
	for i, u := range w.units {
		index[i] = -1
		if a.couldSay(u) || u.has(a.at[said], 0, len(a.until)) {
			index[i] = len(kept)
			kept = append(kept, u)
			if !u.general {
				things++
			}
		}
	}
	w.units = kept
	for i, part := range w.parts {
		var left []int
		for _, u := range part {
			if index[u] >= 0 {
				left = append(left, index[u])
			}
		}
		w.parts[i] = left
	}
	return things > 0 || len(w.units) >= 2
}

// match is how much of an item stands in one place.
type match struct {
	share  float64
	score  float64 // the share, less for a missing core
	things int     // words that are no general verb
	core   bool    // what is to be done is among them, or the item does not tell it apart
	has    []bool
}

// best returns the place of an answer that holds most of an item. wide takes whole
// windows, else a place is one sentence.
func (a *reading) best(w wish, at map[string][]int, wide, byTheme bool) match {
	total := 0.0
	for _, u := range w.units {
		total += u.mass
	}
	var best match
	echoes := a.echo[w.key]
	seen := map[int]bool{}
	for _, u := range w.units {
		u.starts(at, byTheme, func(p int) {
			if seen[p] || within(echoes, p, p) {
				return
			}
			seen[p] = true
			to := p
			if wide {
				to = a.until[p]
			}
			m := match{core: true, has: make([]bool, len(w.units))}
			for i, v := range w.units {
				if v.has(at, p, to) || byTheme && v.themed(at, p, to) {
					m.has[i] = true
					m.share += v.mass / total
					if !v.general {
						m.things++
					}
				}
			}
			m.score = m.share
			for i, v := range w.units {
				if v.core && !m.has[i] {
					m.core = false
					m.score -= coreless
				}
			}
			if m.score > best.score {
				best = m
			}
		})
	}
	return best
}

// refuses reports whether an answer says of an item, at least as plainly as it addresses
// it, that it was not done or is left for later.
func (a *reading) refuses(w wish, share float64) bool {
	for _, as := range []standing{denied, putOff} {
		against := a.at[as]
		no := a.best(w, against, false, false)
		if no.things > 0 && no.core && no.share >= enough && no.share >= share {
			return true
		}
		// What is to be done, or one of several things, is only ever denied.
		for _, u := range w.units {
			if (u.core || w.several) && !u.general && !u.context && len(a.at[said][u.names[0]]) == 0 && len(against[u.names[0]]) > 0 {
				return true
			}
		}
	}
	return false
}

// does reports whether an answer does what an item forbids: one sentence says it plainly,
// and none says that it is kept from happening.
func (a *reading) does(w wish) bool {
	if a.best(w, a.at[said], false, false).share < plainly {
		return false
	}
	return !a.keeps(w)
}

// keeps reports whether an answer says of what an item forbids that it is gone or kept
// from happening.
func (a *reading) keeps(w wish) bool {
	for _, u := range w.units {
		if u.general || u.context {
			continue
		}
		kept := false
		u.starts(a.at[denied], false, func(int) { kept = true })
		u.starts(a.at[removed], false, func(int) { kept = true })
		u.starts(a.at[said], false, func(p int) { kept = kept || a.kept[p] })
		if kept {
			return true
		}
	}
	return false
}

func merge(a, b map[string][]int) map[string][]int {
	out := make(map[string][]int, len(a)+len(b))
	for k, v := range a {
		out[k] = v
	}
	for k, v := range b {
		both := slices.Concat(out[k], v)
		slices.Sort(both)
		out[k] = both
	}
	return out
}
