package server

import (
	"cmp"
	"crypto/rand"
	"slices"
	"sync"
	"time"
)

// answer is one row of the ledger: what was served for which turn.
type answer struct {
	ID      string    `json:"id"`
	Session string    `json:"session,omitempty"`
	At      time.Time `json:"at"`
	Lessons []Hit     `json:"lessons"`
	Notes   []Hit     `json:"notes"`
}

// turns is the ledger: the last answers and the cards they were given. A turn that was
// given nothing has a row too, so that its answer is never checked against the cards of
// the turn before.
type turns struct {
	mu   sync.Mutex // guards rows
	rows map[string]answer
}

// maxAnswers bounds the ledger. A footer is asked for within minutes of its preflight.
const maxAnswers = 200

func (t *turns) init(rows []answer) {
	t.rows = make(map[string]answer, len(rows))
	for _, r := range rows {
		t.rows[r.ID] = r
	}
}

// add files a row and returns those that fell off the end.
func (t *turns) add(a answer) (dropped []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows[a.ID] = a
	if len(t.rows) <= maxAnswers+maxAnswers/4 { // trim in bulk, not at every turn
		return nil
	}
	byAge := make([]answer, 0, len(t.rows))
	for _, r := range t.rows {
		byAge = append(byAge, r)
	}
	slices.SortFunc(byAge, func(a, b answer) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	for _, r := range byAge[:len(byAge)-maxAnswers] {
		delete(t.rows, r.ID)
		dropped = append(dropped, r.ID)
	}
	return dropped
}

func (t *turns) get(id string) (answer, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a, ok := t.rows[id]
	return a, ok
}

// newID returns a name nobody else has.
func newID() string { return rand.Text()[:16] }
