package triggers

import (
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

var learn = flag.Bool("learn", false, "learn grammar/weights.bin anew from testdata/triggers")

const (
	rare   = 4                    // examples a feature must stand in
	unseen = "f"                  // the part of the sentences that nothing is learned from
	plain  = "KMNOQRSUVWXYZ12345" // the parts that are a day's traffic, little of which is any trigger; the others are hard on purpose
	folds  = 8                    // the hands are left out in this many groups
)

// wanted is the precision on sentences that were left out, of the parts that are hard on
// purpose: on a set of another hand it comes out one to two points higher. Of a day's
// traffic, where nearly nothing is a trigger, no more than the share alarms may be taken for
// one.
var (
	wanted = scores{0.95, 0.97, 0.955}
	alarms = scores{0.006, 0.003, 0.009}
)

// example is a bag of features, as columns of a matrix and their values, and what it is.
type example struct {
	columns []int32
	values  []float32
	text    string
	label   Trigger // "" when none
	class   int     // its place among the triggers, behind them when none
	own     bool    // one that the phrases were not written for
	plain   bool    // of a day's traffic
	fold    int     // of the hand that wrote it, when own
	phrase  scores  // what its phrases count
	bags    []bag   // windows of it, as they are judged
}

// TestLearn learns the weights: the same sentences give the same file (on one kind of
// processor: some add up in another order). The floors, and the figures printed, are those
// of sentences whose writers were left out of the learning.
func TestLearn(t *testing.T) {
	if !*learn {
		t.Skip("only with -learn")
	}
	examples, columns := examplesOf(t)
	leftOut := crossValidate(examples, columns)
	floor := floorsOf(examples, leftOut)
	var table strings.Builder
	fmt.Fprintf(&table, "%-5s %-10s %5s %5s %6s %6s %10s %7s %6s\n", "parts", "trigger", "yes", "no", "missed", "false", "precision", "recall", "F1")
	for k, parts := range []string{"hard", "plain"} {
		for i, trigger := range spoken {
			s := countLeftOut(examples, leftOut, floor, i, k == 1)
			fmt.Fprintf(&table, "%-5s %-10s %5d %5d %6d %6d %10.3f %7.3f %6.3f\n", parts, trigger, s.hit+s.miss, s.false+s.right, s.miss, s.false, s.precision(), s.recall(), s.f1())
		}
	}
	for k, e := range examples { // what to look at first: the phrases, and what is missing in the sets
		if i := judged(leftOut[k], floor); e.own && i >= 0 && spoken[i] != e.label {
			t.Logf("left out, %q judged %s: %.2f, floor %.2f: %s", e.label, spoken[i], leftOut[k][i], floor[i], e.text)
		}
	}
	t.Logf("%d examples, %d features, floors %.2f\n%s", len(examples), len(columns), floor, table.String())
	if err := os.WriteFile(filepath.Join("..", "testdata", "quality", "triggers-leftout.golden"), []byte(table.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("grammar", "weights.bin"), encode(train(examples, len(columns), -1), columns, floor), 0o644); err != nil {
		t.Fatal(err)
	}
}

// examplesOf returns what there is to learn from, and a column for each feature that
// stands in enough of it.
func examplesOf(t *testing.T) (all []*example, columns map[uint32]int32) {
	t.Helper()
	seen := map[uint32]int{}
	var bags []bag
	for _, set := range sets {
		for _, x := range sentencesOf(t, set) {
			if x.part == unseen {
				continue
			}
			s := sentences(x.text)
			each := make([]bag, len(s))
			for i := range s {
				each[i] = features(s[i])
			}
			if len(each) == 0 {
				continue
			}
			e := &example{text: x.text, label: x.label, class: slices.Index(spoken[:], x.label), own: set == "messages", plain: set == "messages" && strings.Contains(plain, x.part), fold: int(x.part[0]) % folds, bags: windows(each)}
			if e.class < 0 {
				e.class = len(spoken)
			}
			for i := range spoken {
				if _, ok := phraseOf(grammars[i](), s); ok {
					e.phrase[i] = phraseWeight[i]
				}
			}
			b := merge(each)
			for g := range b {
				for _, f := range b[g] {
					seen[f]++
				}
			}
			all, bags = append(all, e), append(bags, b)
		}
	}
	columns = map[uint32]int32{}
	for i, e := range all {
		for g, fs := range bags[i] {
			value := float32(bags[i].value(group(g)))
			for _, f := range fs {
				if seen[f] < rare {
					continue
				}
				if _, ok := columns[f]; !ok {
					columns[f] = int32(len(columns))
				}
				e.columns, e.values = append(e.columns, columns[f]), append(e.values, value)
			}
		}
	}
	return all, columns
}

// crossValidate scores every example by weights that were learned without its fold.
func crossValidate(all []*example, columns map[uint32]int32) []scores {
	out := make([]scores, len(all))
	var wg sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for fold := range folds {
		wg.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			n := train(all, len(columns), fold)
			for k, e := range all {
				if !e.own || e.fold != fold {
					continue
				}
				for i, b := range e.bags {
					for t, z := range n.score(b, columns) {
						if i == 0 || z > out[k][t] {
							out[k][t] = z
						}
					}
				}
				for t := range out[k] {
					out[k][t] += e.phrase[t]
				}
			}
		})
	}
	wg.Wait()
	return out
}

// judged returns the trigger of the highest score above its floor, or -1.
func judged(s, floor scores) int {
	best := -1
	for i := range s {
		if s[i] >= floor[i] && (best < 0 || s[i] > s[best]) {
			best = i
		}
	}
	return best
}

// countLeftOut counts how the sentences of the plain or of the hard parts are judged.
func countLeftOut(all []*example, by []scores, floor scores, trigger int, plain bool) score {
	var s score
	for k, e := range all {
		if e.own && e.plain == plain {
			s.add(judged(by[k], floor) == trigger, e.label == spoken[trigger])
		}
	}
	return s
}

// floorsOf returns the lowest floors with the precision that is wanted and no more false
// alarms than are allowed.
func floorsOf(all []*example, by []scores) scores {
	floor := scores{1, 1, 1}
	for range 3 { // one floor takes from the other triggers what is above it
		for i := range spoken {
			var tries []float64
			for k, e := range all {
				if e.own && e.label == spoken[i] {
					tries = append(tries, by[k][i])
				}
			}
			slices.Sort(tries)
			least := math.Inf(1)
			for k := 0; k < len(tries) && math.IsInf(least, 1); k += 1 + len(tries)/1000 {
				try := floor
				try[i] = tries[k]
				hard, plain := countLeftOut(all, by, try, i, false), countLeftOut(all, by, try, i, true)
				if hard.precision() >= wanted[i] && float64(plain.false) <= alarms[i]*float64(plain.false+plain.right) {
					least = try[i]
				}
			}
			floor[i] = least
		}
	}
	return floor
}

// encode writes the weights as learned reads them.
func encode(n *net, columns map[uint32]int32, floor scores) []byte {
	names := slices.Sorted(maps.Keys(columns))
	var scale [hidden]float32
	for i, v := range n.rows {
		scale[i%hidden] = max(scale[i%hidden], abs(v)/math.MaxInt8)
	}
	var b []byte
	write := func(values ...float32) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	for _, v := range floor {
		write(float32(v))
	}
	write(n.dense[:hidden]...)
	write(n.dense[hidden:]...)
	write(scale[:]...)
	for _, f := range names {
		b = binary.LittleEndian.AppendUint32(b, f)
	}
	for _, f := range names {
		for j, v := range n.row(columns[f]) {
			b = append(b, byte(int8(math.Round(float64(v/scale[j])))))
		}
	}
	return b
}
