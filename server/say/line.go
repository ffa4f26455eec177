package say

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck"
	"github.com/handrail-dev/handrail/server/brain"
)

const (
	// maxLine is how wide the closing line may be, in columns: what a terminal shows in one or two rows.
	maxLine = 160
	// minDetail is the least room, in columns, in which a detail says anything.
	minDetail = 8
	// maxPlace is how much of it the place of a broken line may take.
	maxPlace = 40
)

// Line words a footer for a host that shows one line: how much is broken, open, claimed without ground and lost, the
// gravest of each, which cards did not come for want of trust, and how many new candidates wait. It is at most maxLine columns wide, and "" when there is nothing to say.
func (l Locale) Line(f brain.Footer, candidates int, d brain.Distrust) string {
	var heads, details []string
	say := func(n int, t text, detail ...string) {
		if n > 0 {
			heads = append(heads, l.Say(t, n))
			details = append(details, norm.NFC.String(lessons.Inert(strings.Join(strings.Fields(strings.Join(detail, " ")), " "))))
		}
	}
	var broken, open []brain.Verdict
	for _, v := range f.Unaddressed {
		if v.State == string(postcheck.Broken) {
			broken = append(broken, v)
		} else if v.By != string(postcheck.ByAnswer) { // words alone are too little to say so
			open = append(open, v)
		}
	}
	if len(broken) > 0 {
		place := broken[0].Place.String()
		if i := strings.LastIndexAny(place, `/\`); Columns(place) > maxPlace && i >= 0 { // its line says more than its folders
			place = "…" + place[i:]
		}
		say(len(broken), text{"broken %d", "어김 %d"}, place, broken[0].Item)
	}
	if len(open) > 0 {
		say(len(open), text{"open %d", "남음 %d"}, open[0].Item)
	}
	if len(f.Doubts) > 0 {
		say(len(f.Doubts), text{"unproven %d", "근거 없음 %d"}, f.Doubts[0].Text)
	}
	say(f.Lost, text{"not delivered %d", "전달 안 됨 %d"})
	say(d.Files, text{"%d cards not trusted: handrail trust", "신뢰하지 않은 카드 %d: handrail trust"}, strings.Join(d.Who, ", "))
	say(d.Waiting, text{"%d to approve: handrail trust --review", "승인할 카드 %d: handrail trust --review"}, strings.Join(d.Who, ", "))
	say(candidates, text{"%d to record: handrail review", "기록할 것 %d: handrail review"})
	if len(heads) == 0 {
		return ""
	}
	const start, between = "Handrail: ", " · "
	room, left := maxLine-Columns(start+strings.Join(heads, between)), len(details)
	for i, d := range slices.Backward(details) { // what the others leave is the gravest's
		if short := Clip(d, room/left-len(" ()")); short != "" {
			heads[i] += " (" + short + ")"
			room -= Columns(short) + len(" ()")
		}
		left--
	}
	return start + strings.Join(heads, between)
}

// Columns returns how wide a text is in a terminal: East Asian wide characters take two columns.
func Columns(s string) (n int) {
	for _, r := range s {
		n++
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth:
			n++
		}
	}
	return n
}

// Clip returns a text in at most so many columns, marked where it was cut; "" where that would say nothing.
func Clip(s string, most int) string {
	if Columns(s) <= most {
		return s
	}
	if most < minDetail {
		return ""
	}
	n := 1 // for the mark
	for i, r := range s {
		if n += Columns(string(r)); n > most {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}
