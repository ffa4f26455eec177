package server

import (
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
