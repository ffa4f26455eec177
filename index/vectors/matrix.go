package vectors

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/gonum"
)

// Matrix holds the vectors of a space in memory: unit rows in one flat slice, so that a
// search is one pass over it. It is safe for concurrent use.
type Matrix struct {
	mu   sync.RWMutex // guards all below
	dim  int
	keys []Key
	rows []float32
	at   map[Key]int
}

// NewMatrix returns an empty matrix for vectors of dim numbers.
func NewMatrix(dim int) *Matrix { return &Matrix{dim: dim, at: map[Key]int{}} }

// Dim returns how many numbers a vector has.
func (m *Matrix) Dim() int { return m.dim }

// Len returns how many vectors there are.
func (m *Matrix) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.keys)
}

// Has reports whether there is a vector for a key.
func (m *Matrix) Has(key Key) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, ok := m.at[key]
	return ok
}

// Set keeps a unit vector under a key; one of another length is passed over.
func (m *Matrix) Set(key Key, v []float32) {
	if len(v) != m.dim {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if i, ok := m.at[key]; ok {
		copy(m.rows[i*m.dim:], v)
		return
	}
	m.at[key] = len(m.keys)
	m.keys = append(m.keys, key)
	m.rows = append(m.rows, v...)
}

// Keep forgets every vector whose key is not live; the last row takes the place of each.
func (m *Matrix) Keep(live func(Key) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := 0; i < len(m.keys); {
		key := m.keys[i]
		if live(key) {
			i++
			continue
		}
		last := len(m.keys) - 1
		copy(m.rows[i*m.dim:(i+1)*m.dim], m.rows[last*m.dim:])
		m.keys[i] = m.keys[last]
		m.at[m.keys[i]] = i
		delete(m.at, key)
		m.keys, m.rows = m.keys[:last], m.rows[:last*m.dim]
	}
}

// Match is a vector and how near it is.
type Match struct {
	Key    Key
	Cosine float64
}

// Ranking is how near all vectors of a matrix are to one. Mean and Deviation describe the
// cosines, which every model spreads over a range of its own.
type Ranking struct {
	Best            []Match // nearest first
	Count           int     // of all vectors
	Mean, Deviation float64
}

// split is how many rows are worth a goroutine.
const split = 2048

// Nearest ranks all vectors by their cosine with the unit vector v; the best limit of them
// by name. A vector of another length is near to nothing.
func (m *Matrix) Nearest(v []float32, limit int) Ranking {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n := len(m.keys)
	if len(v) != m.dim || n == 0 || limit <= 0 {
		return Ranking{}
	}
	cosines := make([]float32, n)
	parts := min(runtime.GOMAXPROCS(0), (n+split-1)/split)
	var wg sync.WaitGroup
	for part := range parts {
		wg.Go(func() {
			for i := part * n / parts; i < (part+1)*n/parts; i++ {
				cosines[i] = dot(v, m.rows[i*m.dim:(i+1)*m.dim])
			}
		})
	}
	wg.Wait()

	out := Ranking{Count: n}
	var sum, squares float64
	for i, c := range cosines {
		sum += float64(c)
		squares += float64(c) * float64(c)
		if match := (Match{m.keys[i], float64(c)}); len(out.Best) < limit || nearer(match, out.Best[limit-1]) < 0 {
			at, _ := slices.BinarySearchFunc(out.Best, match, nearer)
			out.Best = slices.Insert(out.Best, at, match)[:min(limit, len(out.Best)+1)]
		}
	}
	out.Mean = sum / float64(n)
	out.Deviation = math.Sqrt(max(0, squares/float64(n)-out.Mean*out.Mean))
	return out
}

func nearer(a, b Match) int {
	return cmp.Or(-cmp.Compare(a.Cosine, b.Cosine), slices.Compare(a.Key[:], b.Key[:]))
}

// dot is an inner product. Gonum's is in assembly on amd64, which a loop in Go cannot
// match; see BenchmarkNearest.
func dot(a, b []float32) float32 { return gonum.Implementation{}.Sdot(len(a), a, 1, b, 1) }

// Unit returns v with length one, and false for one without a direction.
func Unit(v []float32) ([]float32, bool) {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if squares == 0 || math.IsNaN(squares) || math.IsInf(squares, 0) {
		return nil, false
	}
	out, norm := make([]float32, len(v)), math.Sqrt(squares)
	for i, x := range v {
		out[i] = float32(float64(x) / norm)
	}
	return out, true
}
