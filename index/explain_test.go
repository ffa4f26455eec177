package index

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// TestExplainAgreesWithTheFloor holds the share of every file against what a search with the
// floor returns, with an index and from the files.
func TestExplainAgreesWithTheFloor(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "lessons/allow.md", "# Telegram commands need an allowlist\n\nThe allowlist is asked before a telegram command restarts the server.\n")
	write(t, dir, "lessons/csv.md", "# CSV exports need a BOM\n\nThe server wrote none.\n")
	write(t, dir, "lessons/old.md", "---\nstatus: archived\nproject: shop\n---\n# Telegram commands and the allowlist\n\nThe server restarts.\n")
	for i := range 12 {
		write(t, dir, fmt.Sprintf("notes/%d.md", i), fmt.Sprintf("# Note %d\n\nThe command of day %d.\n", i, i))
	}
	x := open(t, dir, t.TempDir())
	q := Query{Text: "a telegram command that restarts the server without the allowlist", Cards: true, Notes: true, Limit: 20}
	floor := q
	floor.Strength = true
	hits, err := x.Search(context.Background(), floor)
	hits = Certain(hits)
	if err != nil || len(hits) == 0 {
		t.Fatalf("%v, %v", hits, err)
	}
	for _, f := range x.Files() {
		stands, err := x.Explain(context.Background(), q, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(hits, func(h Hit) bool { return h.Card.Path == f.Path })
		if found != (stands.Share == 1) {
			t.Errorf("%s: found is %v, but %+v", f.Path, found, stands)
		}
	}
	narrow := q
	narrow.Project = "bot"
	stands, err := x.Explain(context.Background(), narrow, "lessons/old.md")
	if err != nil || len(stands.Hit.Terms) == 0 || len(stands.Missing) > 1 {
		t.Errorf("of another project: %+v, %v", stands, err)
	}
	stands, err = x.Explain(context.Background(), q, "lessons/csv.md")
	if err != nil || !slices.Equal(stands.Hit.Terms, []string{"server"}) || len(stands.Missing) != 5 || stands.Share != 0 {
		t.Errorf("one word: %+v, %v", stands, err)
	}
	if stands, err := x.Explain(context.Background(), q, "lessons/gone.md"); err != nil || stands.Share != 0 {
		t.Errorf("no file: %+v, %v", stands, err)
	}
}
