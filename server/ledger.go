package server

import (
	"crypto/rand"
	"slices"
	"time"
)

// answer is one row of the ledger: what was served for which turn.
type answer struct {
	ID       string    `json:"id"`
	Session  string    `json:"session,omitempty"`
	At       time.Time `json:"at"`
	Lessons  []Hit     `json:"lessons"`
	Notes    []Hit     `json:"notes"`
	Agent    string    `json:"agent,omitempty"`
	Turn     int       `json:"turn,omitempty"`
	Known    []Hit     `json:"known,omitempty"`    // cards that speak to the request and were handed over before
	Touched  []touched `json:"touched,omitempty"`  // cards handed over at an action of this turn
	Cut      int       `json:"cut,omitempty"`      // cards left out of the block for want of room
	Checked  string    `json:"checked,omitempty"`  // sum of the answer that was checked
	Counted  bool      `json:"counted,omitempty"`  // what its answer showed was counted
	Credited []string  `json:"credited,omitempty"` // cards that were counted as served

	Aside    bool            `json:"aside,omitempty"`    // nobody acts on it: no turn
	Lost     bool            `json:"lost,omitempty"`     // the host dropped the block
	Tests    []testRun       `json:"tests,omitempty"`    // how the tests ended that ran since the last edit
	Broken   []string        `json:"broken,omitempty"`   // cards whose mistake came back after it
	Outcomes map[string]bool `json:"outcomes,omitempty"` // playbooks for which the turn counts, as a success or not

	request string // in memory alone

	Asked string   `json:"asked,omitempty"` // for its episode: the request, without secrets
	Files []string `json:"files,omitempty"` // for its episode: named or changed, as cards name them
	Noted bool     `json:"noted,omitempty"` // it has an episode, or had one that a person deleted
}

// touched is a card that was handed over at an action.
type touched struct {
	Hit     Hit    `json:"hit"`
	Receipt string `json:"receipt"`
	Reads   bool   `json:"reads,omitempty"` // the action only read: the answer owes the card nothing
}

// served returns the cards of a turn, each once, whichever way it came.
func (a answer) served() []Hit {
	out := append([]Hit{}, a.Lessons...)
	for _, list := range [][]Hit{a.Known, a.touchedHits(true)} {
		for _, h := range list {
			if !slices.ContainsFunc(out, func(o Hit) bool { return o.Path == h.Path }) {
				out = append(out, h)
			}
		}
	}
	return out
}

func (a answer) touchedHits(reads bool) []Hit {
	var out []Hit
	for _, t := range a.Touched {
		if reads || !t.Reads {
			out = append(out, t.Hit)
		}
	}
	return out
}

// owes reports whether the answer is held against a card.
func (a answer) owes(path string) bool {
	a.Lost = false
	return a.delivered(path)
}

// delivered reports whether a card that the answer is held against reached the agent, as far
// as is known.
func (a answer) delivered(path string) bool {
	has := func(h Hit) bool { return h.Path == path }
	return !a.Lost && slices.ContainsFunc(a.Lessons, has) || slices.ContainsFunc(a.Known, has) || slices.ContainsFunc(a.touchedHits(false), has)
}

// delivery counts what became of a turn's cards. Without a transcript nothing is known to
// be lost.
func (a answer) delivery(r AnswerRequest) Delivery {
	d := Delivery{Cut: a.Cut}
	count := func(n int, receipt string) {
		switch {
		case n == 0:
			return
		case r.Transcript && slices.Contains(r.Receipts, receipt):
			d.Received += n
			d.Delivered += n
		case r.Transcript && receipt != "":
			d.Lost += n
		default:
			d.Delivered += n
		}
		d.Selected += n
	}
	count(len(a.Lessons), receiptOf(a.ID))
	count(len(a.Known), "")
	for _, t := range a.Touched {
		if !slices.ContainsFunc(a.Lessons, func(h Hit) bool { return h.Path == t.Hit.Path }) {
			count(1, t.Receipt)
		}
	}
	d.Selected += d.Cut
	return d
}

// Receipt returns the short name under which the block of an answer goes to an agent, to be
// looked for in its transcript.
func Receipt(answerID string) string { return receiptOf(answerID) }

func receiptOf(id string) string { return id[:min(len(id), 8)] }

// maxAnswers bounds the ledger. A footer is asked for within minutes of its preflight.
const maxAnswers = 200

// newID returns a name nobody else has.
func newID() string { return rand.Text()[:16] }
