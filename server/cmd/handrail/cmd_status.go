package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// showState is what "handrail" alone does: six lines on where this project stands, the last of them the one
// command to run next.
func (a *app) showState(cmd *cobra.Command, _ []string) error {
	rows, problems, stats, err := a.examine(cmd.Context())
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(stats)
	}
	none := a.word(say(text{"none", "없음"}))
	folder, err := a.findBrain()
	if err != nil {
		folder = none
	}
	var connected []string
	for _, r := range rows {
		switch {
		case !r.Installed:
		case r.LastEvent.IsZero():
			connected = append(connected, a.word(say(text{"%s (no event yet)", "%s (아직 이벤트 없음)"}, r.Agent)))
		default:
			connected = append(connected, a.word(say(text{"%s (last event %s)", "%s (마지막 이벤트 %s)"}, r.Agent, shortTime(r.LastEvent))))
		}
	}
	if len(connected) == 0 {
		connected = []string{none}
	}
	last := none
	if !stats.Last.At.IsZero() {
		n := stats.Last.States
		states := a.word(say(text{"no lesson applied", "해당하는 교훈 없음"}))
		if n["kept"]+n["said"]+n["open"]+n["broken"] > 0 {
			states = a.word(say(text{"%d kept, %d said, %d open, %d broken", "지킴 %d, 말로만 %d, 남음 %d, 어김 %d"}, n["kept"], n["said"], n["open"], n["broken"]))
		}
		last = strings.TrimSpace(shortTime(stats.Last.At)+" "+stats.Last.Agent) + ": " + states
	}
	next := `handrail preflight "…"`
	switch {
	case folder == none && slices.ContainsFunc(rows, func(r health) bool { return r.Found && !r.Installed }):
		next = "handrail setup" // which makes a brain, too
	case folder == none:
		next = "handrail init"
	case len(problems) > 0:
		next = problems[0].Mend
	case stats.Waiting > 0:
		next = "handrail review"
	case stats.Active == 0:
		next = "handrail learn"
	}
	values := []string{folder, strconv.Itoa(stats.Active), strconv.Itoa(stats.Waiting), strings.Join(connected, ", "), last, a.called(next)}
	var table [][]any
	for i, name := range strings.Split(a.word(say(text{"Brain\tCards\tWaiting\tAgents\tLast answer\tNext", "brain\t카드\t대기\t에이전트\t마지막 답변\t다음"})), "\t") {
		table = append(table, []any{name, values[i]})
	}
	a.table(table)
	return nil
}

// shortTime is the time of today, else the day.
func shortTime(t time.Time) string {
	if time.Since(t) < 24*time.Hour {
		return t.Local().Format("15:04")
	}
	return t.Local().Format(time.DateOnly)
}
