package server

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"handrail/lessons"
	"handrail/lessons/life"
	"handrail/lessons/terms"
	"handrail/triggers"
)

const (
	// usageDays is how many days are counted one by one; older ones are added up.
	usageDays = 400
	// maxRecurrences bounds the conversations remembered of a card in which its mistake came
	// back, so that each counts once.
	maxRecurrences = 50
	// servedWithin is how long after it was served a card is held to have been in front of
	// somebody who gives no conversation's name, as a rollback in git does.
	servedWithin = 24 * time.Hour
	// freshFall is how long a mistake that came back keeps its card in front.
	freshFall = 30 * 24 * time.Hour
	// StatsWeeks is how many weeks CardStats.Weeks covers.
	StatsWeeks = 12
)

// tally counts what came of a card.
type tally struct {
	Served      int `json:"served,omitempty"`
	Addressed   int `json:"addressed,omitempty"`
	Unaddressed int `json:"unaddressed,omitempty"`
	Recurred    int `json:"recurred,omitempty"`
	Succeeded   int `json:"succeeded,omitempty"`
	Failed      int `json:"failed,omitempty"`
}

func (t *tally) add(o tally) {
	t.Served += o.Served
	t.Addressed += o.Addressed
	t.Unaddressed += o.Unaddressed
	t.Recurred += o.Recurred
	t.Succeeded += o.Succeeded
	t.Failed += o.Failed
}

func (t tally) times(n int) tally {
	return tally{n * t.Served, n * t.Addressed, n * t.Unaddressed, n * t.Recurred, n * t.Succeeded, n * t.Failed}
}

// usage is what came of one card, in the state and never in the card.
type usage struct {
	Path     string           `json:"path"`
	Days     map[string]tally `json:"days"`               // YYYY-MM-DD → that day's
	Before   tally            `json:"before,omitzero"`    // older days
	Last     string           `json:"last,omitempty"`     // the day it was last served
	Recurred []string         `json:"recurred,omitempty"` // conversations in which its mistake came back, oldest first
	Trial    trial            `json:"trial,omitzero"`     // while some conversations go without the card
}

func (u usage) total() tally {
	t := u.Before
	for _, d := range u.Days {
		t.add(d)
	}
	return t
}

// credit adds to what is known of a card. change may refuse by returning false.
func (s *Server) credit(path string, change func(*usage, *tally) bool) {
	day := lessons.DateOf(s.now()).String()
	s.state.usage.Update(path, func(u *usage) {
		t := u.Days[day]
		if !change(u, &t) {
			return
		}
		u.Path, u.Days = path, maps.Clone(u.Days)
		if u.Days == nil {
			u.Days = map[string]tally{}
		}
		u.Days[day] = t
		if len(u.Days) > usageDays {
			days := slices.Sorted(maps.Keys(u.Days))
			for _, old := range days[:len(days)-usageDays] {
				u.Before.add(u.Days[old])
				delete(u.Days, old)
			}
		}
	})
}

// creditServed counts the cards of a turn, each once whichever way it came.
func (s *Server) creditServed(answerID string) {
	var fresh, tried []string
	row, ok := s.state.turns.Change(answerID, func(a *answer) bool {
		for _, h := range a.served() {
			if !slices.Contains(a.Credited, h.Path) {
				fresh = append(fresh, h.Path)
				if s.onTrial(a.Session, h.Kind, h.Severity) {
					tried = append(tried, h.Path)
				}
			}
		}
		a.Credited = slices.Concat(a.Credited, fresh)
		return len(fresh) > 0
	})
	if !ok || len(fresh) == 0 {
		return
	}
	day := lessons.DateOf(s.now()).String()
	for _, path := range fresh {
		s.credit(path, func(u *usage, t *tally) bool { t.Served++; u.Last = day; return true })
	}
	for _, path := range tried {
		s.changeUsage(path, func(u usage) usage { u.Trial.Given = u.Trial.Given.with(row.Session); return u })
	}
}

// creditAnswer counts what an answer showed of its cards. A block that the host dropped was
// never served.
func (s *Server) creditAnswer(row answer, r AnswerRequest, cards []lessons.Card, footer Footer) {
	if row.ID == "" || len(r.Lessons) > 0 {
		return
	}
	first := false
	row, ok := s.state.turns.Change(row.ID, func(a *answer) bool { first, a.Counted = !a.Counted, true; return first })
	if !ok || !first {
		return
	}
	lost := map[string]bool{}
	if r.Transcript && !slices.Contains(r.Receipts, receiptOf(row.ID)) {
		for _, h := range row.Lessons {
			lost[h.Path] = true
		}
	}
	for path := range lost {
		once := !s.servedElsewhere(path, row)
		s.credit(path, func(u *usage, t *tally) bool {
			if t.Served--; once {
				u.Trial.Given = u.Trial.Given.without(row.Session)
			}
			return true
		})
	}
	for _, c := range cards {
		of := func(path string) bool { return path == c.Path }
		open := slices.ContainsFunc(footer.Unaddressed, func(v Verdict) bool { return of(v.Path) })
		if lost[c.Path] || !slices.ContainsFunc(footer.Verdicts, func(v Verdict) bool { return of(v.Path) }) {
			continue // nothing that it asks for applies
		}
		s.credit(c.Path, func(_ *usage, t *tally) bool {
			if open {
				t.Unaddressed++
			} else {
				t.Addressed++
			}
			return true
		})
	}
}

// creditRecurrence counts a mistake that came back although a card spoke of it: a candidate that says the same as a card, where the card was served in the
// same conversation (without one: within a day). A conversation counts once.
func (s *Server) creditRecurrence(c Candidate, e Event) {
	session := e.SessionID
	where := session
	if where == "" {
		where = "day " + lessons.DateOf(s.now()).String()
	}
	for card := range s.idx.All() {
		served, tried := s.wasServed(card.Path, session), s.inTrial(card.Path, session)
		if !served && !tried || c.Similar != card.Path && !s.sameMistake(*card, c) {
			continue
		}
		if tried {
			s.changeUsage(card.Path, func(u usage) usage {
				u.Trial.Given, u.Trial.Withheld = u.Trial.Given.again(session), u.Trial.Withheld.again(session)
				return u
			})
		}
		if !served {
			continue
		}
		s.credit(card.Path, func(u *usage, t *tally) bool {
			if slices.Contains(u.Recurred, where) {
				return false
			}
			u.Recurred = append(u.Recurred, where)
			u.Recurred = u.Recurred[max(0, len(u.Recurred)-maxRecurrences):]
			t.Recurred++
			return true
		})
		if card.Kind == lessons.Playbook && c.Trigger != string(triggers.RedGreen) { // which ended well
			s.brokeIn(session, card.Path)
		}
	}
}

// sameWords is the share of the words of a card's title that stand in what a candidate is about, from which both are one mistake; sharedWords how many at least.
const (
	sameWords   = 0.6
	sharedWords = 3
)

// sameMistake reports whether a candidate is about what a card is about: by its title, by the test that failed, or by its words. The same file is not
// enough, and neither is a tool that failed for its own reasons.
func (s *Server) sameMistake(short lessons.Card, c Candidate) bool {
	if short.Key() == (lessons.Card{Title: c.Title}).Key() {
		return true
	}
	if c.Trigger == string(triggers.RetryLoop) && c.Command == "" {
		return false
	}
	if c.Test != "" {
		if card, err := s.read(short.Path); err == nil && hasWord(card.Title+"\n"+card.Body, c.Test) {
			return true
		}
	}
	title := strings.Fields(short.Key())
	about := map[string]bool{}
	for _, w := range strings.Fields(terms.Key(c.Title + "\n" + c.Situation + "\n" + c.Mistake)) {
		about[w] = true
	}
	n := 0
	for _, w := range title {
		if about[w] {
			n++
		}
	}
	return n >= sharedWords && float64(n) >= sameWords*float64(len(title))
}

// wasServed reports whether a card was put in front of a conversation or, where that has no
// name, of any within a day.
func (s *Server) wasServed(path, session string) bool {
	now := s.now()
	return s.state.turns.Any(func(_ string, row answer) bool { return row.wasGiven(path, session, now) })
}

// wasGiven reports whether a turn was given a card and belongs to a conversation or, where
// that has no name, is at most a day old.
func (a answer) wasGiven(path, session string, now time.Time) bool {
	if session != "" && a.Session != session || session == "" && now.Sub(a.At) > servedWithin {
		return false
	}
	return slices.Contains(a.Credited, path)
}

// servedElsewhere reports whether another turn of the same conversation was given a card.
func (s *Server) servedElsewhere(path string, turn answer) bool {
	return s.state.turns.Any(func(_ string, row answer) bool {
		return row.ID != turn.ID && row.Session == turn.Session && slices.Contains(row.Credited, path)
	})
}

// inTrial reports whether a card spoke to a conversation while it was on trial.
func (s *Server) inTrial(path, session string) bool {
	u, _ := s.state.usage.Get(path)
	t := u.Trial
	return session != "" && (t.Given.find(session) >= 0 || t.Withheld.find(session) >= 0)
}

// record returns what is known of a card's use.
func (s *Server) record(path string) life.Record {
	u, _ := s.state.usage.Get(path)
	t := u.total()
	last, _ := lessons.ParseDate(u.Last)
	return life.Record{Served: max(0, t.Served), Addressed: t.Addressed, Unaddressed: t.Unaddressed, Recurred: t.Recurred, LastUsed: last}
}

// fresh returns the first day on which a fall is still a late one, as YYYY-MM-DD.
func (s *Server) fresh() string { return lessons.DateOf(s.now().Add(-freshFall)).String() }

// fellLately returns the last day on which a card's mistake came back, or an answer broke one
// of its items or left it open, as YYYY-MM-DD; "" where that was before since or never.
func (s *Server) fellLately(c *lessons.Card, since string) string {
	last := ""
	if c.Occurrences > 1 {
		last = c.LastSeen.String()
	}
	if u, _ := s.state.usage.Get(c.Path); u.Last >= since {
		for day, t := range u.Days {
			if day > last && t.Recurred+t.Unaddressed > 0 {
				last = day
			}
		}
	}
	if last < since {
		return ""
	}
	return last
}

// WeekStats is what came of a card, or of all, in seven days.
type WeekStats struct {
	From        string `json:"from"` // its first day, YYYY-MM-DD
	Served      int    `json:"served"`
	Addressed   int    `json:"addressed"`
	Unaddressed int    `json:"unaddressed"`
	Recurred    int    `json:"recurred"`
}

// CardStats is what came of one card.
type CardStats struct {
	Path        string         `json:"path"`
	Title       string         `json:"title"`
	Status      lessons.Status `json:"status"`
	Served      int            `json:"served"`         // turns that were given the card
	Addressed   int            `json:"addressed"`      // of them, the answer showed every item
	Unaddressed int            `json:"unaddressed"`    // of them, it did not
	Recurred    int            `json:"recurred"`       // conversations in which the mistake came back all the same
	LastUsed    string         `json:"lastUsed"`       // YYYY-MM-DD or ""
	Succeeded   int            `json:"succeeded"`      // playbooks: turns that used it and ended with tests that pass
	Failed      int            `json:"failed"`         // playbooks: turns that ended with tests that fail, or whose mistake came back
	Utility     float64        `json:"utility"`        // see docs/life.md
	Trial       TrialStats     `json:"trial,omitzero"` // where a share of the cards is held out
	Weeks       []WeekStats    `json:"weeks"`          // the last StatsWeeks, oldest first
}

// Stats is what came of a brain's cards.
type Stats struct {
	Cards   []CardStats `json:"cards"`             // that were ever served, most served first
	Never   []Card      `json:"never"`             // active cards that no request has matched yet
	Weeks   []WeekStats `json:"weeks"`             // of all cards
	Active  int         `json:"active"`            // cards that can be served
	HoldOut int         `json:"holdOut,omitempty"` // percent of the matches that are withheld now
	Trial   TrialStats  `json:"trial,omitzero"`    // of all cards
}

// Stats returns what came of the brain's cards where they were served.
func (s *Server) Stats(_ context.Context) (Stats, error) {
	out := Stats{Cards: []CardStats{}, Never: []Card{}, Weeks: s.weeks(nil), HoldOut: s.extras.on().HoldOut}
	for _, c := range s.idx.Cards() {
		if !c.Kind.IsCard() {
			continue
		}
		if c.Status == lessons.Active {
			out.Active++
		}
		u, known := s.state.usage.Get(c.Path)
		t := u.total()
		out.Trial.add(u.Trial.stats())
		if !known || t.Served <= 0 && u.Trial.Withheld.N == 0 {
			if c.Status == lessons.Active {
				out.Never = append(out.Never, card(c))
			}
			continue
		}
		row := CardStats{
			Path: c.Path, Title: c.Title, Status: c.Status, Served: t.Served, Addressed: t.Addressed, Unaddressed: t.Unaddressed,
			Recurred: t.Recurred, Succeeded: max(0, t.Succeeded), Failed: max(0, t.Failed), LastUsed: u.Last, Utility: life.Utility(c, s.record(c.Path)), Weeks: s.weeks(u.Days), Trial: u.Trial.stats(),
		}
		for i, w := range row.Weeks {
			all := &out.Weeks[i]
			all.Served += w.Served
			all.Addressed += w.Addressed
			all.Unaddressed += w.Unaddressed
			all.Recurred += w.Recurred
		}
		out.Cards = append(out.Cards, row)
	}
	slices.SortFunc(out.Cards, func(a, b CardStats) int {
		return cmp.Or(-cmp.Compare(a.Recurred, b.Recurred), -cmp.Compare(a.Served, b.Served), strings.Compare(a.Path, b.Path))
	})
	slices.SortFunc(out.Never, func(a, b Card) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// weeks adds days up to weeks that end today.
func (s *Server) weeks(days map[string]tally) []WeekStats {
	now := s.now()
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	out := make([]WeekStats, StatsWeeks)
	for i := range out {
		out[i].From = today.AddDate(0, 0, -7*(StatsWeeks-i)+1).Format(time.DateOnly)
	}
	for day, t := range days {
		d, ok := lessons.ParseDate(day)
		if !ok {
			continue
		}
		age := int(math.Floor(today.Sub(d.Time(time.UTC)).Hours() / 24))
		i := StatsWeeks - 1 - max(0, age)/7
		if i < 0 {
			continue
		}
		w := &out[i]
		w.Served += t.Served
		w.Addressed += t.Addressed
		w.Unaddressed += t.Unaddressed
		w.Recurred += t.Recurred
	}
	return out
}
