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
	parallel(n, func(i int) {
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

// parallel calls do for 0 … n-1, on all processors at once.
func parallel(n int, do func(int)) {
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

// near finds the pairs of sets that have a share of at least twinOverlap of their words in common, without
// comparing all: two such sets have a word in common among the first n − ⌈t·n⌉ + 1 of each, the
// rarest ones, and neither is much longer (prefix and length filtering, Xiao et al., "Efficient
// Similarity Joins for Near Duplicate Detection", 2008).
type near struct {
	sets []words
	by   map[int32][]int // word → the sets before that have it among their first
}

// see calls with once for each earlier set near set j, with their share, then adds j.
func (p *near) see(j int, with func(i int, share float64)) {
	set, met := p.sets[j], map[int]bool{}
	n := len(set)
	for _, w := range set[:min(n, n-int(math.Ceil(twinOverlap*float64(n)))+1)] {
		for _, i := range p.by[w] {
			size := len(p.sets[i])
			if met[i] || float64(min(size, n)) < twinOverlap*float64(max(size, n)) {
				continue
			}
			met[i] = true
			if share := share(p.sets[i], set, twinOverlap); share >= twinOverlap {
				with(i, share)
			}
		}
		p.by[w] = append(p.by[w], j)
	}
}

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
	alike := func(i, j int) bool { return cards[i].Kind == cards[j].Kind && cards[i].Project == cards[j].Project }
	var out []Twin
	keys := map[string][]int{}
	like := near{sets, map[int32][]int{}}
	for j, c := range cards {
		key := c.Key()
		same := keys[key]
		for _, i := range same {
			if alike(i, j) {
				out = append(out, Twin{A: cards[i].Path, B: c.Path, Overlap: share(sets[i], sets[j], 0), Key: true})
			}
		}
		keys[key] = append(same, j)
		if len(sets[j]) < fewWords {
			continue
		}
		like.see(j, func(i int, share float64) {
			if alike(i, j) && !slices.Contains(same, i) {
				out = append(out, Twin{A: cards[i].Path, B: c.Path, Overlap: share})
			}
		})
	}
	return out
}
