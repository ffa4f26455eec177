package heard

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The weights were learned from what real people typed to coding agents, read and labelled with the turn before in view, by
//
//	HANDRAIL_DATA=folder go test ./triggers/heard -run TestLearn -learn
//
// which makes the same file bit for bit from the same labels and texts. A line is a cue or a fact and what it adds to the log odds that a sentence is a
// complaint and that it is a correction; "(…)" are the constant and the floors.
//
//go:embed weights.txt
var weightsFile string

// model is a logistic regression for each kind.
type model struct {
	kinds             [2]Kind
	bias, hint, plain [2]float64
	weight            map[string][2]float64
}

var learned = sync.OnceValue(func() *model { return parseModel(weightsFile) })

func parseModel(text string) *model {
	m := &model{kinds: [2]Kind{Complaint, Correction}, weight: map[string][2]float64{}}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 3 || strings.HasPrefix(line, "# ") {
			continue
		}
		var w [2]float64
		for k := range w {
			w[k], _ = strconv.ParseFloat(f[k+1], 64) // the tests read every line
		}
		switch f[0] {
		case "(bias)":
			m.bias = w
		case "(hint)":
			m.hint = w
		case "(plain)":
			m.plain = w
		default:
			m.weight[f[0]] = w
		}
	}
	return m
}

// score returns the log odds that a sentence with these features is of a kind.
func (m *model) score(kind int, features []string) float64 {
	z := m.bias[kind]
	for i, f := range features {
		if !slices.Contains(features[:i], f) { // several kinds of a cue count once as that cue
			z += m.weight[f][kind]
		}
	}
	return z
}
