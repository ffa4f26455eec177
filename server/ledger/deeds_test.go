package ledger

import (
	"slices"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/postcheck/check"
	"github.com/handrail-dev/handrail/postcheck/proof"
	"github.com/handrail-dev/handrail/triggers"
)

func book() *Book {
	return NewBook(func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") })
}

func name(file string) string { return strings.TrimPrefix(file, "/w/") }

func TestATurn(t *testing.T) {
	b := book()
	if _, ok := b.Deeds("s"); ok {
		t.Error("something is known before anything was done")
	}
	b.Begin("s", "the password is hunter2")
	b.Edited("s", []string{"/w/a.go"}, []triggers.Change{{File: "/w/a.go", Removed: []string{"old"}, Added: []string{"x := 1", "key := hunter2"}, Lines: []int{4, 5}}}, name)
	b.Ran("s", "go test ./...", "ok", new(false))
	b.Edited("s", nil, []triggers.Change{{File: "/w/a.go", Removed: []string{"x := 1"}, Added: []string{"x := 2"}, Lines: []int{4}}}, name)
	b.Edited("s", []string{"/w/b.go"}, nil, name)
	d, ok := b.Deeds("s")
	if !ok || len(d.Turn.Edits) != 2 || len(d.Turn.Commands) != 1 || !slices.Equal(d.Files, []string{"/w/b.go"}) || d.Paths["a.go"] != "/w/a.go" || d.Pasted != "the password is [redacted]" {
		t.Fatalf("%+v, %v", d, ok)
	}
	// A line that the turn took out again was not added, and no secret is kept.
	want := []check.Line{{Text: "key := [redacted]", N: 5}, {Text: "x := 2", N: 4}}
	if got := d.Turn.Edits[0].Added; !slices.Equal(got, want) {
		t.Errorf("added %v, want %v", got, want)
	}
	if e := proof.Gather(d.Turn.Edits, d.Turn.Commands); len(e) != 1 || e[0].Kind != "tests" || *e[0].Failed || !e[0].Stale {
		t.Errorf("evidence %+v", e)
	}
	// What one asked for is another's nothing.
	b.Begin("s", "go on")
	if d, _ := b.Deeds("s"); len(d.Turn.Edits)+len(d.Turn.Commands) != 0 || len(d.Session) != 1 {
		t.Errorf("the next turn begins with %+v", d)
	}
}

// TestHalfASecret: what is cut in the middle of a secret keeps no part of it.
func TestHalfASecret(t *testing.T) {
	b := book()
	b.Ran("s", strings.Repeat("x", maxCommand-3)+"hunter2"+strings.Repeat("x", maxCommand), strings.Repeat("y", maxOutput)+"hunter2"+strings.Repeat("y", maxOutput-3), nil)
	d, _ := b.Deeds("s")
	if c := d.Session[0]; strings.Contains(c.Line, "hun") || strings.Contains(c.Output, "er2") || c.Line == "" || c.Output == "" {
		t.Errorf("%.20s…%s", c.Output, c.Line[len(c.Line)-10:])
	}
}

func TestBounds(t *testing.T) {
	b := book()
	lines := slices.Repeat([]string{strings.Repeat("한", 1000)}, 3*maxLines)
	for range 3 {
		b.Edited("s", nil, []triggers.Change{{File: "/w/a.go", Added: lines}}, name)
	}
	for range 3 * maxCommands {
		b.Ran("s", "make "+strings.Repeat("x", maxCommand), strings.Repeat("y", 9*maxOutput), nil)
	}
	d, _ := b.Deeds("s")
	if n := len(d.Turn.Edits[0].Added); n != maxLines || len(d.Turn.Edits[0].Added[0].Text) > maxLine {
		t.Errorf("%d lines of %d bytes", n, len(d.Turn.Edits[0].Added[0].Text))
	}
	if len(d.Session) != maxCommands || len(d.Turn.Commands) != maxCommands || len(d.Session[0].Output) > maxOutput || len(d.Session[0].Line) > maxCommand {
		t.Errorf("%d commands of %d bytes", len(d.Session), len(d.Session[0].Line))
	}
	for i := range maxTalks {
		b.Begin(strings.Repeat("t", i+1), "")
	}
	if _, ok := b.Deeds("s"); ok {
		t.Error("the conversation that was used last is the first to go")
	}
	b.Begin("", "nobody's")
	if _, ok := b.Deeds(""); ok {
		t.Error("a conversation without a name is kept")
	}
}
