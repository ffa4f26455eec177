package life

import (
	"slices"

	"handrail/lessons"
	"handrail/lessons/lazyregexp"
	"handrail/lessons/terms"
)

// Opposite is two checklist items of different cards that ask for opposite things.
type Opposite struct{ A, ItemA, B, ItemB string }

// forbids matches an item that forbids something.
var forbids = lazyregexp.New(`(?i)\b(?:never|not|don'?t|no|without|avoid|must\s*n[o']t|cannot|isn'?t|aren'?t)\b|않|금지|말\s*것|말아|하지\s*마|안\s*된다|없이|피한다`)

// oppositeOverlap is the share of common words, without denials, from which two items are
// about the same.
const oppositeOverlap = 0.6

// denials are the words that forbid; they are no part of an item's subject.
var denials = map[string]bool{"never": true, "not": true, "dont": true, "don't": true, "no": true, "without": true, "avoid": true, "must": true, "cannot": true, "alway": true, "always": true}

// Opposites returns the pairs of items of different cards that share a tag or a path glob
// (or have neither) and say the opposite: about the same, one asking for it and the other
// forbidding it. A person has to judge them.
func Opposites(cards []lessons.Card) []Opposite {
	type item struct {
		card    int
		text    string
		forbids bool
	}
	var items []item
	for i, c := range cards {
		for _, it := range c.Items {
			items = append(items, item{card: i, text: it.Text, forbids: forbids.MatchString(it.Text)})
		}
	}
	sets := setsOf(len(items), func(i int) []string { return subject(items[i].text) })
	var out []Opposite
	like := near{oppositeOverlap, sets, map[int32][]int{}}
	for j, b := range items {
		if len(sets[j]) < 2 {
			continue
		}
		var with []int
		like.see(j, func(i int, _ float64) {
			if a := items[i]; a.card != b.card && a.forbids != b.forbids && related(cards[a.card], cards[b.card]) {
				with = append(with, i)
			}
		})
		slices.Sort(with)
		for _, i := range with {
			a := items[i]
			out = append(out, Opposite{cards[a.card].Path, a.text, cards[b.card].Path, b.text})
		}
	}
	return out
}

// subject returns the words that say what an item is about.
func subject(text string) []string {
	var out []string
	for _, w := range terms.Words(text) {
		if !denials[w.Text] {
			out = append(out, w.Text)
		}
	}
	return out
}

// related reports whether two cards are about the same files or tags.
func related(a, b lessons.Card) bool {
	if a.Project != b.Project {
		return false
	}
	shares := func(x, y []string) bool {
		return slices.ContainsFunc(x, func(s string) bool { return slices.Contains(y, s) })
	}
	return shares(a.Tags, b.Tags) || shares(a.Paths, b.Paths) || len(a.Tags)+len(a.Paths) == 0 && len(b.Tags)+len(b.Paths) == 0
}
