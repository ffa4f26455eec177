package triggers

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var learn = flag.Bool("learn", false, "learn grammar/complaint.weights.txt anew from testdata/triggers")

const (
	rounds = 30
	step   = 0.09
	shrink = 0.0006 // of a weight, each time its feature is seen
	least  = 15     // thousandths; smaller weights are left out
	unseen = "f"    // the part of the sentences that nothing is learned from
)

// TestLearn learns the weights by logistic regression, in a fixed order: the same
// sentences give the same file.
func TestLearn(t *testing.T) {
	if !*learn {
		t.Skip("only with -learn")
	}
	type example struct {
		features  []int
		complaint float64
	}
	var examples []example
	ids := map[string]int{}
	var names []string
	for _, set := range []string{"complaint", "complaint-heldout", "record", "record-heldout"} {
		for _, x := range sentencesOf(t, set) {
			if x.half == unseen {
				continue
			}
			e := example{}
			if x.yes && strings.HasPrefix(set, "complaint") {
				e.complaint = 1
			}
			for _, sentence := range sentences(x.text) {
				for _, f := range features(sentence) {
					if _, ok := ids[f]; !ok {
						ids[f] = len(names)
						names = append(names, f)
					}
					if !slices.Contains(e.features, ids[f]) {
						e.features = append(e.features, ids[f])
					}
				}
			}
			examples = append(examples, e)
		}
	}
	weights := make([]float64, len(names))
	order := rand.New(rand.NewPCG(1, 1))
	for round := range rounds {
		for _, i := range order.Perm(len(examples)) {
			e := examples[i]
			z := 0.0
			for _, f := range e.features {
				z += weights[f]
			}
			by := (1/(1+math.Exp(-z)) - e.complaint) / math.Sqrt(float64(max(len(e.features), 1))) * step / (1 + float64(round)/5)
			for _, f := range e.features {
				weights[f] -= weights[f]*shrink + by
			}
		}
	}
	var lines []string
	for i, w := range weights {
		if v := math.Round(w * weightUnit); math.Abs(v) >= least {
			lines = append(lines, fmt.Sprintf("%s\t%d\n", names[i], int(v)))
		}
	}
	slices.Sort(lines)
	if err := os.WriteFile(filepath.Join("grammar", "complaint.weights.txt"), []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d sentences, %d features, %d weights", len(examples), len(names), len(lines))
}
