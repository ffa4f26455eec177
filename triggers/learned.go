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
var phraseWeight = scores{0.5, 0.5, 0.5}

// span is how many sentences in a row are weighed together.
const span = 3

//go:embed grammar/weights.bin
var weightsFile string

// The weights are those of a net with one hidden layer: a feature has a number for each of
// its units, which are added up over a text; of what is above zero, each trigger, and none
// of them, takes a weighted sum. A sum of weights for each trigger (a linear support vector
// machine) found 3 to 6 in a hundred fewer at the same precision, in sentences of hands
// that neither had learned from: it cannot know that two features together say another
// thing than each.
const (
	hidden  = 16
	classes = len(spoken) + 1 // the triggers, and none of them
)

// model is what was learned.
type model struct {
	floor    scores // how far a trigger must be ahead of all else
	bias     [hidden]float32
	out      [classes][hidden + 1]float32 // of the units, and on their own
	scale    [hidden]float32              // of the numbers in rows
	features []uint32                     // in order
	rows     string                       // for each feature a signed byte for each unit
}

// learned reads the file of weights: floors, biases, outputs and scales as float32, then
// the features as uint32, little-endian all of them, then their rows.
var learned = sync.OnceValue(func() *model {
	m := &model{}
	data := weightsFile
	next := func() uint32 {
		v := binary.LittleEndian.Uint32([]byte(data[:4]))
		data = data[4:]
		return v
	}
	read := func(into []float32) {
		for i := range into {
			into[i] = math.Float32frombits(next())
		}
	}
	var floor [len(spoken)]float32
	read(floor[:])
	for i, v := range floor {
		m.floor[i] = float64(v)
	}
	read(m.bias[:])
	for i := range m.out {
		read(m.out[i][:])
	}
	read(m.scale[:])
	m.features = make([]uint32, len(data)/(4+hidden))
	for i := range m.features {
		m.features[i] = next()
	}
	m.rows = data
	return m
})

// score says how far each trigger is ahead of the others and of none, given a set of
// features.
func (m *model) score(b bag) scores {
	units := m.bias
	for g := range b {
		var sum [hidden]float32
		rest := m.features
		for _, f := range b[g] {
			i, ok := slices.BinarySearch(rest, f)
			if ok {
				k := (len(m.features) - len(rest) + i) * hidden
				row := m.rows[k : k+hidden]
				for j := range sum {
					sum[j] += float32(int8(row[j]))
				}
			}
			rest = rest[i:] // those of a bag are in order too
		}
		value := float32(b.value(group(g)))
		for j := range units {
			units[j] += sum[j] * m.scale[j] * value
		}
	}
	return ahead(&m.out, &units)
}

// ahead turns the units' sums into how far each trigger is ahead of all else.
func ahead(out *[classes][hidden + 1]float32, units *[hidden]float32) scores {
	var z [classes]float32
	for c := range z {
		z[c] = out[c][hidden]
		for j, u := range units {
			z[c] += out[c][j] * max(u, 0)
		}
	}
	var s scores
	for t := range s {
		most := float32(math.Inf(-1))
		for c, v := range z {
			if c != t {
				most = max(most, v)
			}
		}
		s[t] = float64(z[t] - most)
	}
	return s
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
