package triggers

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

var sentenceFile = flag.String("set", "", "judge the sentences of this file, a line each: trigger or none, a tab, the text")

var update = flag.Bool("update", false, "rewrite the golden files in testdata/quality with today's figures")

// sets are the files in testdata/triggers. Those named after a trigger say of each sentence
// whether it is one (yes, no, or the name of the other trigger it is), messages which
// trigger it is.
var sets = []string{"complaint", "complaint-heldout", "record", "record-heldout", "messages"}

// sentence is one line: what a person typed and the trigger it is, "" when none.
type sentence struct {
	label      Trigger
	lang, part string
	text       string
}

func sentencesOf(t testing.TB, name string) []sentence {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "triggers", name+".tsv"))
	if err != nil {
		t.Fatal(err)
	}
	own, _, _ := strings.Cut(name, "-")
	labels := map[string]Trigger{"no": "", "none": "", "yes": Trigger(own), "complaint": Complaint, "record": Record, "correction": Correction}
	var out []sentence
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		f := strings.SplitN(line, "\t", 4)
		label, ok := labels[f[0]]
		if len(f) != 4 || !ok {
			t.Fatalf("%s.tsv:%d: %q", name, i+2, line)
		}
		out = append(out, sentence{label: label, lang: f[1], part: f[2], text: strings.ReplaceAll(f[3], `\n`, "\n")})
	}
	return out
}

// score counts how sentences were judged.
type score struct{ hit, miss, false, right int }

func (s *score) add(got, want bool) {
	switch {
	case got && want:
		s.hit++
	case want:
		s.miss++
	case got:
		s.false++
	default:
		s.right++
	}
}

func (s score) precision() float64 { return float64(s.hit) / float64(max(s.hit+s.false, 1)) }
func (s score) recall() float64    { return float64(s.hit) / float64(max(s.hit+s.miss, 1)) }
func (s score) f1() float64        { return 2 * float64(s.hit) / float64(max(2*s.hit+s.miss+s.false, 1)) }

// TestQualityOfPhrases holds phrases and weights to figures that stand in a golden file, so
// that a change shows in review.
//
// What the figures are worth differs. The halves dev and test, and the parts a to e of the
// sentences that were held out, have all been looked at or learned from by now, and the
// others but f were written to be learned from: on these the figures only say that nothing
// is lost. Part f was never learned from; triggers-leftout.golden says what to expect of
// the others, from weights learned without them. Errors are listed with -v, but for part f.
func TestQualityOfPhrases(t *testing.T) {
	if raced {
		t.Skip("54,000 sentences take minutes under the race detector; make test measures them without")
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-17s %-10s %-4s %-4s %5s %5s %6s %6s %10s %7s %6s\n", "set", "trigger", "part", "lang", "yes", "no", "missed", "false", "precision", "recall", "F1")
	for _, set := range sets {
		all := sentencesOf(t, set)
		var parts []string
		for _, x := range all {
			if !slices.Contains(parts, x.part) {
				parts = append(parts, x.part)
			}
		}
		slices.Sort(parts)
		own, _, _ := strings.Cut(set, "-")
		wanted := []Trigger{Trigger(own)}
		if set == "messages" {
			wanted = spoken[:]
		}
		got, evidence := make([]Trigger, len(all)), make([]string, len(all))
		var wg sync.WaitGroup
		workers := runtime.GOMAXPROCS(0)
		for w := range workers {
			wg.Go(func() {
				for i := w; i < len(all); i += workers {
					got[i], evidence[i], _ = Classify(all[i].text)
				}
			})
		}
		wg.Wait()
		for _, want := range wanted {
			for _, part := range parts {
				for _, lang := range []string{"en", "ko", "both"} {
					var s score
					for i, x := range all {
						if x.part != part || lang != "both" && x.lang != lang {
							continue
						}
						s.add(got[i] == want, x.label == want)
						if part != unseen && lang == "both" && (x.label == want) != (got[i] == want) {
							t.Logf("%s %s: wanted %q, got %q (%s): %s", set, part, x.label, got[i], evidence[i], x.text)
						}
					}
					fmt.Fprintf(&table, "%-17s %-10s %-4s %-4s %5d %5d %6d %6d %10.3f %7.3f %6.3f\n", set, want, part, lang, s.hit+s.miss, s.false+s.right, s.miss, s.false, s.precision(), s.recall(), s.f1())
					if lang == "both" && part != unseen && s.hit+s.miss > 0 && (s.f1() < 0.85 || s.precision() < 0.90) {
						t.Errorf("%s, %s, part %s: F1 %.3f (0.85 wanted), precision %.3f (0.90 wanted)", set, want, part, s.f1(), s.precision())
					}
				}
			}
		}
	}
	holdGolden(t, "triggers.golden", table.String())
}

// holdGolden holds figures to a file in testdata/quality.
func holdGolden(t *testing.T, name, got string) {
	t.Helper()
	golden := filepath.Join("..", "testdata", "quality", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("the figures changed; rewrite the golden file with -update\n%s", got)
	}
}

// TestSentences prints how well the sentences of a file are judged, and none of them: the
// file may be one that nobody should learn from, not even by looking.
//
//	go test ./triggers -run TestSentences -v -set FILE
func TestSentences(t *testing.T) {
	if *sentenceFile == "" {
		t.Skip("only with -set")
	}
	data, err := os.ReadFile(*sentenceFile)
	if err != nil {
		t.Fatal(err)
	}
	var of [len(spoken)]score
	count := 0
	for line := range strings.Lines(string(data)) {
		label, text, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if !ok || label != "none" && !slices.Contains(spoken[:], Trigger(label)) {
			continue // a heading, or no sentence
		}
		count++
		got, _, _ := Classify(strings.ReplaceAll(text, `\n`, "\n"))
		for i, trigger := range spoken {
			of[i].add(got == trigger, Trigger(label) == trigger)
		}
	}
	if count == 0 {
		t.Fatalf("%s: no line of the kind trigger, tab, text", *sentenceFile)
	}
	for i, trigger := range spoken {
		s := of[i]
		t.Logf("%-10s %5d yes %5d no %5d missed %5d false  precision %.3f  recall %.3f  F1 %.3f", trigger, s.hit+s.miss, s.false+s.right, s.miss, s.false, s.precision(), s.recall(), s.f1())
	}
}
