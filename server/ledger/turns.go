package ledger

import (
	"maps"
	"slices"
	"time"

	"handrail/lessons"
	"handrail/triggers"
)

const (
	// maxTests bounds the test runs remembered of a turn, maxFiles the files of a call.
	maxTests = 20
	maxFiles = 20
	// servedWithin is how long after it was served a card is held to have been in front of
	// somebody who gives no conversation's name, as a rollback in git does.
	servedWithin = 24 * time.Hour
)

// Turn is one request: what was served for it, and what came of it. One that was given
// nothing has a row too, so that its answer is never checked against the cards of the turn
// before.
type Turn struct {
	ID       string    `json:"id"`
	Session  string    `json:"session,omitempty"`
	At       time.Time `json:"at"`
	Lessons  []Hit     `json:"lessons"`
	Notes    []Hit     `json:"notes"`
	Agent    string    `json:"agent,omitempty"`
	Number   int       `json:"turn,omitempty"`     // in its conversation
	Known    []Hit     `json:"known,omitempty"`    // cards that speak to the request and were handed over before
	Touched  []Touched `json:"touched,omitempty"`  // cards handed over at an action of this turn
	Cut      int       `json:"cut,omitempty"`      // cards left out of the block for want of room
	Checked  string    `json:"checked,omitempty"`  // sum of the answer that was checked
	Counted  bool      `json:"counted,omitempty"`  // what its answer showed was counted
	Credited []string  `json:"credited,omitempty"` // cards that were counted as served

	Aside    bool            `json:"aside,omitempty"`    // nobody acts on it: no turn
	Lost     bool            `json:"lost,omitempty"`     // the host dropped the block
	Tests    []testRun       `json:"tests,omitempty"`    // how the tests ended that ran since the last edit
	Broken   []string        `json:"broken,omitempty"`   // cards whose mistake came back after it
	Outcomes map[string]bool `json:"outcomes,omitempty"` // playbooks for which the turn counts, as a success or not

	Request string `json:"-"` // in memory alone
}

// Touched is a card that was handed over at an action.
type Touched struct {
	Hit     Hit    `json:"hit"`
	Receipt string `json:"receipt"`
	Reads   bool   `json:"reads,omitempty"` // the action only read: the answer owes the card nothing
}

// testRun is how a test command ended.
type testRun struct {
	Command string `json:"command"` // without secrets
	Dir     string `json:"dir,omitempty"`
	Passed  bool   `json:"passed,omitempty"`
}

// Receipt returns the short name under which what a turn is given goes to an agent, to be
// looked for in its transcript.
func Receipt(id string) string { return id[:min(len(id), 8)] }

// Served returns the cards of a turn, each once, whichever way it came.
func (t Turn) Served() []Hit {
	out := append([]Hit{}, t.Lessons...)
	for _, h := range slices.Concat(t.Known, t.touchedHits(true)) {
		if !slices.ContainsFunc(out, func(o Hit) bool { return o.Path == h.Path }) {
			out = append(out, h)
		}
	}
	return out
}

func (t Turn) touchedHits(reads bool) []Hit {
	var out []Hit
	for _, touched := range t.Touched {
		if reads || !touched.Reads {
			out = append(out, touched.Hit)
		}
	}
	return out
}

// Owes reports whether the answer is held against a card.
func (t Turn) Owes(path string) bool {
	t.Lost = false
	return t.Delivered(path)
}

// Delivered reports whether a card that the answer is held against reached the agent, as far
// as is known.
func (t Turn) Delivered(path string) bool {
	has := func(h Hit) bool { return h.Path == path }
	return !t.Lost && slices.ContainsFunc(t.Lessons, has) || slices.ContainsFunc(t.Known, has) || slices.ContainsFunc(t.touchedHits(false), has)
}

// Delivery counts what became of a turn's cards; transcript says that receipts are all that
// reached the agent. Without one nothing is known to be lost.
func (t Turn) Delivery(transcript bool, receipts []string) Delivery {
	d := Delivery{Cut: t.Cut, Selected: t.Cut}
	count := func(n int, receipt string) {
		switch {
		case transcript && slices.Contains(receipts, receipt):
			d.Received += n
			d.Delivered += n
		case transcript && receipt != "":
			d.Lost += n
		default:
			d.Delivered += n
		}
		d.Selected += n
	}
	count(len(t.Lessons), Receipt(t.ID))
	count(len(t.Known), "")
	for _, touched := range t.Touched {
		if !slices.ContainsFunc(t.Lessons, func(h Hit) bool { return h.Path == touched.Hit.Path }) {
			count(1, touched.Receipt)
		}
	}
	return d
}

// Missing returns the cards that the turn was given under none of some receipts.
func (t Turn) Missing(receipts []string) map[string]bool {
	out := map[string]bool{}
	for _, h := range t.Lessons {
		out[h.Path] = !slices.Contains(receipts, Receipt(t.ID))
	}
	for _, touched := range t.Touched {
		out[touched.Hit.Path] = out[touched.Hit.Path] || !slices.Contains(receipts, touched.Receipt)
	}
	maps.DeleteFunc(out, func(_ string, missing bool) bool { return !missing })
	return out
}

// Tested tells how the tests of a turn ended: known is false when none ran since the last
// edit, or none that says how it ended.
func (t Turn) Tested() (passed, known bool) {
	return !slices.ContainsFunc(t.Tests, func(r testRun) bool { return !r.Passed }), len(t.Tests) > 0
}

// outcome tells whether a turn speaks for a card that it used: tests that pass at its end do,
// tests that fail and a mistake that came back speak against it. known is false when nothing
// of the kind happened.
func (t Turn) outcome(path string) (success, known bool) {
	if slices.Contains(t.Broken, path) {
		return false, true
	}
	return t.Tested()
}

// Acted notes what an agent did in the turn of its conversation. Whoever runs tests outside of
// one says nothing of a turn.
func (l *Ledger) Acted(e triggers.Event) {
	if e.Kind == triggers.Edit && len(e.Files) > 0 { // what passed before may fail now
		l.Turns.Change(l.TurnOf(e.SessionID), func(t *Turn) bool {
			t.Tests = nil
			return true
		})
	} else if end, ok := e.Tests(); ok && end.Failed != nil {
		l.Turns.Change(l.TurnOf(e.SessionID), func(t *Turn) bool {
			others := slices.DeleteFunc(slices.Clone(t.Tests), func(r testRun) bool { return r.Command == end.Command && r.Dir == end.Dir })
			t.Tests = last(append(others, testRun{Command: end.Command, Dir: end.Dir, Passed: !*end.Failed}), maxTests)
			return true
		})
	}
}

// EndTurn counts what a turn came to. It may be called again
// when more is known: an agent may go on after it has said something, and a mistake may come
// back an hour later.
func (l *Ledger) EndTurn(id string) {
	due := map[string]Tally{}
	l.Turns.Change(id, func(t *Turn) bool {
		if t.Aside {
			return false
		}
		outcomes := map[string]bool{}
		maps.Copy(outcomes, t.Outcomes)
		for _, h := range t.Served() {
			if h.Kind != lessons.Playbook {
				continue
			}
			var n Tally
			if success, counted := outcomes[h.Path]; counted {
				n.ended(success, -1)
				delete(outcomes, h.Path)
			}
			if success, known := t.outcome(h.Path); known && t.Delivered(h.Path) {
				n.ended(success, 1)
				outcomes[h.Path] = success
			}
			if n != (Tally{}) {
				due[h.Path] = n
			}
		}
		t.Outcomes = outcomes
		return len(due) > 0
	})
	for path, more := range due {
		l.Credit(path, func(_ *Usage, t *Tally) { t.add(more, 1) })
	}
}

// BrokeIn notes that a card's mistake came back, against the last turn that was given the
// card: of the conversation or, where that has no name, of any within a day. It returns the
// turn, "" where there is nothing new to note.
func (l *Ledger) BrokeIn(session, path string) (turn string) {
	var of Turn
	for _, t := range l.turnsOf(session) {
		if slices.Contains(t.Credited, path) && t.At.After(of.At) {
			of = t
		}
	}
	if slices.Contains(of.Broken, path) {
		return ""
	}
	l.Turns.Change(of.ID, func(t *Turn) bool { t.Broken = with(t.Broken, path); return true })
	return of.ID
}

// turnsOf returns the turns of a conversation or, where that has no name, all of a day.
func (l *Ledger) turnsOf(session string) []Turn {
	now := l.now()
	return slices.DeleteFunc(l.Turns.All(nil), func(t Turn) bool {
		return session != "" && t.Session != session || session == "" && now.Sub(t.At) > servedWithin
	})
}

// Given returns the paths of the cards that were put in front of a conversation or, where that
// has no name, of any within a day.
func (l *Ledger) Given(session string) map[string]bool {
	out := map[string]bool{}
	for _, t := range l.turnsOf(session) {
		for _, path := range t.Credited {
			out[path] = true
		}
	}
	return out
}

// Lose notes whether the host of a conversation dropped what a turn was to be given.
func (l *Ledger) Lose(id string, lost bool) {
	l.Turns.Change(id, func(t *Turn) bool {
		before := t.Lost
		t.Lost = lost
		return before != lost
	})
}

// Check notes which answer to a turn was checked, and reports whether it was this one already.
func (l *Ledger) Check(id, answer string) (before bool) {
	key := sum(answer)
	l.Turns.Change(id, func(t *Turn) bool {
		before, t.Checked = t.Checked == key, key
		return !before
	})
	return before
}
