package server

import (
	"maps"
	"slices"

	"handrail/lessons"
	"handrail/lessons/life"
)

// maxTests bounds the test runs remembered of a turn, maxTurnFiles its files.
const (
	maxTests     = 20
	maxTurnFiles = 20
)

// testRun is how a test command ended.
type testRun struct {
	Command string `json:"command"` // without secrets
	Dir     string `json:"dir,omitempty"`
	Passed  bool   `json:"passed,omitempty"`
}

// tested tells how the tests of a turn ended: known is false when none ran since the last
// edit, or none that says how it ended.
func (a answer) tested() (passed, known bool) {
	return !slices.ContainsFunc(a.Tests, func(t testRun) bool { return !t.Passed }), len(a.Tests) > 0
}

// outcome tells whether a turn speaks for a card that it used: tests that pass at its end do,
// tests that fail and a mistake that came back speak against it. known is false when nothing
// of the kind happened.
func (a answer) outcome(path string) (success, known bool) {
	if slices.Contains(a.Broken, path) {
		return false, true
	}
	return a.tested()
}

// acted notes in the ledger what an agent did in the turn of its conversation. Whoever runs
// tests outside of one says nothing of a turn.
func (s *Server) acted(e Event) {
	id := s.turnOf(e.SessionID)
	if id == "" {
		return
	}
	ended, ran := e.Tests()
	ran = ran && ended.Failed != nil
	edits := e.Kind == EditEvent && len(e.Files) > 0
	if !ran && !edits {
		return
	}
	notes := s.notes()
	s.state.turns.Change(id, func(a *answer) bool {
		if edits { // what passed before may fail now
			a.Tests = nil
			if notes {
				a.Files = withFiles(a.Files, e.Files)
			}
			return true
		}
		run := testRun{Command: ended.Command, Dir: ended.Dir, Passed: !*ended.Failed}
		a.Tests = slices.DeleteFunc(slices.Clone(a.Tests), func(t testRun) bool { return t.Command == run.Command && t.Dir == run.Dir })
		a.Tests = append(a.Tests, run)
		a.Tests = a.Tests[max(0, len(a.Tests)-maxTests):]
		return true
	})
}

// withFiles adds files to a list, each once.
func withFiles(list, more []string) []string {
	list = slices.Clone(list)
	for _, f := range more {
		if !slices.Contains(list, f) && len(list) < maxTurnFiles {
			list = append(list, f)
		}
	}
	return list
}

// endTurn counts what a turn came to. It may be called again when more is known: an agent
// may go on after it has said something, and a mistake may come back an hour later.
func (s *Server) endTurn(id string) {
	due := map[string]tally{}
	row, ok := s.state.turns.Change(id, func(a *answer) bool {
		if a.Aside {
			return false
		}
		outcomes := maps.Clone(a.Outcomes)
		for _, h := range a.served() {
			if h.Kind != lessons.Playbook {
				continue
			}
			var t tally
			if success, counted := outcomes[h.Path]; counted {
				t.ended(success, -1)
				delete(outcomes, h.Path)
			}
			if success, known := a.outcome(h.Path); known && a.delivered(h.Path) {
				t.ended(success, 1)
				if outcomes == nil {
					outcomes = map[string]bool{}
				}
				outcomes[h.Path] = success
			}
			if t != (tally{}) {
				due[h.Path] = t
			}
		}
		a.Outcomes = outcomes
		return len(due) > 0
	})
	if !ok || row.Aside {
		return
	}
	s.endEpisode(id)
	for path, more := range due {
		s.credit(path, func(_ *usage, t *tally) bool { t.add(more); return true })
	}
}

// ended counts n turns that ended in one way.
func (t *tally) ended(success bool, n int) {
	if success {
		t.Succeeded += n
	} else {
		t.Failed += n
	}
}

// brokeIn notes that a card's mistake came back, against the last turn that was given the
// card: of the conversation or, where that has no name, of any within a day.
func (s *Server) brokeIn(session, path string) {
	now := s.now()
	var last answer
	for _, row := range s.state.turns.All(nil) {
		if row.wasGiven(path, session, now) && row.At.After(last.At) {
			last = row
		}
	}
	if last.ID == "" || slices.Contains(last.Broken, path) {
		return
	}
	s.state.turns.Change(last.ID, func(a *answer) bool { a.Broken = append(slices.Clone(a.Broken), path); return true })
	s.endTurn(last.ID)
}

// proven returns what the turns that used a playbook say for it.
func (s *Server) proven(path string) float64 {
	u, _ := s.state.usage.Get(path)
	t := u.total()
	return life.Proven(max(0, t.Succeeded), max(0, t.Failed))
}
