package postcheck

import (
	"strings"
	"testing"

	"handrail/lessons/terms"
)

// TestWhatIsDenied: a Korean negation denies its topic with all its nouns, and what only
// tells when is no topic.
func TestWhatIsDenied(t *testing.T) {
	for _, c := range []struct{ sentence, denied, not string }{
		{"계정 단위 제한은 키 설계가 필요해서 이번에는 넣지 않았습니다.", "계정", ""},
		{"파기 배치 쪽 코드는 다른 팀이 봐서 확인하지 못했습니다.", "파기", ""},
		{"새로 만든 화면에서 목록은 아직 바꾸지 않았습니다.", "목록", "화면"},
		{"제한을 넣고 나서 로그는 바꾸지 않았습니다.", "로그", "제한"},
	} {
		words := terms.Words(c.sentence)
		denied := map[string]bool{}
		for i, is := range negations(c.sentence, words) {
			for _, w := range []string{c.denied, c.not} {
				if w != "" && strings.HasPrefix(c.sentence[words[i].Start:], w) {
					denied[w] = denied[w] || is
				}
			}
		}
		if !denied[c.denied] || denied[c.not] {
			t.Errorf("%q: denied %v", c.sentence, denied)
		}
	}
}

// TestOverInItsClause: what one clause denies, another may have done.
func TestOverInItsClause(t *testing.T) {
	for _, c := range []struct {
		sentence string
		over     bool
	}{
		{"I did not write it by hand, so I ran npm install for it.", false},
		{"I removed the old helper, and we call npm install in the script.", false},
		{"I no longer call npm install in the script.", true},
		{"The script was slow, so I removed npm install from it.", true},
	} {
		a := read(c.sentence)
		if got := a.overAt(strings.Index(a.lower, "npm install")); got != c.over {
			t.Errorf("%q: over %v", c.sentence, got)
		}
	}
}

// TestCodeIsReadWithoutAlignment: columns and fields are aligned with blanks or tabs.
func TestCodeIsReadWithoutAlignment(t *testing.T) {
	a := read("```go\nclient{\n\tTimeout:   4 * time.Second,\n\tname\tstring\n}\n```")
	for _, want := range []string{"timeout: 4 * time.second", "name string"} {
		if !strings.Contains(a.lower, want) {
			t.Errorf("%q does not hold %q", a.lower, want)
		}
	}
}
