package life

import (
	"cmp"
	"math"
	"slices"

	"handrail/lessons"
	"handrail/lessons/terms"
)

// words is a card as a set of its words, by their rank: the rarest in the brain first.
type words []int32

// vocabulary gives each word of the cards a number, the rarer the smaller.
func vocabulary(cards []lessons.Card, text func(lessons.Card) string) []words {
	ids := map[string]int32{}
	var count []int
	sets := make([]words, len(cards))
	for i, c := range cards {
		seen := map[int32]bool{}
		for _, w := range terms.Words(text(c)) {
			id, ok := ids[w.Text]
			if !ok {
				id = int32(len(count)) //nolint:gosec // a brain has fewer words
				ids[w.Text] = id
				count = append(count, 0)
			}
			if !seen[id] {
				seen[id] = true
				count[id]++
				sets[i] = append(sets[i], id)
			}
		}
	}
	order := make([]int32, len(count))
	for i := range order {
		order[i] = int32(i) //nolint:gosec // as above
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b)) })
	rank := make([]int32, len(count))
	for r, id := range order {
		rank[id] = int32(r) //nolint:gosec // as above
	}
	for _, s := range sets {
		for i, id := range s {
			s[i] = rank[id]
		}
		slices.Sort(s)
	}
	return sets
}

// jaccard returns the share of the words of two sets that both have.
func jaccard(a, b words) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			both, i, j = both+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// twinOverlap is the share of common words from which two cards say the same.
const twinOverlap = 0.8

// fewWords is how many words a card must have for their overlap to tell anything.
const fewWords = 5

// Twin is a pair of cards that say the same.
type Twin struct {
	A, B    string // paths; A comes first in the order of the cards
	Overlap float64
	Key     bool // their titles have the same key
}

// Twins returns the pairs of cards that have the same title key, or at least 0.8 of their
// words in common. Cards of different kinds or projects are none. Only pairs that share one
// of their rarest words are compared: for an overlap of t, two sets of words have one in
// common among the first n − ⌈t·n⌉ + 1 of each (prefix filtering, Chaudhuri et al., 2006).
func Twins(cards []lessons.Card) []Twin {
	sets := vocabulary(cards, func(c lessons.Card) string {
		text := c.Title
		for _, s := range c.Sections {
			text += "\n" + s.Text
		}
		return text
	})
	alike := func(i, j int) bool { return cards[i].Kind == cards[j].Kind && cards[i].Project == cards[j].Project }
	var out []Twin
	keys := map[string][]int{}
	prefixes := map[int32][]int{}
	for j, c := range cards {
		met := map[int]bool{}
		key := c.Key()
		for _, i := range keys[key] {
			if alike(i, j) {
				met[i] = true
				out = append(out, Twin{A: cards[i].Path, B: c.Path, Overlap: jaccard(sets[i], sets[j]), Key: true})
			}
		}
		keys[key] = append(keys[key], j)
		n := len(sets[j])
		if n < fewWords {
			continue
		}
		for _, w := range sets[j][:n-int(math.Ceil(twinOverlap*float64(n)))+1] {
			for _, i := range prefixes[w] {
				if met[i] || !alike(i, j) {
					continue
				}
				met[i] = true
				if o := jaccard(sets[i], sets[j]); o >= twinOverlap {
					out = append(out, Twin{A: cards[i].Path, B: c.Path, Overlap: o})
				}
			}
			prefixes[w] = append(prefixes[w], j)
		}
	}
	return out
}
