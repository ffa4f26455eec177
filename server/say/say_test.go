package say

import (
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/triggers"
)

func TestIn(t *testing.T) {
	where, inner := Text{"%[2]s is in %[1]s", "%[1]s에 %[2]s이 있음"}, Text{"a card", "카드"}
	for language, want := range map[string]string{"en": "a card is in x", "": "a card is in x", "ko": "x에 카드이 있음"} {
		if got := where.In(language, "x", inner); got != want {
			t.Errorf("%q: %q", language, got)
		}
	}
}

// TestDeedsAreNamed: what a candidate says of deeds is in the language of its conversation.
func TestDeedsAreNamed(t *testing.T) {
	for _, deed := range []string{
		triggers.Denied + ": X1", "X1" + triggers.WentBack, "X1" + triggers.FailsNow, "X1: 3" + triggers.CameBack, "X1: 3" + triggers.Rewritten,
	} {
		c := brain.Candidate{Title: deed, Mistake: "> " + deed, Proof: deed, Evidence: []string{"X1", deed}}
		if got := English.Named(c)[0]; got.Evidence[1] != deed || got.Mistake != "> "+deed {
			t.Errorf("English: %q", got.Evidence)
		}
		c.Language = "ko"
		got := English.Named(c)[0]
		for _, text := range append(got.Evidence, got.Title, got.Mistake, got.Proof) {
			if !strings.Contains(text, "X1") || strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz") {
				t.Errorf("%q: %q", deed, text)
			}
		}
		if c.Evidence[1] != deed {
			t.Errorf("changed what waits: %q", c.Evidence)
		}
	}
}
