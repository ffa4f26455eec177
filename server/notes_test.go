package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/ledger"
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

// TestNearTitles holds that a request is told of near cards that its conversation was not told of before, three at most and each once.
func TestNearTitles(t *testing.T) {
	files := map[string]string{"lessons/z.md": titled("severity: high\n", "The gravest")}
	echo := map[string]float64{}
	for _, name := range []string{"a", "b", "c", "d"} {
		files["lessons/"+name+".md"] = titled("", "Vacuum "+name)
		echo["lessons/"+name+".md"] = deliver.NearStrength
	}
	w := newWorkspace(t, files)
	w.SetExtras(ExtraSettings{Environment: &Extras{Agents: []Gift{"titles:25"}}})
	told := func(r HeadsRequest) string {
		t.Helper()
		r.SessionID = "s"
		return w.headed(t, r)
	}
	if got, want := told(HeadsRequest{Begins: true}), "[LESSON TITLES — mistakes made here before]\n- The gravest\nand 4 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	w.State.InSession("s", func(row *ledger.Session) { row.Echo, row.Turns = echo, 1 })
	const near = "[LESSON TITLES — near this request]\n"
	if got, want := told(HeadsRequest{}), near+"- Vacuum a\n- Vacuum b\n- Vacuum c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	told(HeadsRequest{Lost: true})
	w.Gave("s", "lessons/a.md")
	if got, want := told(HeadsRequest{}), near+"- Vacuum b\n- Vacuum c\n- Vacuum d"; got != want {
		t.Errorf("once the first were lost and a card came: %q, want %q", got, want)
	}
	if got := told(HeadsRequest{}); got != "" {
		t.Errorf("told again: %q", got)
	}
}
