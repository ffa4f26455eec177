package life

import (
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
