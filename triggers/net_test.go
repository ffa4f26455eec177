package triggers

import (
	"math"
	"math/rand/v2"
)

// How the net is trained. All were found on sentences of hands that were left out; within a
// factor of two they hardly matter.
const (
	epochs    = 6
	batch     = 64
	rate      = 0.003 // at the start; it falls in a line to nothing
	smoothing = 0.05  // of the labels: some sentences are labelled wrongly, most are open to doubt
	dropped   = 0.2   // of the features, and of the units, while learning
)

// net is what is learned while it is learned.
type net struct {
	rows  []float32 // hidden numbers for each column
	dense []float32 // hidden biases, then for each class hidden weights and a bias
}

func (n *net) row(column int32) []float32 {
	k := int(column) * hidden
	return n.rows[k : k+hidden]
}

// out returns the weights of a class, the bias behind them.
func (n *net) out(class int) []float32 {
	k := hidden + class*(hidden+1)
	return n.dense[k : k+hidden+1]
}

// score is model.score before the weights are rounded.
func (n *net) score(b bag, columns map[uint32]int32) scores {
	var units [hidden]float32
	copy(units[:], n.dense)
	for g := range b {
		value := float32(b.value(group(g)))
		for _, f := range b[g] {
			if c, ok := columns[f]; ok {
				for j, w := range n.row(c) {
					units[j] += w * value
				}
			}
		}
	}
	var out [classes][hidden + 1]float32
	for c := range out {
		copy(out[c][:], n.out(c))
	}
	return ahead(&out, &units)
}

// moments are what Adam (Kingma and Ba, 2015) remembers of the slopes of some weights.
type moments struct{ slope, first, second []float32 }

func momentsOf(n int) moments {
	return moments{make([]float32, n), make([]float32, n), make([]float32, n)}
}

// step moves the weights from to to against their slopes, and forgets these.
func (m moments) step(w []float32, from, to int, rate float32) {
	const b1, b2 = 0.9, 0.999
	for i := from; i < to; i++ {
		s := m.slope[i]
		m.first[i] = b1*m.first[i] + (1-b1)*s
		m.second[i] = b2*m.second[i] + (1-b2)*s*s
		w[i] -= rate * m.first[i] / (sqrt(m.second[i]) + 1e-8)
		m.slope[i] = 0
	}
}

// train learns from all examples but those of one fold: cross entropy of the classes, by
// Adam, of which a row takes part in a step only when one of its batch has the feature.
func train(all []*example, columns, without int) *net {
	r := rand.New(rand.NewPCG(1, 1))
	n := &net{rows: make([]float32, columns*hidden), dense: make([]float32, hidden+classes*(hidden+1))}
	for i := range n.rows {
		n.rows[i] = 0.05 * float32(r.NormFloat64())
	}
	for c := range classes {
		w := n.out(c)
		for j := range hidden {
			w[j] = (2*r.Float32() - 1) / sqrt(hidden)
		}
	}
	var from []*example
	for _, e := range all {
		if !e.own || e.fold != without {
			from = append(from, e)
		}
	}
	ofRows, ofDense := momentsOf(len(n.rows)), momentsOf(len(n.dense))
	touched, seen := []int32{}, make([]int, columns) // the columns of the batch, and the last batch of each
	steps := 0
	for epoch := range epochs {
		now := rate * (1 - float64(epoch)/epochs)
		order := r.Perm(len(from))
		for len(order) > 0 {
			steps++
			some := order[:min(batch, len(order))]
			order = order[len(some):]
			touched = touched[:0]
			for _, k := range some {
				n.learn(from[k], r, 1/float32(len(some)), ofRows.slope, ofDense.slope)
				for _, c := range from[k].columns {
					if seen[c] != steps {
						seen[c] = steps
						touched = append(touched, c)
					}
				}
			}
			at := float32(now * math.Sqrt(1-math.Pow(0.999, float64(steps))) / (1 - math.Pow(0.9, float64(steps))))
			for _, c := range touched {
				ofRows.step(n.rows, int(c)*hidden, (int(c)+1)*hidden, at)
			}
			ofDense.step(n.dense, 0, len(n.dense), at)
		}
	}
	return n
}

// learn adds the slopes of one example, of which some features and units are left out.
func (n *net) learn(e *example, r *rand.Rand, share float32, rows, dense []float32) {
	const kept = 1 / (1 - dropped)
	var units, slope [hidden]float32
	copy(units[:], n.dense)
	values := make([]float32, len(e.columns))
	for k, c := range e.columns {
		if r.Float32() < dropped {
			continue
		}
		values[k] = e.values[k] * kept
		for j, w := range n.row(c) {
			units[j] += w * values[k]
		}
	}
	for j := range units {
		if units[j] <= 0 || r.Float32() < dropped {
			units[j] = 0
		}
		units[j] *= kept
	}
	var z [classes]float64
	var sum float64
	for c := range z {
		out := n.out(c)
		v := out[hidden]
		for j, u := range units {
			v += out[j] * u
		}
		z[c] = math.Exp(float64(v))
		sum += z[c]
	}
	for c := range z {
		wanted := smoothing / float64(classes)
		if c == e.class {
			wanted += 1 - smoothing
		}
		by := float32(z[c]/sum-wanted) * share
		out, of := n.out(c), dense[hidden+c*(hidden+1):]
		for j, u := range units {
			slope[j] += by * out[j] * kept
			of[j] += by * u
		}
		of[hidden] += by
	}
	for j := range slope {
		if units[j] == 0 {
			slope[j] = 0
		}
		dense[j] += slope[j]
	}
	for k, c := range e.columns {
		if values[k] == 0 {
			continue
		}
		of := rows[int(c)*hidden:]
		for j, s := range slope {
			of[j] += s * values[k]
		}
	}
}

func sqrt(v float32) float32 { return float32(math.Sqrt(float64(v))) }

func abs(v float32) float32 { return max(v, -v) }
