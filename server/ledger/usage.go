package ledger

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"handrail/lessons"
	"handrail/lessons/life"
)

const (
	// usageDays is how many days are counted one by one; older ones are added up.
	usageDays = 400
	// maxMerged bounds the merges of a card that undo gives the counters of back.
	maxMerged = 20
	// maxRecurrences bounds the conversations remembered of a card in which its mistake came
	// back, so that each counts once.
	maxRecurrences = 50
	// FreshFall is how long a mistake that came back keeps its card in front.
	FreshFall = 30 * 24 * time.Hour
	// StatsWeeks is how many weeks Weeks covers.
	StatsWeeks = 12
)

// Tally counts what came of a card.
type Tally struct {
	Served      int `json:"served,omitempty"`
	Addressed   int `json:"addressed,omitempty"`
	Unaddressed int `json:"unaddressed,omitempty"`
	Recurred    int `json:"recurred,omitempty"`
	Succeeded   int `json:"succeeded,omitempty"`
	Failed      int `json:"failed,omitempty"`
}

func (t *Tally) add(o Tally) {
	t.Served += o.Served
	t.Addressed += o.Addressed
	t.Unaddressed += o.Unaddressed
	t.Recurred += o.Recurred
	t.Succeeded += o.Succeeded
	t.Failed += o.Failed
}

// ended counts n turns that ended in one way.
func (t *Tally) ended(success bool, n int) {
	if success {
		t.Succeeded += n
	} else {
		t.Failed += n
	}
}

// Usage is what came of one card, in the state and never in the card.
type Usage struct {
	Path     string           `json:"path"`
	Days     map[string]Tally `json:"days"`               // YYYY-MM-DD → that day's
	Before   Tally            `json:"before,omitzero"`    // older days
	Last     string           `json:"last,omitempty"`     // the day it was last served
	Recurred []string         `json:"recurred,omitempty"` // conversations in which its mistake came back, oldest first
	Merged   []merge          `json:"merged,omitempty"`   // cards that are part of this one now, oldest first
}

// Total adds up all days.
func (u Usage) Total() Tally {
	t := u.Before
	for _, d := range u.Days {
		t.add(d)
	}
	return t
}

// Record returns what the life of a card depends on.
func (u Usage) Record() life.Record {
	t := u.Total()
	day, _ := lessons.ParseDate(u.Last)
	return life.Record{Served: max(0, t.Served), Addressed: t.Addressed, Unaddressed: t.Unaddressed, Recurred: t.Recurred, LastUsed: day}
}

// UsageOf returns what is known of a card's use, with that of the cards that were merged into
// it; ok is false where nothing is.
func (l *Ledger) UsageOf(path string) (u Usage, ok bool) {
	u, ok = l.Usage.Get(path)
	return u.whole(), ok
}

// Record returns what the life of a card depends on.
func (l *Ledger) Record(path string) life.Record {
	u, _ := l.UsageOf(path)
	return u.Record()
}

// Proven returns what the turns that used a playbook say for it.
func (l *Ledger) Proven(path string) float64 {
	u, _ := l.UsageOf(path)
	t := u.Total()
	return life.Proven(max(0, t.Succeeded), max(0, t.Failed))
}

// FellLately returns the last day on which a card's mistake came back, or an answer broke one
// of its items or left it open, as YYYY-MM-DD; "" where that was longer ago than FreshFall, or never.
func (l *Ledger) FellLately(c *lessons.Card) string {
	u, used := l.UsageOf(c.Path)
	if !used && c.Occurrences < 2 {
		return ""
	}
	fell, since := "", lessons.DateOf(l.now().Add(-FreshFall)).String()
	if c.Occurrences > 1 {
		fell = c.LastSeen.String()
	}
	if u.Last >= since {
		for day, t := range u.Days {
			if t.Recurred+t.Unaddressed > 0 {
				fell = max(fell, day)
			}
		}
	}
	if fell < since {
		return ""
	}
	return fell
}

// WeekStats is what came of a card, or of all, in seven days.
type WeekStats struct {
	From        string `json:"from"` // its first day, YYYY-MM-DD
	Served      int    `json:"served"`
	Addressed   int    `json:"addressed"`
	Unaddressed int    `json:"unaddressed"`
	Recurred    int    `json:"recurred"`
}

// Weeks adds up the days of twelve weeks, the last of which ends today.
func (l *Ledger) Weeks(all ...Usage) []WeekStats {
	out, today := make([]WeekStats, StatsWeeks), l.now()
	for i := range out {
		out[i].From = today.AddDate(0, 0, -7*(StatsWeeks-i)+1).Format(time.DateOnly)
	}
	for _, u := range all {
		for day, t := range u.Days {
			i, first := slices.BinarySearchFunc(out, day, func(w WeekStats, day string) int { return strings.Compare(w.From, day) })
			if !first {
				i--
			}
			if i >= 0 {
				w := &out[i]
				w.Served += t.Served
				w.Addressed += t.Addressed
				w.Unaddressed += t.Unaddressed
				w.Recurred += t.Recurred
			}
		}
	}
	return out
}

// use changes what is known of a card's use.
func (l *Ledger) use(path string, change func(*Usage)) {
	l.Usage.Update(path, func(u *Usage) { u.Path = path; change(u) })
}

// Credit adds to today's tally of a card, unless change returns false.
func (l *Ledger) Credit(path string, change func(*Usage, *Tally) bool) {
	l.CreditOn(lessons.DateOf(l.now()).String(), path, change)
}

// CreditOn is Credit for another day, YYYY-MM-DD.
func (l *Ledger) CreditOn(day, path string, change func(*Usage, *Tally) bool) {
	l.use(path, func(u *Usage) {
		t := u.Days[day]
		if !change(u, &t) {
			return
		}
		u.Days = maps.Clone(u.Days)
		if u.Days == nil {
			u.Days = map[string]Tally{}
		}
		u.Days[day] = t
		for len(u.Days) > usageDays {
			oldest := slices.Min(slices.Collect(maps.Keys(u.Days)))
			u.Before.add(u.Days[oldest])
			delete(u.Days, oldest)
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
		l.Credit(h.Path, func(u *Usage, t *Tally) bool {
			t.Served++
			u.Last = today
			return true
		})
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
		lost[h.Path] = dropped
	}
	for path, gone := range lost {
		if gone {
			l.Credit(path, func(_ *Usage, t *Tally) bool { t.Served--; return true })
		}
	}
	for path, all := range addressed {
		if !lost[path] {
			l.Credit(path, func(_ *Usage, t *Tally) bool {
				if all {
					t.Addressed++
				} else {
					t.Unaddressed++
				}
				return true
			})
		}
	}
}

// Recurred counts a mistake that came back in a conversation although a card spoke of it.
// Each counts once; without a name, each day.
func (l *Ledger) Recurred(path, session string) {
	l.Credit(path, func(u *Usage, t *Tally) bool {
		where := cmp.Or(session, "day "+lessons.DateOf(l.now()).String())
		if slices.Contains(u.Recurred, where) {
			return false
		}
		u.Recurred = last(with(u.Recurred, where), maxRecurrences)
		t.Recurred++
		return true
	})
}

// merge is a card that was merged into another: its use, so that an undo gives exactly that
// back, whatever was counted since.
type merge struct {
	Act   string `json:"act"` // of the journal
	Usage Usage  `json:"usage"`
}

// MoveUsage adds what is known of one card's use to another's, in an act of the journal.
func (l *Ledger) MoveUsage(act, from, into string) {
	u, ok := l.Usage.Delete(from)
	if !ok {
		return
	}
	l.use(into, func(v *Usage) {
		v.Merged = append(slices.Clip(v.Merged), merge{act, u})
		if over := len(v.Merged) - maxMerged; over > 0 {
			oldest := v.Merged[0].Usage
			v.Merged = v.Merged[1:]
			v.add(oldest)
		}
	})
}

// TakeBack undoes what acts of the journal did here: the counters of merged cards are their
// own again, and cards that were kept from requests may come. It reports the latter.
func (l *Ledger) TakeBack(undone func(act string) bool) (allowed bool) {
	is := func(m merge) bool { return undone(m.Act) }
	for again := true; again; { // a card that comes back may be of a merge itself
		again = false
		for _, u := range l.Usage.All(nil) {
			if !slices.ContainsFunc(u.Merged, is) {
				continue
			}
			again = true
			l.use(u.Path, func(v *Usage) { v.Merged = slices.DeleteFunc(slices.Clone(v.Merged), is) })
			for _, m := range u.Merged {
				if is(m) {
					l.use(m.Usage.Path, func(v *Usage) { v.add(m.Usage) })
				}
			}
		}
	}
	for _, n := range l.Nevers() {
		if undone(n.Act) {
			l.Never.Delete(n.ID)
			allowed = true
		}
	}
	return allowed
}

// add adds what is known of another card's use.
func (u *Usage) add(o Usage) {
	days := map[string]Tally{}
	maps.Copy(days, u.Days)
	for day, t := range o.Days {
		sum := days[day]
		sum.add(t)
		days[day] = sum
	}
	u.Days = days
	u.Before.add(o.Before)
	u.Recurred, u.Last, u.Merged = slices.Concat(u.Recurred, o.Recurred), max(u.Last, o.Last), slices.Concat(u.Merged, o.Merged)
}

// whole returns a card's use with that of the cards that were merged into it.
func (u Usage) whole() Usage {
	list := u.Merged
	u.Merged = nil
	for _, m := range list {
		u.add(m.Usage.whole())
	}
	return u
}
