package postcheck

import (
	"flag"
	"fmt"
	"strings"
	"testing"
)

var explained = flag.String("explain", "", "JSON lines of {item, answer, addressed} whose themes TestExplain prints")

// TestExplain prints, of each pair, the themes and wishes that its item asks for and the
// cues of them that the answer holds: what a pair lacks is a wording of one of these.
//
//	go test ./postcheck -count=1 -v -run TestExplain -explain FILE
func TestExplain(t *testing.T) {
	if *explained == "" {
		t.Skip("no file of pairs: give -explain FILE")
	}
	for i, l := range linesOf(t, *explained) {
		a, w := read(l.Answer), understand(l.Item, func(string) float64 { return 1 })
		judged := len(Check(l.Answer, nil, nil)) == 0
		if a.prepare(&w) {
			v, _ := a.weigh(w)
			judged = v.dot(weights()) >= 0
		}
		verdict := "right"
		if judged != l.Addressed {
			verdict = "WRONG"
		}
		fmt.Printf("%d %s, addressed %v: %s\n", i+1, verdict, l.Addressed, l.Item)
		for _, id := range w.themes {
			th, kind := themes()[id], "theme"
			if th.whole {
				kind = "wish"
			}
			var held []string
			for mark, cues := range map[string][]cue{"+": th.shows, "=": th.tells, "-": th.breaks, "~": th.doubts} {
				for _, c := range cues {
					a.find(a.lower, c, func(_, _ int, as standing) {
						held = append(held, fmt.Sprintf("%s%s(%d)", mark, strings.Join(c, " & "), as))
					})
				}
			}
			fmt.Printf("\t%s %q, by %q: %s\n", kind, strings.Join(th.asks[0].cue, " & "), asking(th, l.Item), strings.Join(held, ", "))
		}
	}
}

// asking returns the asks of a theme that an item holds.
func asking(th theme, item string) []string {
	item = strings.ToLower(item)
	words := namesIn(item)
	var out []string
	for _, a := range th.asks {
		if a.within(item, words) != nil {
			out = append(out, strings.Join(a.cue, " & "))
		}
	}
	return out
}

// TestCuesAreTexts holds that no part of a cue is empty, as after a stray bar: it would
// stand in every text.
func TestCuesAreTexts(t *testing.T) {
	for _, th := range themes() {
		var asks []cue
		for _, a := range th.asks {
			asks = append(asks, a.cue)
		}
		for _, cues := range [][]cue{asks, th.shows, th.tells, th.breaks, th.doubts} {
			for _, e := range th.each {
				cues = append(append(cues, e.of), e.has...)
			}
			for _, c := range cues {
				for _, part := range c {
					if strings.Trim(part, "^_") == "" {
						t.Errorf("theme %q has the cue %q", strings.Join(asks[0], " & "), strings.Join(c, " & "))
					}
				}
			}
		}
	}
}
