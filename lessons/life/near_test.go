package life

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"handrail/lessons"
)

// someCards returns cards of few words, some of which are in nearly all of them.
func someCards(rnd *rand.Rand, n int) []lessons.Card {
	words := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("w%d", int(rnd.ExpFloat64()*rnd.ExpFloat64()*40))
		}
		return strings.Join(out, " ")
	}
	cards := make([]lessons.Card, n)
	for i := range cards {
		c := auto(fmt.Sprintf("lessons/%03d.md", i), words(3), "2026-01-01")
		c.Sections = []lessons.Section{{Name: lessons.Fix, Text: words(5 + rnd.IntN(20))}}
		c.Project = []string{"", "", "shop"}[rnd.IntN(3)]
		for k := range 1 + rnd.IntN(3) {
			text := words(2 + rnd.IntN(4))
			if rnd.IntN(2) == 0 {
				text = "never " + text
			}
			c.Items = append(c.Items, lessons.Item{Text: text, Line: k})
		}
		cards[i] = c
	}
	return cards
}

// TestOppositesAreThoseOfAllPairs holds the filters against looking at every pair.
func TestOppositesAreThoseOfAllPairs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 30 {
		cards := someCards(rnd, 40)
		var want []Opposite
		for j, b := range cards {
			for _, itemB := range b.Items {
				for _, a := range cards[:j] {
					for _, itemA := range a.Items {
						x, y := subject(itemA.Text), subject(itemB.Text)
						slices.Sort(x)
						slices.Sort(y)
						x, y = slices.Compact(x), slices.Compact(y)
						both := len(slices.DeleteFunc(slices.Clone(x), func(w string) bool { return !slices.Contains(y, w) }))
						if min(len(x), len(y)) > 1 && a.Project == b.Project && forbids.MatchString(itemA.Text) != forbids.MatchString(itemB.Text) &&
							float64(both)/float64(len(x)+len(y)-both) >= oppositeOverlap {
							want = append(want, Opposite{a.Path, itemA.Text, b.Path, itemB.Text})
						}
					}
				}
			}
		}
		if diff := gocmp.Diff(want, Opposites(cards)); diff != "" {
			t.Fatal(diff)
		}
		found += len(want)
	}
	if found == 0 {
		t.Fatal("no two items contradict each other")
	}
}

// TestRelatedAreTheNearestOfAll does the same for links, on so many cards that some words
// are too common to bring two together.
func TestRelatedAreTheNearestOfAll(t *testing.T) {
	cards := someCards(rand.New(rand.NewPCG(5, 6)), 450)
	sets, holders := vocabulary(len(cards), func(i int) []string { return wordsOf(append(said(cards[i]), cards[i].Tags...)...) })
	if holders[len(holders)-1] <= relatedWords {
		t.Fatal("no word is common")
	}
	want := map[string][]string{}
	link := func(a, b string) {
		if !slices.Contains(want[a], b) {
			want[a] = append(want[a], b)
		}
	}
	for i := range cards {
		var all []near
		for j := range cards {
			meet := slices.ContainsFunc(sets[i], func(w int32) bool { return holders[w] <= relatedWords && slices.Contains(sets[j], w) })
			other := cards[i].Project != "" && cards[j].Project != "" && cards[i].Project != cards[j].Project
			if o := share(joint(sets[i], sets[j]), len(sets[i]), len(sets[j])); i != j && meet && !other && o >= relatedOverlap {
				all = append(all, near{j, o})
			}
		}
		slices.SortFunc(all, func(a, b near) int { return cmp.Or(-cmp.Compare(a.alike, b.alike), cmp.Compare(a.card, b.card)) })
		for _, n := range all[:min(len(all), relatedCards)] {
			link(cards[i].Path, cards[n.card].Path)
			link(cards[n.card].Path, cards[i].Path)
		}
	}
	for _, list := range want {
		slices.Sort(list)
	}
	if diff := gocmp.Diff(want, Related(cards)); diff != "" {
		t.Error(diff)
	}
}

// TestMoreCommonWordsThanBits: words beyond those that have a bit are counted all the same.
func TestMoreCommonWordsThanBits(t *testing.T) {
	const n = 64*commonBits + 500
	all := make(words, n)
	holders := make([]int, n)
	for i := range all {
		all[i], holders[i] = int32(i), relatedWords+1
	}
	holders[0] = 2
	calls := 0
	eachNear([]words{all, all[:n/2]}, holders, func(i, j int, alike float64) {
		if calls++; i != 0 || j != 1 || alike != 0.5 {
			t.Errorf("%d and %d are alike by %g", i, j, alike)
		}
	})
	if calls != 1 {
		t.Errorf("%d pairs", calls)
	}
}
