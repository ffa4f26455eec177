package server

import (
	"fmt"
	"strings"
	"testing"

	"handrail/server/deliver"
	"handrail/server/ledger"
)

// TestNotesForHooks holds that an agent asked by a hook gets notes that speak to its request, within what the tightest
// host takes, unless a person does not want that.
func TestNotesForHooks(t *testing.T) {
	files := map[string]string{}
	for i := range 8 {
		files[fmt.Sprintf("notes/postgres-%d.md", i)] = fmt.Sprintf("# Postgres vacuum tuning %d\n\n%s", i, strings.Repeat("Postgres vacuum runs when dead tuples pass the scale factor of the table. ", 60))
		files[fmt.Sprintf("notes/other-%d.md", i)] = fmt.Sprintf("# Garden %d\n\nTomatoes want sun.", i)
	}
	w := newWorkspace(t, files)
	ask := func(hooked bool) Preflight {
		t.Helper()
		p, err := w.Preflight(ctx, PreflightRequest{SessionID: "s", Query: "tune postgres vacuum for the dead tuples of a large table", Hooked: hooked})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := ask(true); len(p.Notes) == 0 || len(p.Context) > deliver.MaxHookChars || p.Tokens > deliver.HookTokens {
		t.Errorf("%d notes, %d bytes, %d tokens", len(p.Notes), len(p.Context), p.Tokens)
	}
	w.SetExtras(ExtraSettings{Environment: &Extras{Agents: []Gift{GiftTitles}}})
	if p := ask(true); len(p.Notes) > 0 || p.Context != "" {
		t.Errorf("unwanted: %s", p.Context)
	}
	if p := ask(false); len(p.Notes) == 0 {
		t.Error("an editor gets none")
	}
}

// TestTitlesWhereNoCardIsSure holds that an agent hears of near cards only where a person asked for that and no block comes.
func TestTitlesWhereNoCardIsSure(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/a.md": "# Vacuum stalls\n\n## Root Cause\n\nA long transaction.\n\n## Prevention Checklist\n\n- [ ] Transactions are short\n"})
	ask := PreflightRequest{SessionID: "s", Query: "what do penguins eat", Hooked: true}
	for _, on := range []bool{false, true} {
		agents := []Gift{GiftTitles, GiftNotes}
		if on {
			agents = append(agents, GiftNear)
		}
		w.SetExtras(ExtraSettings{Environment: &Extras{Agents: agents}})
		p, err := w.Preflight(ctx, ask)
		if err != nil || p.Context != "" {
			t.Errorf("nothing is near, on %v: %q, %v", on, p.Context, err)
		}
	}
	w.State.InSession("s", func(row *ledger.Session) { row.Echo = map[string]float64{"lessons/a.md": deliver.NearStrength} })
	if got, want := w.Nearby(ask), NearTitles+"\n- Vacuum stalls · lessons/a.md"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
