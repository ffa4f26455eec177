package life

import (
	"cmp"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/terms"
)

// words is a card as a set of its words, by their rank: the rarest in the brain first.
type words []int32

// setsOf returns n lists of words as sets.
func setsOf(n int, list func(int) []string) []words {
	lists := make([][]string, n)
	Parallel(n, func(i int) {
		list := list(i)
		slices.Sort(list)
		lists[i] = slices.Compact(list)
	})
	holders := map[string]int32{}
	for _, list := range lists {
		for _, w := range list {
			holders[w]++
		}
	}
	order := slices.SortedFunc(maps.Keys(holders), func(a, b string) int {
		return cmp.Or(cmp.Compare(holders[a], holders[b]), strings.Compare(a, b))
	})
	rank := holders // from here on
	for i, w := range order {
		rank[w] = int32(i) //nolint:gosec // a brain has fewer words
	}
	sets := make([]words, n)
	for i, list := range lists {
		for _, w := range list {
			sets[i] = append(sets[i], rank[w])
		}
		slices.Sort(sets[i])
	}
	return sets
}

// Parallel calls do for 0 … n-1, on all processors at once.
func Parallel(n int, do func(int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}

// wordsOf returns the words of texts, with repetitions.
func wordsOf(texts ...string) []string {
	var out []string
	for _, t := range texts {
		for _, w := range terms.Words(t) {
			out = append(out, w.Text)
		}
	}
	return out
}

// said returns the texts that a card consists of, its evidence aside.
func said(c lessons.Card) []string {
	out := []string{c.Title}
	for _, s := range c.Sections {
		if s.Name != lessons.Evidence {
			out = append(out, lessons.WithoutComments(s.Text))
		}
	}
	return out
}

// share returns which part of the words of two sets both have, or some part that is less than t.
func share(a, b words, t float64) float64 {
	both := terms.Common(a, b, int(math.Ceil(t*float64(len(a)+len(b))/(1+t)-1e-6))) // a little less, for the rounding
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

// twinOverlap is the share of common words from which two cards are twins.
const twinOverlap = 0.8

// fewWords is how many words a card needs for the overlap to be meaningful.
const fewWords = 5

// Same reports whether two cards of one kind and project have at least 0.8 of their words in common.
func Same(a, b lessons.Card) bool {
	sets := setsOf(2, func(i int) []string { return wordsOf(said([]lessons.Card{a, b}[i])...) })
	return a.Kind == b.Kind && a.Project == b.Project && min(len(sets[0]), len(sets[1])) >= fewWords &&
		share(sets[0], sets[1], twinOverlap) >= twinOverlap
}

// Twin is a pair of cards that say the same.
type Twin struct {
	A, B    string // paths; A comes first in the order of the cards
	Overlap float64
	Key     bool // their titles have the same key
}

// Twins returns the pairs of cards that have the same title key, or at least 0.8 of their
// words in common. Cards of different kinds or projects are none.
func Twins(cards []lessons.Card) []Twin {
	sets := setsOf(len(cards), func(i int) []string { return wordsOf(said(cards[i])...) })
	keys := make([]string, len(cards))
	Parallel(len(cards), func(i int) { keys[i] = cards[i].Key() })
	alike := func(i, j int) bool { return cards[i].Kind == cards[j].Kind && cards[i].Project == cards[j].Project }
	found := make([][]Twin, len(cards))
	Parallel(len(cards), func(j int) { // the sets begin with the rarest words, so that most pairs are soon told apart
		for i := range j {
			if !alike(i, j) {
				continue
			}
			twin := Twin{A: cards[i].Path, B: cards[j].Path, Key: keys[i] == keys[j]}
			if twin.Key {
				twin.Overlap = share(sets[i], sets[j], 0)
			} else if min(len(sets[i]), len(sets[j])) >= fewWords {
				twin.Overlap = share(sets[i], sets[j], twinOverlap)
			}
			if twin.Key || twin.Overlap >= twinOverlap {
				found[j] = append(found[j], twin)
			}
		}
	})
	return slices.Concat(found...)
}
