package server

import (
	"testing"

	"handrail/index"
	"handrail/lessons"
	"handrail/server/deliver"
	"handrail/server/ledger"
)

// TestEcho holds that a short request is read with what its conversation was about, and
// that this fades, and is nothing to another conversation.
func TestEcho(t *testing.T) {
	const (
		about    = "a telegram command that tells the weather"
		referred = "now let the telegram command say how warm it is"
	)
	ask := func(w *workspace, session, query string) int {
		t.Helper()
		p, err := w.Preflight(ctx, PreflightRequest{Query: query, SessionID: session})
		if err != nil {
			t.Fatal(err)
		}
		return len(p.Lessons)
	}
	files := map[string]string{"lessons/allow.md": allowlist}
	for i := range 12 {
		files["lessons/other-"+string(rune('a'+i))+".md"] = "# The kettle " + string(rune('a'+i)) + " whistles\n\nIt stands on the stove.\n"
	}
	w := newWorkspace(t, files)
	if n := ask(w, "alone", referred); n != 0 {
		t.Fatalf("the request alone gets %d cards", n)
	}
	if n := ask(w, "s", about); n != 0 {
		t.Fatalf("what came before gets %d cards", n)
	}
	if n := ask(w, "s", referred); n != 1 {
		t.Errorf("the request in its conversation gets %d cards", n)
	}
	if n := ask(w, "another", referred); n != 0 {
		t.Errorf("another conversation gets %d cards", n)
	}
	for _, other := range []string{"where do penguins live?", "and what do they eat?", "how long do they dive?"} {
		if n := ask(w, "s", other); n != 0 {
			t.Errorf("%q gets %d cards", other, n)
		}
	}
	if n := ask(w, "s", referred); n != 0 {
		t.Errorf("after other things it gets %d cards", n)
	}
}

// TestEchoOfAConversationFromTheDisk holds that the first request after a restart has its echo
// kept, though the row that was read has none.
func TestEchoOfAConversationFromTheDisk(t *testing.T) {
	w := newWorkspace(t, nil)
	w.State.InSession("s", func(row *ledger.Session) { row.Turn, row.Echoed, row.Past = "first", "first", nil })
	w.CarryStrength("s", []index.Hit{{Card: lessons.Card{Path: "a.md", Kind: lessons.Lesson}, Score: 1, Strength: 1}})
	if row, _ := w.State.Sessions.Get("s"); row.Echo["a.md"] != 1 {
		t.Errorf("%+v", row.Echo)
	}
}

// TestEchoOrdersAnew holds that a card which the conversation lifts goes before one that it does not.
func TestEchoOrdersAnew(t *testing.T) {
	w := newWorkspace(t, nil)
	hit := func(path string, strength float64) index.Hit {
		return index.Hit{Card: lessons.Card{Path: path, Kind: lessons.Lesson}, Score: strength, Strength: strength}
	}
	turn := func(id string, hits ...index.Hit) []index.Hit {
		w.State.InSession("s", func(row *ledger.Session) { row.Turn = id })
		w.CarryStrength("s", hits)
		return hits
	}
	turn("first", hit("lifted.md", 1))
	for range 2 { // the same turn, told twice, lifts it once
		got := turn("second", hit("plain.md", 1.2), hit("lifted.md", 1))
		if got[0].Card.Path != "lifted.md" || got[0].Strength != 1+deliver.EchoShare {
			t.Errorf("%+v", got)
		}
	}
}
