package life

import (
	"slices"

	"handrail/lessons"
	"handrail/lessons/lazyregexp"
	"handrail/lessons/terms"
)

// Opposite is two checklist items of different cards that ask for opposite things.
type Opposite struct{ A, ItemA, B, ItemB string }

// forbids matches an item that asks for something not to be.
var forbids = lazyregexp.New(`(?i)\b(?:never|not|don'?t|no|without|avoid|must\s*n[o']t|cannot|isn'?t|aren'?t)\b|않|금지|말\s*것|말아|하지\s*마|안\s*된다|없이|피한다`)

// oppositeOverlap is the share of common words, the forbidding ones aside, from which two
// items are about the same.
const oppositeOverlap = 0.6

// denials are the words that forbid; they do not count for what an item is about.
var denials = map[string]bool{"never": true, "not": true, "dont": true, "don't": true, "no": true, "without": true, "avoid": true, "must": true, "cannot": true, "alway": true, "always": true}

// Opposites returns the pairs of items of different cards that share a tag or a path glob
// (or have neither) and say the opposite: about the same, one asking for it and the other
// forbidding it. It is a question to a person, never an answer.
func Opposites(cards []lessons.Card) []Opposite {
	type item struct {
		card    int
		text    string
		words   map[string]bool
		forbids bool
	}
	var items []item
	byWord := map[string][]int{}
	for i, c := range cards {
		for _, it := range c.Items {
			x := item{card: i, text: it.Text, words: map[string]bool{}, forbids: forbids.MatchString(it.Text)}
			for _, w := range terms.Words(it.Text) {
				if !denials[w.Text] {
					x.words[w.Text] = true
				}
			}
			if len(x.words) < 2 {
				continue
			}
			for w := range x.words {
				byWord[w] = append(byWord[w], len(items))
			}
			items = append(items, x)
		}
	}
	var out []Opposite
	for j, b := range items {
		common := map[int]int{}
		for w := range b.words {
			for _, i := range byWord[w] {
				if i < j {
					common[i]++
				}
			}
		}
		near := make([]int, 0, len(common))
		for i := range common {
			near = append(near, i)
		}
		slices.Sort(near)
		for _, i := range near {
			a := items[i]
			if a.card == b.card || a.forbids == b.forbids || !related(cards[a.card], cards[b.card]) {
				continue
			}
			if n := common[i]; float64(n) >= oppositeOverlap*float64(len(a.words)+len(b.words)-n) {
				out = append(out, Opposite{cards[a.card].Path, a.text, cards[b.card].Path, b.text})
			}
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
