package brain

import (
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck/check"
)

// itemCheck is the check that an item of a card carries.
type itemCheck struct {
	Item     lessons.Item
	Check    check.Check
	Problems []lessons.Problem // by their lines in the card
}

// ChecksOf reads the checks of a card.
func ChecksOf(c lessons.Card) []itemCheck {
	var out []itemCheck
	for _, it := range c.Items {
		if it.CheckLine == 0 {
			continue
		}
		x := itemCheck{Item: it}
		x.Check, x.Problems = check.Parse(it.Check)
		for i := range x.Problems {
			x.Problems[i].Line += it.CheckLine - 1
		}
		out = append(out, x)
	}
	return out
}

// AddedBy returns the lines that a change adds.
func AddedBy(c Change) []check.Line {
	out := make([]check.Line, len(c.Added))
	for i, l := range c.Added {
		out[i].Text = l
		if i < len(c.Lines) {
			out[i].N = c.Lines[i]
		}
	}
	return out
}

// MaxGuardItem bounds what a reason quotes of an item, in bytes.
const MaxGuardItem = 300
