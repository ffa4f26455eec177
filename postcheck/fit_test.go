package postcheck

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var fit = flag.Bool("fit", false, "fit weights.txt to the project's pairs")

// sample is a pair as the decision sees it.
type sample struct {
	set       string
	x         vector
	addressed bool
}

// look returns what Check knows of a pair; ok is false if it decides without the weights.
func look(item, answer string) (vector, bool) {
	if skip(answer) {
		return vector{}, false
	}
	a, w := read(answer), understand(item, func(string) float64 { return 1 })
	if a.word[w.key] || !a.prepare(&w) {
		return vector{}, false
	}
	v, _ := a.weigh(w)
	return v, true
}

// samples returns the project's pairs by set, without those that are only measured.
func samples(t testing.TB) []sample {
	t.Helper()
	var out []sample
	for _, p := range pairsOf(t) {
		for i, item := range p.items {
			if v, ok := look(item, p.answer); ok {
				out = append(out, sample{p.half, v, p.shown[i]})
			}
		}
	}
	for _, set := range []string{"tune", "own", "field", "near"} {
		for _, l := range linesOf(t, filepath.Join("..", "testdata", "postcheck", set+".jsonl")) {
			if v, ok := look(l.Item, l.Answer); ok {
				out = append(out, sample{set, v, l.Addressed})
			}
		}
	}
	return out
}

// ridge keeps weights small: the pairs are few.
const ridge = 1.0

// logistic fits weights by Newton's method.
func logistic(data []sample) vector {
	count := map[bool]float64{}
	for _, s := range data {
		count[s.addressed]++
	}
	var w vector
	for range 30 {
		var grad vector
		var hess [features][features]float64
		for _, s := range data {
			p := 1 / (1 + math.Exp(-s.x.dot(&w)))
			c := float64(len(data)) / 2 / count[s.addressed] // both kinds weigh the same
			for i := range s.x {
				grad[i] += c * (oneIf(s.addressed) - p) * s.x[i]
				for j := range s.x {
					hess[i][j] += c * p * (1 - p) * s.x[i] * s.x[j]
				}
			}
		}
		for i := range w {
			if feature(i) != always {
				grad[i] -= ridge * w[i]
				hess[i][i] += ridge
			}
			hess[i][i] += 1e-6
		}
		step := solve(hess, grad)
		for i := range w {
			w[i] += step[i]
		}
	}
	return w
}

// solve returns x of a·x = b, by elimination.
func solve(a [features][features]float64, b vector) vector {
	for i := range b {
		p := i
		for r := i + 1; r < len(b); r++ {
			if math.Abs(a[r][i]) > math.Abs(a[p][i]) {
				p = r
			}
		}
		a[i], a[p], b[i], b[p] = a[p], a[i], b[p], b[i]
		for r := i + 1; r < len(b); r++ {
			f := a[r][i] / a[i][i]
			for c := i; c < len(b); c++ {
				a[r][c] -= f * a[i][c]
			}
			b[r] -= f * b[i]
		}
	}
	for i := len(b) - 1; i >= 0; i-- {
		for c := i + 1; c < len(b); c++ {
			b[i] -= a[i][c] * b[c]
		}
		b[i] /= a[i][i]
	}
	return b
}

// judge counts how weights judge samples.
func judge(w vector, data []sample) score {
	var sc score
	for _, s := range data {
		sc.add(!s.addressed, s.x.dot(&w) < 0)
	}
	return sc
}

// without splits samples by a condition.
func without(data []sample, out func(i int, s sample) bool) (train, held []sample) {
	for i, s := range data {
		if out(i, s) {
			held = append(held, s)
		} else {
			train = append(train, s)
		}
	}
	return train, held
}

// folds is how many parts the pairs are cut into for cross-validation.
const folds = 10

// TestFit fits the weights to the project's pairs, after two cross-validations: each set
// is judged by weights that were fitted to the other sets, and each tenth of all by those
// that were fitted to the rest.
//
//	go test ./postcheck -count=1 -v -run TestFit -fit
func TestFit(t *testing.T) {
	if !*fit {
		t.Skip("fits the weights only with -fit")
	}
	data := samples(t)
	var sets []string
	for _, s := range data {
		if !slices.Contains(sets, s.set) {
			sets = append(sets, s.set)
		}
	}
	show := func(what string, s score) {
		fmt.Printf("%-14s addressed %3d not %3d missed %3d false %3d precision %.3f recall %.3f F1 %.3f\n", what, s.false+s.right, s.hit+s.miss, s.miss, s.false, s.precision(), s.recall(), s.f1())
	}
	for _, set := range sets {
		train, held := without(data, func(_ int, s sample) bool { return s.set == set })
		show("without "+set, judge(logistic(train), held))
	}
	var all score
	for k := range folds {
		train, held := without(data, func(i int, _ sample) bool { return i%folds == k })
		s := judge(logistic(train), held)
		all = score{all.hit + s.hit, all.miss + s.miss, all.false + s.false, all.right + s.right}
	}
	show("by tenths", all)
	w := logistic(data)
	var out strings.Builder
	for i, n := range featureNames {
		fmt.Fprintf(&out, "%s %.3f\n", n, w[i])
	}
	if err := os.WriteFile("weights.txt", []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
