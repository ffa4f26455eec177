package index

import (
	"cmp"
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// TestLeftOutIsNotAmongTheBest holds that looking at few documents finds the same as
// looking at all.
func TestLeftOutIsNotAmongTheBest(t *testing.T) {
	const docs, words = 70_000, 40 // more than one run
	rng := rand.New(rand.NewSource(1))
	v := &view{boosts: make([]float32, docs), highest: 1.4, n: docs, pivot: 10}
	rows := make([]packer, words)
	for i := range docs {
		switch rng.Intn(10) {
		case 0:
			v.boosts[i] = 0.8 + 0.6*rng.Float32()
		case 1:
			v.boosts[i] = gone
		}
		for w := range words {
			if rng.Intn(3*w+2) == 0 {
				rows[w].add(uint32(i), impactOf(float64(1+rng.Intn(4)), normOf(float64(2+rng.Intn(30)), v.pivot)), 1)
			}
		}
	}
	f := &segments{view: v, lists: &lists{view: v, byTerm: map[string]*termLists{}}, dicts: []segment.TermDictionary{}}
	for w := range rows {
		p := rows[w].postings()
		f.lists.byTerm[fmt.Sprint("word", w)] = &termLists{of: v, df: p.n, unpacked: true, postings: p}
	}
	spared := 0
	for range 50 {
		text := ""
		for range 1 + rng.Intn(12) {
			text += fmt.Sprint(" word", rng.Intn(words))
		}
		r, err := weighed(f, parse(text))
		if err != nil {
			t.Fatal(err)
		}
		want := wanted{cards: rng.Intn(4) > 0, notes: true, paths: 1 + 0.25*float64(rng.Intn(2))}
		ranked := func(want wanted) (best []string, n int) {
			a := &scratch{}
			ids, _, err := a.candidates(context.Background(), f, r, want)
			if err != nil {
				t.Fatal(err)
			}
			score := func(id uint32) float32 { return a.scores[id] * cmp.Or(v.boosts[id], 1) }
			slices.SortFunc(ids, func(a, b uint32) int { return cmp.Or(-cmp.Compare(score(a), score(b)), cmp.Compare(a, b)) })
			for _, id := range ids[:min(10, len(ids))] {
				best = append(best, fmt.Sprintf("%d %.4g", id, score(id)))
			}
			return best, len(ids)
		}
		all, n := ranked(want)
		want.limit = 10
		some, m := ranked(want)
		if !slices.Equal(all, some) {
			t.Errorf("%q: of %d documents the best are %v, of all %d %v", text, m, some, n, all)
		}
		if m < n/10 {
			spared++
		}
	}
	if spared < 25 {
		t.Errorf("only %d of 50 searches spared nine documents in ten", spared)
	}
}
