package replay

import (
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/postcheck/proof"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/triggers"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// TestDoubts holds that hardly an honest answer is doubted: a doubt that comes here is to be read.
func TestDoubts(t *testing.T) {
	turns, edited, doubts := 0, 0, 0
	for _, s := range Sessions(t) {
		b := ledger.NewBook(leaks.Redact)
		for i, turn := range s.Turns {
			b.Begin(s.Name, turn.Prompt)
			for _, u := range turn.Uses {
				var failed *bool
				if u.Shown {
					failed = &u.Failed
				}
				change := triggers.Change{File: first(u.File, "unnamed.go"), Added: strings.Split(u.New, "\n")}
				switch u.Tool {
				case "Bash":
					b.Ran(s.Name, u.Command, u.Output, failed)
				case "Edit", "Write":
					b.Edited(s.Name, []string{change.File}, []triggers.Change{change}, func(file string) string { return file })
				}
			}
			if turn.Answer == "" {
				continue
			}
			turns++
			d, _ := b.Deeds(s.Name)
			if len(d.Turn.Edits) > 0 {
				edited++
			}
			for _, x := range proof.Doubts(turn.Answer, d.Session, len(d.Session)+len(d.Turn.Edits) > 0, d.Pasted) {
				doubts++
				t.Logf("%s %s, turn %d: %s: %q (%s)", s.Repo, s.Name, i, x.Why, x.Claim.Text, x.Command)
			}
		}
	}
	t.Logf("%d turns with an answer, %d of them with edits: %d doubts", turns, edited, doubts)
	if doubts*400 > turns {
		t.Errorf("%d doubts in %d turns: read each, and mend what is false", doubts, turns)
	}
}
