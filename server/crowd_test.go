package server

import (
	"errors"
	"fmt"
	"testing"

	"github.com/handrail-dev/handrail/server/brain"
)

// TestCrowd: with more than 200 cards of agents that nobody looked at, the next waits for a tidy; a person's own does not.
func TestCrowd(t *testing.T) {
	files := map[string]string{}
	for i := range 201 {
		files[fmt.Sprintf("lessons/auto-%d.md", i)] = fmt.Sprintf("---\ntype: lesson\nsource: auto\n---\n# The pump %d leaked\n\n## Root Cause\n\nIts seal %d was old.\n\n## Prevention Checklist\n\n- [ ] Seal %d is new\n", i, i, i)
	}
	w := newWorkspace(t, files)
	fields := CreateFields{RootCause: "The valve was shut by hand.", Checklist: []string{"The valve is open before the start"}}
	if _, err := w.Confirm(ctx, CreateRequest{Title: "Never start against a shut valve", Auto: true, Asked: true, SessionID: "one", Fields: fields}); !errors.Is(err, brain.ErrCrowd) {
		t.Errorf("an agent's draft: %v", err)
	}
	if _, err := w.Confirm(ctx, CreateRequest{Title: "Never start against a shut valve", Fields: fields}); err != nil {
		t.Errorf("a person's card: %v", err)
	}
	if _, err := w.Verify(ctx, "lessons/auto-0.md", true); err != nil {
		t.Fatal(err)
	}
	made, err := w.Confirm(ctx, CreateRequest{Title: "Pipes burst in the first frost", Auto: true, Asked: true, SessionID: "two", Fields: fields})
	if err != nil {
		t.Fatalf("the cap holds where somebody has looked: %v", err)
	}
	next := CreateRequest{Title: "Filters clog in the autumn", Auto: true, Asked: true, SessionID: "three", Fields: fields}
	if _, err := w.Confirm(ctx, next); !errors.Is(err, brain.ErrCrowd) {
		t.Errorf("a draft more: %v", err)
	}
	w.put(t, made.Path, "---\ntype: lesson\nsource: auto\n---\n# Pipes burst in the first frost\n\nSeen in the north wing.\n")
	if _, err := w.Confirm(ctx, next); err != nil {
		t.Errorf("the cap holds where somebody has edited a card: %v", err)
	}
}
