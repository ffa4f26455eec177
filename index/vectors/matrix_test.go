package vectors

import (
	"encoding/binary"
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
func unit(t testing.TB, i, dim int) []float32 {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(i), 7))
	v := make([]float32, dim)
	for j := range v {
		v[j] = float32(r.NormFloat64())
	}
	u, ok := Unit(v)
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
	m := NewMatrix(dim)
	for i := range n {
		m.Set(keyOf(i), unit(t, i, dim))
	}
	query := unit(t, -1, dim)
	want := make([]Match, n)
	mean := 0.0
	for i := range n {
		want[i] = Match{keyOf(i), cosine(query, unit(t, i, dim))}
		mean += want[i].Cosine / n
	}
	slices.SortFunc(want, nearer)
	got := m.Nearest(query, 20)
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
	m := NewMatrix(dim)
	for i := range n {
		m.Set(keyOf(i), unit(t, i, dim))
	}
	m.Set(keyOf(3), unit(t, 1000, dim)) // takes the place of the first
	odd := func(k Key) bool { return binary.LittleEndian.Uint64(k[:])%2 == 1 }
	m.Keep(func(k Key) bool { return !odd(k) })
	if m.Len() != n/2 {
		t.Fatalf("%d are left", m.Len())
	}
	for i := range n {
		v := unit(t, i, dim)
		if i == 3 {
			v = unit(t, 1000, dim)
		}
		best := m.Nearest(v, 1).Best[0]
		if odd(keyOf(i)) == m.Has(keyOf(i)) || !odd(keyOf(i)) && (best.Key != keyOf(i) || best.Cosine < .999) {
			t.Errorf("%d: has %v, nearest %v", i, m.Has(keyOf(i)), best)
		}
	}
}

func TestVectorsOfAnotherLengthAreNearToNothing(t *testing.T) {
	m := NewMatrix(8)
	m.Set(keyOf(1), unit(t, 1, 9))
	if m.Len() != 0 {
		t.Error("a vector of nine numbers among those of eight")
	}
	m.Set(keyOf(1), unit(t, 1, 8))
	if got := m.Nearest(unit(t, 1, 9), 5); len(got.Best) != 0 {
		t.Errorf("found %v", got)
	}
}

func TestUnit(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{{}, {0, 0}, {nan, 1}, {inf, 1}} {
		if u, ok := Unit(v); ok {
			t.Errorf("%v has the direction %v", v, u)
		}
	}
	if u, ok := Unit([]float32{3, 4}); !ok || u[0] != .6 || u[1] != .8 {
		t.Errorf("%v", u)
	}
}

// BenchmarkNearest is a search among 100,000 vectors of 768 numbers: 307 MB, read once.
func BenchmarkNearest(b *testing.B) {
	const n, dim = 100_000, 768
	m := NewMatrix(dim)
	row := unit(b, 0, dim)
	for i := range n {
		row[i%dim] = -row[i%dim]
		m.Set(keyOf(i), row)
	}
	query := unit(b, -1, dim)
	b.ResetTimer()
	for b.Loop() {
		if len(m.Nearest(query, 50).Best) != 50 {
			b.Fatal("not 50")
		}
	}
}
