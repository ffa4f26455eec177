package say

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
)

func TestLine(t *testing.T) {
	broken := brain.Verdict{State: "broken", Item: "Handlers never log the token", Place: &ledger.Place{File: "bot/restart.go", Line: 41}}
	open := brain.Verdict{State: "open", Item: "명령을 실행하기 전에 허용 목록을 확인한다"}
	long := brain.Verdict{State: "broken", Item: strings.Repeat("토큰을 기록하지 않는다 ", 30), Place: &ledger.Place{File: strings.Repeat("deep/", 40) + "a.go", Line: 7}}
	for _, tt := range []struct {
		name       string
		locale     Locale
		footer     brain.Footer
		candidates int
		want       string
	}{
		{name: "all is well", footer: brain.Footer{Lessons: []brain.Hit{{}}, Evidence: []brain.Evidence{{}}}},
		{name: "candidates alone", candidates: 2, want: "Handrail: 2 to record: handrail review"},
		{
			name: "everything", candidates: 1, want: "Handrail: broken 1 (bot/restart.go:41 Handlers never lo…) · open 1 (명령을 실행하기 전에 허용 목록을…) · unproven 1 (Tests pass.) · 1 to record: handrail review",
			footer: brain.Footer{Unaddressed: []brain.Verdict{broken, open}, Doubts: []brain.Doubt{{Text: "Tests pass."}}},
		},
		{name: "in Korean", locale: Korean, footer: brain.Footer{Unaddressed: []brain.Verdict{open}, Lost: 3}, want: "Handrail: 남음 1 (명령을 실행하기 전에 허용 목록을 확인한다) · 전달 안 됨 3"},
		{name: "control characters", footer: brain.Footer{Unaddressed: []brain.Verdict{{State: "open", Item: "a\x1b[31m\nb"}}}, want: `Handrail: open 1 (a\x1b[31m b)`},
		{name: "too long", candidates: 12, footer: brain.Footer{Unaddressed: []brain.Verdict{long, long, open}, Doubts: []brain.Doubt{{Text: strings.Repeat("통과 ", 90)}}, Lost: 4}},
	} {
		got := tt.locale.Line(tt.footer, tt.candidates, brain.Distrust{})
		if Columns(got) > maxLine || !utf8.ValidString(got) || strings.Contains(got, "\n") {
			t.Errorf("%s: %d columns: %s", tt.name, Columns(got), got)
		}
		if tt.name == "too long" {
			for _, part := range []string{"broken 2 (", "open 1 (", "unproven 1 (", "…/a.go:7 ", "not delivered 4", "12 to record: handrail review"} {
				if !strings.Contains(got, part) {
					t.Errorf("%q is lost: %s", part, got)
				}
			}
		} else if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}
