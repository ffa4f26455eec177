package ledger

import (
	"slices"

	"github.com/handrail-dev/handrail/lessons"
)

// Told is what agents were given on a day, or in a week, and how the mistakes of the cards went.
type Told struct {
	Day    string   `json:"day,omitzero"`
	Talks  int      `json:"conversations"`
	Titles int      `json:"titles"`
	Cards  int      `json:"cards"`         // whole
	Tokens int      `json:"tokens"`        // of both, estimated
	Kept   []string `json:"kept,omitzero"` // cards of which an answer kept every item
	Fell   []string `json:"fell,omitzero"` // cards whose mistake came back
}

// aWeek is of how many days it is known.
const aWeek = 7

func (t *Told) add(o Told) {
	t.Talks, t.Titles, t.Cards, t.Tokens = t.Talks+o.Talks, t.Titles+o.Titles, t.Cards+o.Cards, t.Tokens+o.Tokens
	for _, path := range o.Kept {
		t.Kept = with(t.Kept, path)
	}
	for _, path := range o.Fell {
		t.Fell = with(t.Fell, path)
	}
}

// Tell counts what agents were given.
func (l *Ledger) Tell(more Told) {
	day := lessons.DateOf(l.now()).String()
	l.told.Update(day, func(t *Told) {
		t.Day = day
		t.add(more)
	})
}

// Week returns what was given in the last seven days. What fell is not kept.
func (l *Ledger) Week() (week Told) {
	since := lessons.DateOf(l.now().AddDate(0, 0, 1-aWeek)).String()
	for _, t := range l.told.All(nil) {
		if t.Day >= since {
			week.add(t)
		}
	}
	week.Kept = slices.DeleteFunc(week.Kept, func(path string) bool { return slices.Contains(week.Fell, path) })
	return week
}
