package index

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestWordsTogetherBeatWordsApart holds that of two files with the same words the one
// that says them in one breath comes first, be it short or longer than all places, and
// wherever in the file that is.
func TestWordsTogetherBeatWordsApart(t *testing.T) {
	filler := func(n int) string { return strings.Repeat("We spoke of other matters for a while. ", n) }
	for _, n := range []int{20, 200, 2000} {
		for place, text := range map[string]string{
			"start":  "The kayak trip ended near the lighthouse. " + filler(3*n),
			"middle": filler(n) + "The kayak trip ended near the lighthouse. " + filler(2*n),
			"end":    filler(3*n) + "The kayak trip ended near the lighthouse.",
		} {
			x := brainOf(t, map[string]string{
				"notes/b-together.md": "# Session\n\n" + text + "\n",
				"notes/a-apart.md":    "# Session\n\n" + filler(n) + "The kayak trip ended. " + filler(n) + "We stayed near the water. " + filler(n) + "A lighthouse.\n",
			})
			hits, err := x.Search(context.Background(), Query{Text: "kayak lighthouse", Notes: true})
			if err != nil {
				t.Fatal(err)
			}
			if len(hits) != 2 || hits[0].Card.Path != "notes/b-together.md" {
				t.Errorf("%d sentences, %s: %v", 3*n, place, hits)
			}
		}
	}
}

// TestPlaces holds that a word is near its own place and less near others, up to the last
// place of a long text.
func TestPlaces(t *testing.T) {
	for _, size := range []int{1, placeStep, placeStep * placeBits, placeStep*placeBits + 1, 1 << 20} {
		if last := (size - 1) / stepOf(strings.Repeat("x", size)); last >= placeBits {
			t.Errorf("the last byte of %d is in place %d", size, last)
		}
	}
	u := uses{300, 1 << (placeBits - 1)}
	if got := unpacked(uint64(u.packed())); got.n != maxCount || got.places != u.places || u.packed() < 0 {
		t.Errorf("%+v is %+v after packing", u, got)
	}
	unit := unit{lists: []postings{{[]uint32{7}, []uint16{1}, []uint64{1<<10 | 1}}}, shares: []float64{1}}
	var near [placeBits]float64
	unit.spread(7, 1, &near)
	if got, want := fmt.Sprint(near[:14]), "[1 0.7 0.3 0 0 0 0 0 0.3 0.7 1 0.7 0.3 0]"; got != want {
		t.Errorf("near are %s, want %s", got, want)
	}
}
