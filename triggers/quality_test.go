package triggers

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/quality/triggers.golden with today's figures")

// sentence is one line of testdata/triggers/*.tsv: what a person typed and whether it
// says the thing. The half named dev is what the phrases were tuned on.
type sentence struct {
	yes        bool
	lang, half string
	text       string
}

func sentencesOf(t testing.TB, name string) []sentence {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "triggers", name+".tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var out []sentence
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		f := strings.SplitN(line, "\t", 4)
		if len(f) != 4 || f[0] != "yes" && f[0] != "no" {
			t.Fatalf("%s.tsv:%d: %q", name, i+2, line)
		}
		out = append(out, sentence{yes: f[0] == "yes", lang: f[1], half: f[2], text: strings.ReplaceAll(f[3], `\n`, "\n")})
	}
	return out
}

// score counts how sentences were judged.
type score struct{ hit, miss, false, right int }

func (s score) precision() float64 { return float64(s.hit) / float64(max(s.hit+s.false, 1)) }
func (s score) recall() float64    { return float64(s.hit) / float64(max(s.hit+s.miss, 1)) }
func (s score) f1() float64        { return 2 * float64(s.hit) / float64(max(2*s.hit+s.miss+s.false, 1)) }

// TestQualityOfPhrases holds the phrases to figures that stand in a golden file, so that
// a change of a phrase shows in review. Errors on the dev half are listed with -v; those
// on the test half are only counted, since whoever reads them tunes on them.
func TestQualityOfPhrases(t *testing.T) {
	var table strings.Builder
	fmt.Fprintf(&table, "%-10s %-5s %-4s %5s %5s %6s %6s %10s %7s %6s\n", "set", "half", "lang", "yes", "no", "missed", "false", "precision", "recall", "F1")
	for _, set := range []struct {
		name string
		want Trigger
	}{{"complaint", Complaint}, {"record", Record}} {
		all := sentencesOf(t, set.name)
		for _, half := range []string{"dev", "test"} {
			for _, lang := range []string{"en", "ko", "both"} {
				var s score
				for _, x := range all {
					if x.half != half || lang != "both" && x.lang != lang {
						continue
					}
					got, evidence, _ := Classify(x.text)
					switch {
					case x.yes && got == set.want:
						s.hit++
					case x.yes:
						s.miss++
					case got == set.want:
						s.false++
					default:
						s.right++
					}
					if half == "dev" && lang == "both" && x.yes != (got == set.want) {
						t.Logf("%s: wanted %v, got %q (%s): %s", set.name, x.yes, got, evidence, x.text)
					}
				}
				fmt.Fprintf(&table, "%-10s %-5s %-4s %5d %5d %6d %6d %10.3f %7.3f %6.3f\n", set.name, half, lang, s.hit+s.miss, s.false+s.right, s.miss, s.false, s.precision(), s.recall(), s.f1())
				if lang == "both" && (s.f1() < 0.95 || s.precision() < 0.97) {
					t.Errorf("%s, %s half: F1 %.3f (0.95 wanted), precision %.3f (0.97 wanted)", set.name, half, s.f1(), s.precision())
				}
			}
		}
	}
	golden := filepath.Join("..", "testdata", "quality", "triggers.golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != table.String() {
		t.Errorf("the figures changed; rewrite the golden file with -update\n%s", table.String())
	}
}
