package life

import (
	"cmp"
	"maps"
	popcount "math/bits"
	"slices"
	"sort"

	"handrail/lessons"
)

const (
	// relatedCards is how many similar cards are linked, as ConnectAI's lesson network does.
	relatedCards = 3
	// relatedOverlap is the share of common words from which two cards may be linked.
	relatedOverlap = 0.08
	// relatedWords is how many cards may hold a word that selects pairs to compare. Commoner
	// words say little, and comparing all their cards takes quadratic time.
	relatedWords = 200
	// commonBits bounds the bits for common words, in blocks of 64: half a kilobyte a card.
	commonBits = 64
)

// Related returns for each card the paths of those to be linked from it: the three most alike
// (by the share of common words), and the cards among whose three it is. Cards without any are
// missing. Archived and draft cards and those of other projects are never linked.
func Related(cards []lessons.Card) map[string][]string {
	cards = slices.DeleteFunc(slices.Clone(cards), func(c lessons.Card) bool { return c.Status != lessons.Active || !c.Kind.IsCard() })
	slices.SortFunc(cards, func(a, b lessons.Card) int { return cmp.Compare(a.Path, b.Path) })
	sets, holders := vocabulary(len(cards), func(i int) []string { return wordsOf(slices.Concat(said(cards[i]), cards[i].Tags)...) })
	best := make([][]near, len(cards))
	eachNear(sets, holders, func(i, j int, alike float64) {
		if cards[i].Project != "" && cards[j].Project != "" && cards[i].Project != cards[j].Project {
			return
		}
		best[i], best[j] = among(best[i], near{j, alike}), among(best[j], near{i, alike})
	})
	links := map[string]map[string]bool{}
	link := func(a, b string) {
		if links[a] == nil {
			links[a] = map[string]bool{}
		}
		links[a][b] = true
	}
	for i, list := range best {
		for _, n := range list {
			link(cards[i].Path, cards[n.card].Path)
			link(cards[n.card].Path, cards[i].Path)
		}
	}
	out := map[string][]string{}
	for path, to := range links {
		out[path] = slices.Sorted(maps.Keys(to))
	}
	return out
}

// near is a card and its similarity to another.
type near struct {
	card  int
	alike float64
}

// among adds one card to a short list and returns the relatedCards most similar ones, best
// first; ties keep the first.
func among(list []near, n near) []near {
	before := func(o near) bool { return n.alike > o.alike || n.alike == o.alike && n.card < o.card }
	at := slices.IndexFunc(list, before)
	if at < 0 {
		at = len(list)
	}
	if at == relatedCards {
		return list
	}
	list = slices.Insert(list, at, n)
	return list[:min(len(list), relatedCards)]
}

// eachNear calls pair once for every two sets that share a word which at most relatedWords
// sets hold, and at least relatedOverlap of all their words. Common words are counted by
// bits: merging the two sets takes ten times as long.
func eachNear(sets []words, holders []int, pair func(i, j int, alike float64)) {
	rare := int32(sort.SearchInts(holders, relatedWords+1)) //nolint:gosec // words below it are rare: holders ascend
	flagged := max(rare, int32(len(holders)-64*commonBits)) //nolint:gosec // words from it on have a bit
	bits := make([][commonBits]uint64, len(sets))
	blocks := (len(holders) - int(flagged) + 63) / 64
	lists := make([][]int32, rare)
	count := make([]int32, len(sets)) // rare words in common with the set at hand
	var met []int32
	for j, s := range sets {
		from, _ := slices.BinarySearch(s, rare)
		to, _ := slices.BinarySearch(s, flagged)
		for _, w := range s[to:] {
			bits[j][(w-flagged)/64] |= 1 << ((w - flagged) % 64)
		}
		for _, w := range s[:from] {
			for _, i := range lists[w] {
				if count[i] == 0 {
					met = append(met, i)
				}
				count[i]++
			}
			lists[w] = append(lists[w], int32(j)) //nolint:gosec // a brain has fewer cards
		}
		for _, i := range met {
			both := int(count[i])
			count[i] = 0
			for k := range blocks {
				both += popcount.OnesCount64(bits[i][k] & bits[j][k])
			}
			if from < to { // more common words than there are bits
				start, _ := slices.BinarySearch(sets[i], rare)
				end, _ := slices.BinarySearch(sets[i], flagged)
				both += joint(sets[i][start:end], s[from:to])
			}
			if o := share(both, len(sets[i]), len(s)); o >= relatedOverlap {
				pair(int(i), j, o)
			}
		}
		met = met[:0]
	}
}
