package life

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"handrail/lessons"
	"handrail/lessons/terms"
)

// words is a card as a set of its words, by their rank: the rarest in the brain first.
type words []int32

// vocabulary returns n lists of words as sets of words that share a numbering, the rarer the smaller,
// and how many of the lists hold each word.
func vocabulary(n int, list func(int) []string) (sets []words, holders []int) {
	lists := make([][]string, n)
	parallel(n, func(i int) {
		list := list(i)
		slices.Sort(list)
		lists[i] = slices.Compact(list)
	})
	ids := map[string]int32{}
	var count []int
	sets = make([]words, n)
	for i, list := range lists {
		sets[i] = make(words, len(list))
		for k, w := range list {
			id, ok := ids[w]
			if !ok {
				id = int32(len(count)) //nolint:gosec // a brain has fewer words
				ids[w] = id
				count = append(count, 0)
			}
			count[id]++
			sets[i][k] = id
		}
		lists[i] = nil
	}
	order := make([]int32, len(count))
	for i := range order {
		order[i] = int32(i) //nolint:gosec // as above
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b)) })
	rank := make([]int32, len(count))
	holders = make([]int, len(count))
	for r, id := range order {
		rank[id] = int32(r) //nolint:gosec // as above
		holders[r] = count[id]
	}
	for _, s := range sets {
		for i, id := range s {
			s[i] = rank[id]
		}
		slices.Sort(s)
	}
	return sets, holders
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

// joint returns the number of common words of two sets.
func joint(a, b words) int { return jointFrom(a, b, 0, 0, 0) }

// share returns which part of the words of two sets both have, from their number.
func share(both, a, b int) float64 {
	if both == 0 {
		return 0
	}
	return float64(both) / float64(a+b-both)
}

// jaccard returns the share of the words of two sets that both have.
func jaccard(a, b words) float64 { return share(joint(a, b), len(a), len(b)) }

// prefixes finds the pairs of sets that have a share of at least t of their words in common,
// without comparing all: two such sets have a word in common among the first n − ⌈t·n⌉ + 1 of
// each, the rarest ones; neither is much longer; and behind that word there is enough left of
// both (prefix, length and positional filtering, Xiao et al., "Efficient Similarity Joins
// for Near Duplicate Detection", 2008).
type prefixes struct {
	t     float64
	sets  []words
	lists [][]holder // word → the sets before that have it in their prefix
	met   []int32    // set → the set that it was last compared with, plus one
}

// holder is a set with a word, and the word's place in it.
type holder struct{ set, at int32 }

func newPrefixes(t float64, sets []words, holders []int) *prefixes {
	return &prefixes{t: t, sets: sets, lists: make([][]holder, len(holders)), met: make([]int32, len(sets))}
}

// see calls with once for each earlier set near set j, with the number of their common words,
// then adds j.
func (p *prefixes) see(j int, with func(i, both int)) {
	set := p.sets[j]
	n := len(set)
	mark := int32(j) + 1 //nolint:gosec // a brain has fewer cards
	for at, w := range set[:min(n, n-int(math.Ceil(p.t*float64(n)))+1)] {
		for _, h := range p.lists[w] {
			if p.met[h.set] == mark {
				continue
			}
			p.met[h.set] = mark
			other := p.sets[h.set]
			// share ≥ t where both ≥ t·(a + b)/(1 + t); a little less, for the rounding.
			need := int(math.Ceil(p.t*float64(len(other)+n)/(1+p.t) - 1e-6))
			if both := jointFrom(other, set, int(h.at), at, need); share(both, len(other), n) >= p.t {
				with(int(h.set), both)
			}
		}
		p.lists[w] = append(p.lists[w], holder{int32(j), int32(at)}) //nolint:gosec // as above
	}
}

// jointFrom returns how many words two sets have in common from the given places on, or 0 as
// soon as it is clear that they are fewer than need.
func jointFrom(a, b words, i, j, need int) int {
	both := 0
	for i < len(a) && j < len(b) {
		if both+min(len(a)-i, len(b)-j) < need {
			return 0
		}
		switch {
		case a[i] == b[j]:
			both, i, j = both+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return both
}

// twinOverlap is the share of common words from which two cards are twins.
const twinOverlap = 0.8

// fewWords is how many words a card needs for the overlap to be meaningful.
const fewWords = 5

// Same reports whether two cards of one kind and project have at least 0.8 of their words in common.
func Same(a, b lessons.Card) bool {
	sets, _ := vocabulary(2, func(i int) []string { return wordsOf(said([]lessons.Card{a, b}[i])...) })
	return a.Kind == b.Kind && a.Project == b.Project && min(len(sets[0]), len(sets[1])) >= fewWords && jaccard(sets[0], sets[1]) >= twinOverlap
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
	sets, holders := vocabulary(len(cards), func(i int) []string { return wordsOf(said(cards[i])...) })
	alike := func(i, j int) bool { return cards[i].Kind == cards[j].Kind && cards[i].Project == cards[j].Project }
	var out []Twin
	keys := map[string][]int{}
	near := newPrefixes(twinOverlap, sets, holders)
	for j, c := range cards {
		key := c.Key()
		same := keys[key]
		for _, i := range same {
			if alike(i, j) {
				out = append(out, Twin{A: cards[i].Path, B: c.Path, Overlap: jaccard(sets[i], sets[j]), Key: true})
			}
		}
		keys[key] = append(same, j)
		if len(sets[j]) < fewWords {
			continue
		}
		near.see(j, func(i, both int) {
			if alike(i, j) && !slices.Contains(same, i) {
				out = append(out, Twin{A: cards[i].Path, B: c.Path, Overlap: share(both, len(sets[i]), len(sets[j]))})
			}
		})
	}
	return out
}
