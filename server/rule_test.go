package server

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
)

// TestARuleBecomesAPolicy: what a person said once stands in the card as they said it.
func TestARuleBecomesAPolicy(t *testing.T) {
	w := newWorkspace(t, nil)
	c, err := w.raised(Event{Kind: MessageEvent, SessionID: "s", Text: "Never commit to main. Always ask before adding a new package."})
	if err != nil || c == nil || c.Trigger != "constraint" || c.Kind != lessons.Policy || len(c.Rules) != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	made, err := w.Confirm(ctx, CreateRequest{CandidateID: c.ID, Fields: CreateFields{Status: lessons.Drafted}})
	if err != nil {
		t.Fatal(err)
	}
	cards, err := w.Cards(ctx, CardFilter{})
	if err != nil || len(cards) != 1 || cards[0].Path != made.Path {
		t.Fatalf("%+v", cards)
	}
	if card := cards[0]; card.Kind != lessons.Policy || card.Title != "Never commit to main" || len(card.Items) != 2 || card.Items[0].Text != "Never commit to main" {
		t.Errorf("%+v", card)
	}
}

// TestAComplaintBecomesAPolicy: the rule in it is the title and the item, which marks the names in code of what mended it; what fell is told.
func TestAComplaintBecomesAPolicy(t *testing.T) {
	w := newWorkspace(t, nil)
	edit := func(removed, added string) {
		t.Helper()
		file := filepath.Join(w.dir, "shop", "read.go")
		change := Change{File: file, Removed: []string{removed}, Added: []string{added}}
		if _, err := w.Observe(ctx, Event{Kind: EditEvent, SessionID: "s", Files: []string{file}, Changes: []Change{change}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Observe(ctx, Event{Kind: MessageEvent, SessionID: "s", Text: "read the new price list"}); err != nil {
		t.Fatal(err)
	}
	edit("x := 1", "list := os.Open(name)")
	c, err := w.raised(Event{Kind: MessageEvent, SessionID: "s", Text: "why do you open the file by hand again? Never open a list without openLedger() here"})
	if err != nil || c == nil || c.Trigger != "constraint" || c.Kind != lessons.Policy || c.Title != "Never open a list without openLedger() here" {
		t.Fatalf("%+v, %v", c, err)
	}
	edit("list := os.Open(name)", "list := openLedger(name)")
	if _, err := w.Confirm(ctx, CreateRequest{CandidateID: c.ID}); err != nil {
		t.Fatal(err)
	}
	cards, err := w.Cards(ctx, CardFilter{})
	if err != nil || len(cards) != 1 || len(cards[0].Items) != 1 {
		t.Fatalf("%+v, %v", cards, err)
	}
	card, err := w.Read(cards[0].Path)
	if err != nil || card.Status != lessons.Active || card.Items[0].Marked != "Never open a list without `openLedger()` here" || !strings.Contains(card.Section(lessons.Mistake).Text, "by hand again") {
		t.Errorf("%+v, %v", card, err)
	}
}
