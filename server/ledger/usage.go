package ledger

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/life"
)

const (
	// maxRecurrences bounds the conversations remembered of a card in which its mistake came
	// back, so that each counts once.
	maxRecurrences = 50
	// FreshFall is how long a mistake that came back keeps its card in front.
	FreshFall = 30 * 24 * time.Hour
)

// Tally counts what came of a card.
type Tally struct {
	Served      int `json:"served"`      // turns that were given the card
	Addressed   int `json:"addressed"`   // of them, the answer showed every item
	Unaddressed int `json:"unaddressed"` // of them, it did not
	Recurred    int `json:"recurred"`    // conversations in which the mistake came back all the same
}

// Usage is what came of one card, in the state and never in the card.
type Usage struct {
	Tally    Tally          `json:"tally"`
	Falls    map[string]int `json:"falls,omitempty"`    // YYYY-MM-DD → how often its mistake came back or an item stayed open; of FreshFall
	Last     string         `json:"last,omitempty"`     // the day it was last served
	Recurred []string       `json:"recurred,omitempty"` // conversations in which its mistake came back, oldest first
}

// Record returns what the life of a card depends on.
func (l *Ledger) Record(path string) life.Record {
	u, _ := l.Usage.Get(path)
	day, _ := lessons.ParseDate(u.Last)
	return life.Record{Served: max(0, u.Tally.Served), LastUsed: day}
}

// FellLately returns the last day on which a card's mistake came back, or an answer broke one
// of its items or left it open, as YYYY-MM-DD; "" where that was longer ago than FreshFall, or never.
func (l *Ledger) FellLately(c *lessons.Card) string {
	fell, since := "", l.freshSince()
	if c.Occurrences > 1 {
		fell = c.LastSeen.String()
	}
	u, _ := l.Usage.Get(c.Path)
	for day, n := range u.Falls {
		if n > 0 {
			fell = max(fell, day)
		}
	}
	if fell < since {
		return ""
	}
	return fell
}

func (l *Ledger) freshSince() string { return lessons.DateOf(l.now().Add(-FreshFall)).String() }

// Renamed takes what is counted of cards that are gone to those of the same title among the files that came.
func (l *Ledger) Renamed(gone, cards []*lessons.Card, came []string) {
	for _, old := range gone {
		u, counted := l.Usage.Get(old.Path)
		i := slices.IndexFunc(cards, func(c *lessons.Card) bool { return c.Title == old.Title && slices.Contains(came, c.Path) })
		if counted && i >= 0 && !l.Usage.Has(cards[i].Path) {
			l.Usage.Delete(old.Path)
			l.Usage.Put(cards[i].Path, u)
		}
	}
}

// Credit changes the tally of a card.
func (l *Ledger) Credit(path string, change func(*Usage, *Tally)) {
	l.CreditOn(lessons.DateOf(l.now()).String(), path, change)
}

// CreditOn is Credit for what happened on another day, YYYY-MM-DD.
func (l *Ledger) CreditOn(day, path string, change func(*Usage, *Tally)) {
	l.Usage.Update(path, func(u *Usage) {
		falls := func() int { return u.Tally.Recurred + u.Tally.Unaddressed }
		before := falls()
		if change(u, &u.Tally); falls() == before {
			return
		}
		old := maps.Clone(u.Falls)
		u.Falls = map[string]int{day: old[day] + falls() - before}
		for d, n := range old {
			if d != day && d >= l.freshSince() {
				u.Falls[d] = n
			}
		}
	})
}

// CreditServed counts the cards of a turn, each once whichever way it came.
func (l *Ledger) CreditServed(turn string) {
	var fresh []Hit
	l.Turns.Change(turn, func(t *Turn) bool {
		t.Credited = slices.Clone(t.Credited)
		for _, h := range t.Served() {
			if !slices.Contains(t.Credited, h.Path) {
				fresh = append(fresh, h)
				t.Credited = append(t.Credited, h.Path)
			}
		}
		return len(fresh) > 0
	})
	today := lessons.DateOf(l.now()).String()
	for _, h := range fresh {
		l.Credit(h.Path, func(u *Usage, t *Tally) { t.Served, u.Last = t.Served+1, today })
	}
}

// CreditAnswer counts, once a turn, what its answer showed of its cards: by path, whether it
// addressed every item that applies; nothing of a turn on which nobody acts. Cards of a block that the host dropped were never served.
func (l *Ledger) CreditAnswer(id string, dropped bool, addressed map[string]bool) {
	first := false
	row, _ := l.Turns.Change(id, func(t *Turn) bool {
		first, t.Counted = !t.Counted && !t.Aside, true
		return first
	})
	if !first {
		return
	}
	lost := map[string]bool{}
	for _, h := range row.Lessons {
		if dropped && !lost[h.Path] {
			lost[h.Path] = true
			l.Credit(h.Path, func(_ *Usage, t *Tally) { t.Served-- })
		}
	}
	for path, all := range addressed {
		if !lost[path] {
			count := func(_ *Usage, t *Tally) { t.Unaddressed++ }
			if all {
				l.Tell(Told{Kept: []string{path}})
				count = func(_ *Usage, t *Tally) { t.Addressed++ }
			}
			l.Credit(path, count)
		}
	}
}

// Recurred counts a mistake that came back in a conversation although a card spoke of it.
// Each counts once; without a name, each day.
func (l *Ledger) Recurred(path, session string) {
	l.Tell(Told{Fell: []string{path}})
	l.Credit(path, func(u *Usage, t *Tally) {
		where := cmp.Or(session, "day "+lessons.DateOf(l.now()).String())
		if !slices.Contains(u.Recurred, where) {
			u.Recurred = last(With(u.Recurred, where), maxRecurrences)
			t.Recurred++
		}
	})
}

// TakeBack undoes what acts of the journal did here: cards that were kept from requests may come. It reports
// whether there were any.
func (l *Ledger) TakeBack(undone func(act string) bool) (allowed bool) {
	for _, n := range l.Nevers() {
		if undone(n.Act) {
			l.Never.Delete(n.ID)
			allowed = true
		}
	}
	return allowed
}
