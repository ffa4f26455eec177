package postcheck

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	"handrail/lessons"
)

var (
	pairsFile = flag.String("pairs", "", "JSON lines of {item, answer, addressed, kind} that TestPairs scores")
	pairsOut  = flag.String("wrong", "", "file for the pairs that TestPairs finds judged wrongly")
)

// line is an answer and the one item that it was held against.
type line struct {
	Item, Answer, Kind string
	Addressed          bool
}

func linesOf(t testing.TB, path string) []line {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []line
	for i, row := range bytes.Split(data, []byte("\n")) {
		if row = bytes.TrimSpace(row); len(row) == 0 {
			continue
		}
		var l line
		if err := json.Unmarshal(row, &l); err != nil {
			t.Fatalf("%s: line %d: %v", path, i+1, err)
		}
		out = append(out, l)
	}
	return out
}

// TestPairs prints the figures of a file of pairs, by kind, and none of its texts:
//
//	go test ./postcheck -count=1 -v -run TestPairs -pairs FILE
//
// -wrong FILE writes down which pairs were judged wrongly.
func TestPairs(t *testing.T) {
	if *pairsFile == "" {
		t.Skip("no file of pairs: give -pairs FILE")
	}
	scores := map[string]*score{"all": {}}
	kinds := []string{}
	var wrong bytes.Buffer
	for i, l := range linesOf(t, *pairsFile) {
		if scores[l.Kind] == nil {
			scores[l.Kind] = &score{}
			kinds = append(kinds, l.Kind)
		}
		warned := len(Check(l.Answer, []lessons.Card{cardOf(l.Item)}, nil)) > 0
		scores[l.Kind].add(!l.Addressed, warned)
		scores["all"].add(!l.Addressed, warned)
		if l.Addressed == warned {
			fmt.Fprintf(&wrong, "%d %s, addressed %v: %s\n\t%q\n", i+1, l.Kind, l.Addressed, l.Item, l.Answer)
		}
	}
	slices.Sort(kinds)
	fmt.Printf("%-24s %9s %5s %6s %6s %10s %7s %6s\n", "kind", "addressed", "not", "missed", "false", "precision", "recall", "F1")
	for _, k := range append(kinds, "all") {
		s := scores[k]
		fmt.Printf("%-24s %9d %5d %6d %6d %10.3f %7.3f %6.3f\n", k, s.false+s.right, s.hit+s.miss, s.miss, s.false, s.precision(), s.recall(), s.f1())
	}
	if *pairsOut != "" {
		if err := os.WriteFile(*pairsOut, wrong.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
