package near

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func keyOf(i int) (k Key) {
	binary.LittleEndian.PutUint64(k[:], uint64(i)+1)
	return k
}

// unit returns the i-th of many directions, the same in every run.
func direction(t testing.TB, i, dim int) []float32 {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(i), 7))
	v := make([]float32, dim)
	for j := range v {
		v[j] = float32(r.NormFloat64())
	}
	u, ok := unit(v)
	if !ok {
		t.Fatal("no direction")
	}
	return u
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// TestNearestIsExact holds the search, which is split over cores, to the plain sum.
func TestNearestIsExact(t *testing.T) {
	const n, dim = 3*split + 17, 37 // parts of different lengths, rows of no round one
	m := &vectors{dim: dim, at: map[Key]int{}}
	for i := range n {
		m.put(map[Key][]float32{keyOf(i): direction(t, i, dim)})
	}
	query := direction(t, -1, dim)
	want := make([]Match, n)
	mean := 0.0
	for i := range n {
		want[i] = Match{Key: keyOf(i), Cosine: cosine(query, direction(t, i, dim))}
		mean += want[i].Cosine / n
	}
	slices.SortFunc(want, nearer)
	got := m.nearest(query, 20)
	if got.Count != n || len(got.Best) != 20 {
		t.Fatalf("%d of %d", len(got.Best), got.Count)
	}
	for i, g := range got.Best {
		if g.Key != want[i].Key || math.Abs(g.Cosine-want[i].Cosine) > 1e-5 {
			t.Errorf("place %d: %v, not %v", i, g, want[i])
		}
	}
	if math.Abs(got.Mean-mean) > 1e-5 || math.Abs(got.Deviation-1/math.Sqrt(dim)) > .02 {
		t.Errorf("mean %g, deviation %g", got.Mean, got.Deviation)
	}
}

func TestKeepForgetsTheRest(t *testing.T) {
	const n, dim = 100, 8
	m := &vectors{dim: dim, at: map[Key]int{}}
	for i := range n {
		m.put(map[Key][]float32{keyOf(i): direction(t, i, dim)})
	}
	m.put(map[Key][]float32{keyOf(3): direction(t, 1000, dim)}) // takes the place of the first
	odd := func(k Key) bool { return binary.LittleEndian.Uint64(k[:])%2 == 1 }
	m.keep(func(k Key) bool { return !odd(k) })
	if left, _ := m.size(); left != n/2 {
		t.Fatalf("%d are left", left)
	}
	for i := range n {
		v := direction(t, i, dim)
		if i == 3 {
			v = direction(t, 1000, dim)
		}
		best := m.nearest(v, 1).Best[0]
		if odd(keyOf(i)) == m.has(keyOf(i)) || !odd(keyOf(i)) && (best.Key != keyOf(i) || best.Cosine < .999) {
			t.Errorf("%d: has %v, nearest %v", i, m.has(keyOf(i)), best)
		}
	}
}

func TestVectorsOfAnotherLength(t *testing.T) {
	m := &vectors{at: map[Key]int{}}
	m.put(map[Key][]float32{keyOf(1): direction(t, 1, 8), keyOf(2): direction(t, 2, 8)})
	if got := m.nearest(direction(t, 1, 9), 5); len(got.Best) != 0 {
		t.Errorf("found %v", got)
	}
	if _, err := m.put(map[Key][]float32{keyOf(3): direction(t, 3, 8), keyOf(4): direction(t, 4, 9)}); !errors.Is(err, BadAnswer) {
		t.Errorf("two lengths at once: %v", err)
	}
	moved, err := m.put(map[Key][]float32{keyOf(1): direction(t, 1, 9)})
	if n, dim := m.size(); !moved || err != nil || n != 1 || dim != 9 {
		t.Errorf("%d of %d numbers, %v", n, dim, err)
	}
}

func TestUnit(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{{}, {0, 0}, {nan, 1}, {inf, 1}} {
		if u, ok := unit(v); ok {
			t.Errorf("%v has the direction %v", v, u)
		}
	}
	if u, ok := unit([]float32{3, 4}); !ok || u[0] != .6 || u[1] != .8 {
		t.Errorf("%v", u)
	}
}

// BenchmarkNearest is a search among 100,000 vectors of 768 numbers: 307 MB, read once.
func BenchmarkNearest(b *testing.B) {
	const n, dim = 100_000, 768
	m := &vectors{dim: dim, at: map[Key]int{}}
	row := direction(b, 0, dim)
	for i := range n {
		row[i%dim] = -row[i%dim]
		m.put(map[Key][]float32{keyOf(i): row})
	}
	query := direction(b, -1, dim)
	b.ResetTimer()
	for b.Loop() {
		if len(m.nearest(query, 50).Best) != 50 {
			b.Fatal("not 50")
		}
	}
}
