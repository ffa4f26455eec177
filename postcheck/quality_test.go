package postcheck

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"handrail/lessons"
)

var update = flag.Bool("update", false, "rewrite testdata/quality/postcheck.golden with today's figures")

// pair is an answer and the checklist it was given.
type pair struct {
	name   string // "001 en-ko paraphrase": number, languages of items and answer, difficulty
	half   string
	langs  string
	items  []string
	shown  []bool // for each item, whether the answer shows it to be done
	answer string
}

var pairHead = regexp.MustCompile(`(?m)^-- ((\d+) (\S+) .*) --\n`)

func pairsOf(t testing.TB) []pair {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "postcheck", "pairs.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	heads := pairHead.FindAllStringSubmatchIndex(string(data), -1)
	var out []pair
	for i, h := range heads {
		end := len(data)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		list, answer, ok := strings.Cut(string(data[h[1]:end]), "\n\n")
		p := pair{name: string(data[h[2]:h[3]]), half: "test", langs: string(data[h[6]:h[7]]), answer: answer}
		switch n, _ := strconv.Atoi(string(data[h[4]:h[5]])); {
		case strings.HasSuffix(p.name, " free"):
			p.half = "free"
		case n%2 == 1:
			p.half = "dev"
		case n > 300:
			p.half = "held"
		}
		for line := range strings.SplitSeq(list, "\n") {
			mark, item, isItem := strings.Cut(line, "] ")
			ok = ok && isItem && (mark == "- [x" || mark == "- [ ")
			p.items, p.shown = append(p.items, item), append(p.shown, mark == "- [x")
		}
		if !ok {
			t.Fatalf("pair %q is not a checklist, an empty line and an answer", p.name)
		}
		out = append(out, p)
	}
	return out
}

// score counts how items were judged; a hit is a rightly unaddressed one.
type score struct{ hit, miss, false, right int }

func (s *score) add(unaddressed, said bool) {
	switch {
	case unaddressed && said:
		s.hit++
	case unaddressed:
		s.miss++
	case said:
		s.false++
	default:
		s.right++
	}
}

func (s score) precision() float64 { return float64(s.hit) / float64(max(s.hit+s.false, 1)) }
func (s score) recall() float64    { return float64(s.hit) / float64(max(s.hit+s.miss, 1)) }
func (s score) f1() float64        { return 2 * float64(s.hit) / float64(max(2*s.hit+s.miss+s.false, 1)) }

// TestQualityOfCheck holds the check to figures that stand in a golden file, so that a
// change shows in review, with every item that is judged wrongly.
func TestQualityOfCheck(t *testing.T) {
	langs := []string{"en-en", "ko-ko", "en-ko", "ko-en", "en-code", "ko-code", "all"}
	scores := map[string]*score{}
	halves := []string{"dev", "test", "held", "free", "tune", "own", "field", "near", "fresh"}
	for _, half := range halves {
		for _, l := range langs {
			scores[half+l] = &score{}
		}
	}
	var wrong strings.Builder
	for _, p := range pairsOf(t) {
		warned := map[string]bool{}
		for _, m := range Check(p.answer, []lessons.Card{cardOf(p.items...)}, nil) {
			warned[m.Item.Text] = true
		}
		for i, item := range p.items {
			scores[p.half+p.langs].add(!p.shown[i], warned[item])
			scores[p.half+"all"].add(!p.shown[i], warned[item])
			if p.shown[i] == warned[item] {
				what := "not seen"
				if p.shown[i] {
					what = "false"
				}
				fmt.Fprintf(&wrong, "%-8s %-4s %s: %s\n", what, p.half, p.name, item)
			}
		}
	}
	for _, half := range halves[4:] {
		for i, l := range linesOf(t, filepath.Join("..", "testdata", "postcheck", half+".jsonl")) {
			warned := len(Check(l.Answer, []lessons.Card{cardOf(l.Item)}, nil)) > 0
			scores[half+"all"].add(!l.Addressed, warned)
			if l.Addressed == warned {
				what := "not seen"
				if l.Addressed {
					what = "false"
				}
				fmt.Fprintf(&wrong, "%-8s %-4s %03d %s: %s\n", what, half, i+1, l.Kind, l.Item)
			}
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-5s %-8s %9s %5s %6s %6s %10s %7s %6s\n", "half", "langs", "addressed", "not", "missed", "false", "precision", "recall", "F1")
	for _, half := range halves {
		for _, l := range langs {
			s := scores[half+l]
			if *s == (score{}) {
				continue
			}
			fmt.Fprintf(&table, "%-5s %-8s %9d %5d %6d %6d %10.3f %7.3f %6.3f\n", half, l, s.false+s.right, s.hit+s.miss, s.miss, s.false, s.precision(), s.recall(), s.f1())
		}
	}
	fmt.Fprintf(&table, "\n%s", wrong.String())
	golden := filepath.Join("..", "testdata", "quality", "postcheck.golden")
	if *update {
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
