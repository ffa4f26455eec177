package server

import (
	"testing"

	"github.com/handrail-dev/handrail/index"
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/ledger"
)

// TestEchoOfAConversationFromTheDisk holds that the first request after a restart has its echo
// kept, though the row that was read has none.
func TestEchoOfAConversationFromTheDisk(t *testing.T) {
	w := newWorkspace(t, nil)
	w.State.InSession("s", func(row *ledger.Session) { row.Turn, row.Echoed, row.Past = "first", "first", nil })
	w.Remember("s", []index.Hit{{Card: lessons.Card{Path: "a.md", Kind: lessons.Lesson}, Strength: 1}})
	if row, _ := w.State.Sessions.Get("s"); row.Echo["a.md"] != 1 {
		t.Errorf("%+v", row.Echo)
	}
}

// TestEchoFades holds that what requests spoke of is remembered, less with each, and that a request
// which is told twice counts once.
func TestEchoFades(t *testing.T) {
	w := newWorkspace(t, nil)
	for _, turn := range []struct {
		id   string
		want float64
	}{{"first", 1}, {"second", 1.3}, {"second", 1.3}} {
		w.State.InSession("s", func(row *ledger.Session) { row.Turn = turn.id })
		w.Remember("s", []index.Hit{{Card: lessons.Card{Path: "a.md", Kind: lessons.Lesson}, Strength: 1}})
		if row, _ := w.State.Sessions.Get("s"); row.Echo["a.md"] != turn.want {
			t.Errorf("%s: %+v, want %v", turn.id, row.Echo, turn.want)
		}
	}
}
