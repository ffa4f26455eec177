// Package inbox keeps the candidates that wait for a person's word: they come, join, expire and are settled. It knows no index and no cards:
// whoever adds a candidate has looked for its like.
package inbox

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/handrail-dev/handrail/server/ledger"
)

const (
	// Life is how long a candidate waits: who has not answered for a month is not going to.
	Life = 30 * 24 * time.Hour
	// Most bounds how many wait; beyond it the oldest go, since nobody answers a hundred.
	Most = 100
	// minPrefix is how many characters of a candidate's id name it.
	minPrefix = 4
)

// ErrUnknown says that no candidate has an id.
var ErrUnknown = errors.New("unknown candidate")

// Inbox is all of them. It is safe for concurrent use.
type Inbox struct {
	Candidates *ledger.Table[Candidate] // by their ids
	Dismissed  *ledger.Table[time.Time] // by the ids of candidates that the same event never raises again
	Settled    *ledger.Table[time.Time] // by the ids of those that no longer wait: none is offered again
	Now        func() time.Time
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

// sweep takes off the list what has waited too long, and the oldest beyond the bound.
func (b *Inbox) sweep() {
	list, now := b.all(), b.Now()
	over, gone := len(list)-Most, false
	for i, c := range list {
		if now.Sub(c.At) <= Life && i >= over {
			continue
		}
		if c, taken := b.take(c); taken { // else somebody was quicker, or it was seen again
			b.settled(c)
			gone = true
		}
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

// Settle takes a candidate off the list, as what a person has decided on or did not answer. It reports whether it was there.
func (b *Inbox) Settle(id string) bool {
	c, ok := b.Candidates.Delete(id)
	if ok {
		b.settled(c)
		b.Changed()
	}
	return ok
}

// settled notes a candidate that was taken off the list, with those that had joined it.
func (b *Inbox) settled(c Candidate) {
	for _, id := range c.IDs() {
		b.Settled.Put(id, b.Now())
	}
}

// Dismiss takes a candidate off the list for good: the same event never raises it again.
func (b *Inbox) Dismiss(id string) error {
	if !b.Settle(id) {
		return fmt.Errorf("dismiss %q: %w", id, ErrUnknown)
	}
	b.Dismissed.Put(id, b.Now())
	return nil
}
