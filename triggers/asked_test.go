package triggers

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/handrail-dev/handrail/triggers/heard"
)

func TestSameRule(t *testing.T) {
	for _, same := range [][2]string{
		{"never commit to main", "please don't ever commit straight to main"},
		{"from now on, use pnpm", "always use pnpm in this repository"},
		{"main에 직접 커밋하지 마세요", "앞으로 main에는 절대 커밋하지 말 것"},
		{"시험 출력은 절대 커밋하지 마", "시험 출력 커밋하지 말라"},
	} {
		if !SameRule(same[0], same[1]) {
			t.Errorf("%q and %q are two", same[0], same[1])
		}
	}
	for _, other := range [][2]string{
		{"never commit to main", "always commit to main"},
		{"always run the linter before you commit", "always run the unit tests before you commit"},
		{"never commit secrets", "never commit to main"},
		{"use pnpm, not npm", "use yarn, not npm"},
	} {
		if SameRule(other[0], other[1]) {
			t.Errorf("%q and %q are one", other[0], other[1])
		}
	}
}

// TestSameTold judges by mistakes that people told of twice: those of one case may join, those of two cases of a repository must not.
func TestSameTold(t *testing.T) {
	file, err := os.Open(filepath.Join(os.Getenv("HANDRAIL_DATA"), "real", "recurrences.jsonl"))
	if err != nil {
		t.Skipf("no real mistakes: set HANDRAIL_DATA (%v)", err)
	}
	defer file.Close()
	type message struct{ Text, Source string }
	type telling struct {
		repo, said string
		cases      map[string]bool // a message may tell of two
	}
	known := map[message]*telling{}
	var all []*telling
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r struct {
			Card         string `json:"card_id"`
			Repo         string
			First, Again message
		}
		err := json.Unmarshal(lines.Bytes(), &r)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []message{r.First, r.Again} {
			if known[m] == nil {
				known[m] = &telling{r.Repo, heard.Judge(m.Text, heard.Context{Later: true}).Evidence, map[string]bool{}}
				all = append(all, known[m])
			}
			known[m].cases[r.Card] = true
		}
	}
	one := map[string]string{} // two writers named the cases of a message
	root := func(c string) string {
		for one[c] != "" {
			c = one[c]
		}
		return c
	}
	for _, m := range all {
		first := ""
		for c := range m.cases {
			c = root(c)
			if first == "" {
				first = c
			} else if c != first {
				one[c] = first
			}
		}
	}
	caseOf := func(m *telling) string {
		for c := range m.cases {
			return root(c)
		}
		return ""
	}
	right, wrong, same, pairs := 0, 0, 0, 0
	for i, a := range all {
		for _, b := range all[:i] {
			if a.repo != b.repo || a.said == "" || b.said == "" {
				continue
			}
			is := caseOf(a) == caseOf(b)
			if pairs++; is {
				same++
			}
			switch {
			case !SameTold(a.said, b.said):
			case is:
				right++
			default:
				wrong++
				t.Errorf("two mistakes are one: %q, %q", a.said, b.said)
			}
		}
	}
	t.Logf("%d pairs of messages that are heard, %d of them of one mistake: %d joined rightly, %d wrongly", pairs, same, right, wrong)
	if right < 15 {
		t.Errorf("only %d of %d pairs of one mistake join", right, same)
	}
}
