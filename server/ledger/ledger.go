// Package ledger keeps what is remembered of a brain outside its cards: the turns of conversations and what they were given, the conversations
// themselves, how cards were used and what a person said of requests and lines. Its tables save themselves. What turns did, the lines and commands that
// verdicts and evidence go by, is in memory alone ([Book]).
package ledger

import (
	"cmp"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons/side"
	"github.com/handrail-dev/handrail/triggers"
)

// Ledger is the tables of one brain. It is safe for concurrent use.
type Ledger struct {
	*Store
	Turns    *Table[Turn]      // by id
	Sessions *Table[Session]   // by conversation
	Usage    *Table[Usage]     // by path of the card
	Never    *Table[NeverRow]  // by its id
	Hooks    *Table[time.Time] // by an agent's host: when its hooks last asked what to begin with
	Pause    *Table[time.Time] // one row: until when no card comes
	Tools    *Table[time.Time] // by what an agent calls itself: when it last started our MCP server

	ignored *Table[Ignored]            // by Ignored.key
	failing *Table[[]triggers.Failing] // one row
	told    *Table[Told]               // by day

	now func() time.Time
}

// The bounds of tables; a table may hold a quarter more.
const (
	maxTurns    = 200 // an answer is asked about within minutes of its request
	MaxSessions = 200
)

// New returns the ledger that a store holds.
func New(s *Store, now func() time.Time) *Ledger {
	return &Ledger{
		Store:    s,
		Turns:    NewTable[Turn](s, "answers").Bound(maxTurns, func(a, b Turn) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) }),
		Sessions: NewTable[Session](s, "sessions").Bound(MaxSessions, func(a, b Session) int { return a.At.Compare(b.At) }),
		Usage:    NewTable[Usage](s, "usage"),
		Never:    NewTable[NeverRow](s, "never"),
		Hooks:    NewTable[time.Time](s, "hooks"),
		Pause:    NewTable[time.Time](s, "pause"),
		Tools:    NewTable[time.Time](s, "tools"),
		ignored:  NewTable[Ignored](s, "ignored"),
		failing:  NewTable[[]triggers.Failing](s, "detector"),
		told:     NewTable[Told](s, "told").Bound(2*aWeek, func(a, b Told) int { return strings.Compare(a.Day, b.Day) }),
		now:      now,
	}
}

// NewID returns a name nobody else has.
func NewID() string { return rand.Text()[:16] }

// sum returns a short name of texts.
func sum(texts ...string) string { return side.Name(16, texts...) }

// last returns at most n of a list, its last ones.
func last[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }

// With returns a list with more at its end, without what it has; the list itself stays as it is.
func With[T comparable](list []T, more ...T) []T {
	list = slices.Clip(list)
	for _, v := range more {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

const failingKey = "failing"

// Failing returns the test runs that wait for a pass.
func (l *Ledger) Failing() []triggers.Failing {
	runs, _ := l.failing.Get(failingKey)
	return runs
}

// KeepFailing remembers the test runs that wait for a pass: between red and green an agent
// may think for longer than a daemon without clients lives.
func (l *Ledger) KeepFailing(now []triggers.Failing) {
	same := slices.EqualFunc(now, l.Failing(), func(a, b triggers.Failing) bool {
		return a.Dir == b.Dir && a.Command == b.Command && slices.Equal(a.Edited, b.Edited)
	})
	if !same {
		l.failing.Put(failingKey, now)
	}
}

// Ignored is a line that breaks an item and may.
type Ignored struct {
	Path   string    `json:"path"` // of the card
	Item   string    `json:"item"`
	File   string    `json:"file"` // as cards name it
	Text   string    `json:"text"` // of the line
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

func (i Ignored) key() string { return sum(i.Path, i.Item, i.File, strings.TrimSpace(i.Text)) }

// Ignore remembers that a line may break an item; off forgets it.
func (l *Ledger) Ignore(i Ignored, off bool) {
	i.Text, i.At = strings.TrimSpace(i.Text), l.now()
	if off {
		l.ignored.Delete(i.key())
	} else {
		l.ignored.Put(i.key(), i)
	}
}

// Ignores reports whether a line may break an item; only what names both counts.
func (l *Ledger) Ignores(i Ignored) bool { return l.ignored.Has(i.key()) }

// Ignored returns all such lines, newest first.
func (l *Ledger) Ignored() []Ignored {
	return l.ignored.All(func(a, b Ignored) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(a.Path, b.Path), strings.Compare(a.Item, b.Item), strings.Compare(a.File, b.File), strings.Compare(a.Text, b.Text))
	})
}
