package ledger

import (
	"cmp"
	"maps"
	"slices"

	"github.com/handrail-dev/handrail/lessons"
)

// Share is how much of a card a conversation has.
type Share int

// The shares, each more than the one before.
const (
	Nothing Share = iota // it may come, or come again
	Titled               // its title
	Whole                // the card, as much of it as there was room for
)

// Given is what a conversation has of one card, whichever way it came: with a request, at an
// action, when the agent asked.
type Given struct {
	Share Share    `json:"share,omitempty"`
	Turn  int      `json:"turn"`            // in which it came, by the conversation's count
	Act   bool     `json:"act,omitempty"`   // at an action
	Ref   string   `json:"ref,omitempty"`   // the receipt under which it came, "" without one
	Items []string `json:"items,omitempty"` // of it that led a request once, left open or broken
}

const (
	// maxGiven is of how many cards a conversation remembers that it has them.
	maxGiven = 400
	// maxLed is how many items of a card are remembered that led a request.
	maxLed = 20
	// Forgetful is after how many turns a conversation counts as having lost a card, where its
	// host does not say when it drops what was said. Hosts that do compact after about as many.
	Forgetful = 20
)

// Give notes that the conversation was given cards in this turn.
func (s *Session) Give(g Given, paths ...string) {
	if len(paths) == 0 {
		return
	}
	given := map[string]Given{}
	maps.Copy(given, s.Given)
	for _, path := range paths {
		g.Turn, g.Items = s.Turns, given[path].Items
		if g.Share >= given[path].Share {
			given[path] = g
		}
	}
	for len(given) > maxGiven {
		oldest := func(a, b string) int { return cmp.Compare(given[a].Turn, given[b].Turn) }
		delete(given, slices.MinFunc(slices.Collect(maps.Keys(given)), oldest))
	}
	s.Given = given
}

// Has reports whether the agent has a card, or more than its title where share is Whole.
func (s Session) Has(path string, share Share) bool { return s.Given[path].Share >= share }

// AtActions returns how many cards were handed over at the actions of this turn.
func (s Session) AtActions() (n int) {
	for _, g := range s.Given {
		if g.Act && g.Turn == s.Turns {
			n++
		}
	}
	return n
}

// Lead reports whether an item of a card has not led a request yet, and notes that it does.
func (s *Session) Lead(path, item string) bool {
	g := s.Given[path]
	if slices.Contains(g.Items, item) {
		return false
	}
	g.Items = last(With(g.Items, item), maxLed)
	given := map[string]Given{}
	maps.Copy(given, s.Given)
	given[path] = g
	s.Given = given
	return true
}

// forget makes the cards for which lost holds such that may come again.
func (s *Session) forget(lost func(path string, g Given) bool) {
	s.Given = maps.Clone(s.Given)
	for path, g := range s.Given {
		if g.Share > Nothing && lost(path, g) {
			g.Share = Nothing
			s.Given[path] = g
		}
	}
}

// Give notes that a conversation was given cards.
func (l *Ledger) Give(id string, g Given, paths ...string) {
	if len(paths) > 0 {
		l.InSession(id, func(s *Session) { s.Give(g, paths...) })
	}
}

// Forget makes cards of a conversation such that may come again: their mistake fell again, or they never arrived.
func (l *Ledger) Forget(id string, paths map[string]bool) {
	if len(paths) > 0 {
		l.InSession(id, func(s *Session) { s.forget(func(path string, _ Given) bool { return paths[path] }) })
	}
}

// Unhead forgets that a conversation was told titles in this turn: they did not arrive.
func (l *Ledger) Unhead(id string) {
	l.InSession(id, func(s *Session) {
		if s.Headed.Turn == s.Turns {
			s.Headed = Moment{}
		}
		s.Untitle(s.Turns)
	})
}

// Untitle makes titles such that may come again that came in a turn or later.
func (s *Session) Untitle(since int) {
	s.forget(func(_ string, g Given) bool { return g.Share == Titled && g.Turn >= since })
}

// ForgetOld makes such that may come again what came Forgetful turns ago: cards, and the titles. What came where the
// conversation began counts to its first turn.
func (l *Ledger) ForgetOld(id string) {
	l.InSession(id, func(s *Session) {
		s.forget(func(_ string, g Given) bool { return s.Turns-max(1, g.Turn) >= Forgetful })
		if s.Turns-max(1, s.Headed.Turn) >= Forgetful {
			s.Headed = Moment{}
		}
	})
}

// Resumed notes that a conversation goes on whose transcript holds these receipts: what came under another may come
// again. Where it holds none of them its host has dropped what hooks said, and all may.
func (l *Ledger) Resumed(id string, receipts []string) (lost bool) {
	l.InSession(id, func(s *Session) {
		missing := func(_ string, g Given) bool { return g.Ref != "" && !slices.Contains(receipts, g.Ref) }
		sent, held := false, false
		for path, g := range s.Given {
			if g.Share == Whole && g.Ref != "" {
				sent, held = true, held || !missing(path, g)
			}
		}
		if s.forget(missing); sent && !held {
			lost, s.Given, s.Headed = true, nil, Moment{}
		}
	})
	return lost
}

// NewContext forgets what an agent was given: a new or compacted conversation holds none of it
// any more. Two hooks may tell of the same beginning.
func (l *Ledger) NewContext(id string) {
	l.InSession(id, func(s *Session) {
		s.Given, s.Echo, s.Past = nil, nil, nil
		if age := s.At.Sub(s.Headed.At); s.Headed.Turn != s.Turns || age < 0 || age >= DoubleFire {
			s.Headed = Moment{}
		}
	})
}

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
	t.Kept, t.Fell = With(t.Kept, o.Kept...), With(t.Fell, o.Fell...)
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
