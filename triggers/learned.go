package triggers

import (
	_ "embed"
	"encoding/binary"
	"math"
	"slices"
	"sync"
)

// Phrases know what they were told; people say it in more ways. So each feature of a
// sentence also carries a weight for each trigger, learned from the sentences in
// testdata/triggers by
//
//	go test ./triggers -run TestLearn -learn
//
// and both together decide: a phrase with words that speak against it is none, and many
// words that speak for it need no phrase.

// spoken are the triggers that a message may be, as the weights are kept.
var spoken = [...]Trigger{Complaint, Record, Correction}

// scores are how much a text sounds like each of them.
type scores [len(spoken)]float64

// phraseWeight is what a matching phrase counts: as much as it is worth on sentences that
// neither phrases nor weights had seen.
var phraseWeight = scores{0.5, 0.8, 0.4}

// span is how many sentences in a row are weighed together.
const span = 3

//go:embed grammar/weights.bin
var weightsFile string

// model is what was learned.
type model struct {
	bias, floor scores // floor is the score from which a text is one
	features    []uint32
	weights     []float32 // for each feature one of each trigger
}

// learned reads the file of weights, which is little-endian: for each trigger its scale,
// bias and floor as float32, then the features in order, then their weights in a byte each.
var learned = sync.OnceValue(func() *model {
	const words, size = 3, 4 + len(spoken)
	m := &model{}
	data := []byte(weightsFile)
	next := func() uint32 {
		v := binary.LittleEndian.Uint32(data)
		data = data[4:]
		return v
	}
	var scale scores
	n := (len(data) - words*4*len(spoken)) / size
	for i := range spoken {
		for _, v := range []*float64{&scale[i], &m.bias[i], &m.floor[i]} {
			*v = float64(math.Float32frombits(next()))
		}
	}
	m.features, m.weights = make([]uint32, n), make([]float32, n*len(spoken))
	for i := range m.features {
		m.features[i] = next()
	}
	for i, b := range data {
		m.weights[i] = float32(float64(int8(b)) * scale[i%len(spoken)])
	}
	return m
})

// score weighs a set of features.
func (m *model) score(b bag) scores {
	out := m.bias
	for g := range b {
		var sum scores
		rest := m.features
		for _, f := range b[g] {
			i, ok := slices.BinarySearch(rest, f)
			if ok {
				k := (len(m.features) - len(rest) + i) * len(spoken)
				for t := range sum {
					sum[t] += float64(m.weights[k+t])
				}
			}
			rest = rest[i:] // those of a bag are in order too
		}
		for t := range out {
			out[t] += sum[t] * b.value(group(g))
		}
	}
	return out
}

// windows returns the features of each run of sentences that is weighed.
func windows(each []bag) []bag {
	out := make([]bag, 0, len(each))
	for i := range each[:max(1, len(each)-span+1)] {
		out = append(out, merge(each[i:min(i+span, len(each))]))
	}
	return out
}

// weigh says how much a message sounds like each trigger, and which of its sentences does
// so most.
func (m *model) weigh(text []said) (total scores, loudest [len(spoken)]int) {
	each := make([]bag, len(text))
	var most scores
	for i, s := range text {
		each[i] = features(s)
		if len(text) == 1 {
			break
		}
		for t, z := range m.score(each[i]) {
			if i == 0 || z > most[t] {
				most[t], loudest[t] = z, i
			}
		}
	}
	for i, b := range windows(each) {
		for t, z := range m.score(b) {
			if i == 0 || z > total[t] {
				total[t] = z
			}
		}
	}
	return total, loudest
}
