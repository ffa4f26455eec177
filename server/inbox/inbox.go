// Package inbox keeps the candidates that wait for a person's word: they come, join, expire, are settled and opened again, and the journal has what
// became of each. It knows no index and no cards: whoever adds a candidate has looked for its like.
package inbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/handrail-dev/handrail/lessons/journal"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

const (
	// Life is how long a candidate waits: who has not answered for a month is not
	// going to. The journal keeps all of it.
	Life = 30 * 24 * time.Hour
	// Most bounds how many wait; beyond it the oldest go to the journal, since
	// nobody answers a hundred.
	Most = 100
	// minPrefix is how many characters of a candidate's id name it.
	minPrefix = 4
)

// ErrUnknown says that no candidate has an id.
var ErrUnknown = errors.New("unknown candidate")

// Inbox is all of them. It is safe for concurrent use, and holds no lock while it writes the journal.
type Inbox struct {
	Candidates *ledger.Table[Candidate] // by their ids
	Dismissed  *ledger.Table[time.Time] // by the ids of candidates that the same event never raises again
	Journal    *journal.Journal
	Now        func() time.Time
	Log        *slog.Logger
	Changed    func() // is called when others wait than before

	adding sync.Mutex // one Add at a time, so that two of one kind join; held while one expires, which may not join meanwhile
}

// Waiting returns the candidates that wait, oldest first.
func (b *Inbox) Waiting() []Candidate {
	b.sweep()
	return b.all()
}

func (b *Inbox) all() []Candidate {
	return b.Candidates.All(func(a, b Candidate) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })
}

// Find returns the candidate that waits under an id, or under the beginning of one.
func (b *Inbox) Find(id string) (Candidate, error) {
	return Named(b.Waiting(), id, func(c Candidate) string { return c.ID })
}

// Named returns the first of a list that has an id, or whose id alone begins so; else ErrUnknown.
func Named[T any](list []T, id string, of func(T) string) (found T, err error) {
	name := ""
	for _, v := range list {
		switch have := of(v); {
		case have == id:
			return v, nil
		case len(id) < minPrefix || !strings.HasPrefix(have, id) || have == name:
		case name != "":
			return found, fmt.Errorf("%q names several: %w", id, ErrUnknown)
		default:
			name, found = have, v
		}
	}
	if name == "" {
		return found, fmt.Errorf("%q: %w", id, ErrUnknown)
	}
	return found, nil
}

// Add puts a candidate on the list, or joins it to one that waits, which it then returns.
func (b *Inbox) Add(c Candidate) (now Candidate, joined bool) {
	defer b.Changed()
	defer b.sweep()
	b.adding.Lock()
	defer b.adding.Unlock()
	for _, other := range b.all() {
		if !other.joins(c) {
			continue
		}
		now, joined = b.Candidates.Change(other.ID, func(o *Candidate) bool { o.join(c); return true })
		if joined {
			return now, true
		}
	}
	b.Candidates.Put(c.ID, c)
	return c, false
}

// sweep takes off the list what has waited too long, and the oldest beyond the bound. What
// cannot be noted in the journal stays.
func (b *Inbox) sweep() {
	list, now := b.all(), b.Now()
	over, gone := len(list)-Most, false
	for i, c := range list {
		why := "nobody answered for 30 days"
		if now.Sub(c.At) <= Life {
			why = fmt.Sprintf("more than %d waited", Most)
			if i >= over {
				continue
			}
		}
		c, waits := b.take(c)
		if !waits {
			continue // somebody else was quicker, or it was seen again
		}
		if err := b.note(c, "expire", why, ""); err != nil {
			b.Log.Warn("a candidate stays, for it cannot be kept in the journal", "candidate", c.ID, "err", err)
			b.Candidates.Put(c.ID, c)
			continue
		}
		gone = true
	}
	if gone {
		b.Changed()
	}
}

// take takes a candidate off the list that was not seen again since it was looked at.
func (b *Inbox) take(seen Candidate) (now Candidate, waits bool) {
	b.adding.Lock()
	defer b.adding.Unlock()
	now, waits = b.Candidates.Get(seen.ID)
	if !waits || !now.At.Equal(seen.At) {
		return now, false
	}
	return b.Candidates.Delete(seen.ID)
}

// Decided returns the ids of the candidates that were settled, by themselves or with others that they were joined to.
func (b *Inbox) Decided() (map[string]bool, error) {
	out := map[string]bool{}
	past, err := b.Past(func(journal.Row) bool { return true })
	for _, p := range past {
		for _, id := range p.Candidate.IDs() {
			out[id] = true
		}
	}
	return out, err
}

// note puts into the journal what became of a candidate, with all of it.
func (b *Inbox) note(c Candidate, verb, why, made string) error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("note %s: %w", c.ID, err)
	}
	return b.Journal.Note(journal.Row{At: b.Now(), Verb: verb, Why: why, Made: made, Note: c.ID}, leaks.KeepJSON(text))
}

// Settle takes a candidate off the list and notes what became of it: the verb, and
// the card that it is now part of. It reports whether it was there.
func (b *Inbox) Settle(id, verb, made string) bool {
	c, ok := b.Candidates.Delete(id)
	if !ok {
		return false
	}
	if err := b.note(c, verb, "", made); err != nil { // a full disk must not keep it on the list
		b.Log.Warn("not in the journal", "candidate", id, "err", err)
	}
	b.Changed()
	return true
}

// Dismiss takes a candidate off the list for good.
func (b *Inbox) Dismiss(id string) error {
	if !b.Settle(id, "dismiss", "") {
		return fmt.Errorf("dismiss %q: %w", id, ErrUnknown)
	}
	b.Dismissed.Put(id, b.Now())
	return nil
}

// Past is what became of a candidate.
type Past struct {
	At        time.Time `json:"at"`
	Verb      string    `json:"verb"`           // record, bump, dismiss, expire
	Why       string    `json:"why,omitempty"`  // of expire
	Made      string    `json:"made,omitempty"` // path of the card that it became or was added to
	Candidate Candidate `json:"candidate"`
}

// Past returns those of the journal's notes on candidates that are wanted, the last first. The text of each is a file
// of its own.
func (b *Inbox) Past(wanted func(journal.Row) bool) ([]Past, error) {
	notes, err := b.Journal.Notes()
	if err != nil {
		return nil, fmt.Errorf("past candidates: %w", err)
	}
	out := []Past{}
	for _, n := range slices.Backward(notes) {
		if !wanted(n) {
			continue
		}
		p := Past{At: n.At, Verb: n.Verb, Why: n.Why, Made: n.Made}
		text, err := b.Journal.Kept(n.Before)
		if err == nil {
			err = json.Unmarshal(text, &p.Candidate)
		}
		if err != nil {
			b.Log.Warn("a candidate of the journal cannot be read", "candidate", n.Note, "err", err)
			p.Candidate = Candidate{ID: n.Note, Evidence: []string{}}
		}
		out = append(out, p)
	}
	return out, nil
}
