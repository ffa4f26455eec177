package server

import (
	"strings"
	"testing"
	"time"

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
	if card := cards[0]; card.Kind != lessons.Policy || card.Title != "Never commit to main" || len(card.Items) != 2 || card.Items[0].Text != "Never commit to main." {
		t.Errorf("%+v", card)
	}
}

// TestAToolThatFailsThreeTimesIsACandidate, also where a card is about its file.
func TestAToolThatFailsThreeTimesIsACandidate(t *testing.T) {
	at := now()
	w := newWorkspace(t, map[string]string{"lessons/allow.md": strings.Replace(allowlist, "severity", "paths: [\"bot/**\"]\nseverity", 1)},
		func(c *Config) { c.Now = func() time.Time { return at } })
	tell := func(e Event) *Candidate {
		t.Helper()
		at = at.Add(5 * time.Minute)
		e.SessionID = "s"
		c, err := w.raised(e)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	edit := func(file string, failed bool) *Candidate {
		t.Helper()
		return tell(Event{Kind: EditEvent, Tool: "Edit", On: []string{w.dir + "/" + file}, Failed: failed, Output: "String to replace not found"})
	}
	for i := range 3 {
		if c := edit("src/router.go", true); (c != nil) != (i == 2) || c != nil && (c.Trigger != "retry-loop" || c.Title != "Edit router.go: String to replace not found") {
			t.Errorf("failure %d: %+v", i, c)
		}
	}
	for i := range 3 { // a card is about this file, and not about why the tool fails
		if c := edit("bot/telegram.go", true); (c != nil) != (i == 2) {
			t.Errorf("failure %d: %+v", i, c)
		}
	}
	edit("src/main.go", true)
	edit("src/main.go", true)
	tell(Event{Kind: ToolEvent, Tool: "Read", On: []string{w.dir + "/src/main.go"}})
	if c := edit("src/main.go", true); c != nil {
		t.Errorf("it read the file between: %+v", c)
	}
}
