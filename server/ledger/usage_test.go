package ledger

import (
	"log/slog"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/lessons"
)

// TestRenamed: what is counted goes with a card whatever of the renaming is seen first, and though the card is served in between; not
// to a twin that stays, nor while the old name stands.
func TestRenamed(t *testing.T) {
	old, was := &lessons.Card{Path: "lessons/old.md", Title: "A"}, "lessons/old.md"
	fresh, is := &lessons.Card{Path: "lessons/new.md", Title: "A"}, "lessons/new.md"
	for name, steps := range map[string]func(l *Ledger, serve func(path string)){
		"at once": func(l *Ledger, _ func(string)) { l.Renamed([]*lessons.Card{old}, []*lessons.Card{fresh}, []string{is}) },
		"gone first": func(l *Ledger, _ func(string)) {
			l.Renamed([]*lessons.Card{old}, nil, nil)
			l.Renamed(nil, []*lessons.Card{fresh}, []string{is})
		},
		"come first": func(l *Ledger, _ func(string)) {
			l.Renamed(nil, []*lessons.Card{old, fresh}, []string{is})
			l.Renamed([]*lessons.Card{old}, []*lessons.Card{fresh}, nil)
		},
		"served in between": func(l *Ledger, serve func(string)) {
			l.Renamed([]*lessons.Card{old}, nil, nil)
			serve(is)
			l.Renamed(nil, []*lessons.Card{fresh}, []string{is})
		},
		"a twin":         func(l *Ledger, _ func(string)) { l.Renamed([]*lessons.Card{old}, []*lessons.Card{fresh}, nil) },
		"both are there": func(l *Ledger, _ func(string)) { l.Renamed(nil, []*lessons.Card{old, fresh}, []string{is}) },
	} {
		s, err := Open(t.TempDir(), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		l := New(s, time.Now)
		serve := func(path string) { l.Credit(path, func(_ *Usage, t *Tally) { t.Served++ }) }
		serve(was)
		serve(was)
		steps(l, serve)
		want := map[string]int{"served in between": 3, "a twin": 0, "both are there": 0}
		n, ok := want[name]
		if !ok {
			n = 2
		}
		if u, _ := l.Usage.Get(is); u.Tally.Served != n {
			t.Errorf("%s: the new name was served %d times, want %d", name, u.Tally.Served, n)
		}
		if u, _ := l.Usage.Get(was); (n == 0) != (u.Tally.Served == 2) {
			t.Errorf("%s: the old name keeps %d", name, u.Tally.Served)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
