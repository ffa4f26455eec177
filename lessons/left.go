package lessons

import "strings"

const (
	leftStart = "[LEFT OVER FROM THE LAST TURN]"
	leftEnd   = "[/LEFT OVER]"
)

// Left is a checklist item that the previous turn left open or broke.
type Left struct {
	Title, Item string // of the card, and the item's text
	Broken      bool
	Place       string // where it was broken; may be empty
}

// LeftBlock returns the open items for the next request, or "". Like a block it has no line
// that a card could forge.
func LeftBlock(left []Left) string {
	if len(left) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(leftStart + "\n")
	for _, l := range left {
		b.WriteString("- [ ] " + cut(clean(l.Item)) + " (" + cut(clean(l.Title)) + ")")
		switch {
		case l.Broken && l.Place != "":
			b.WriteString(": broken at " + cut(clean(l.Place)))
		case l.Broken:
			b.WriteString(": broken")
		}
		b.WriteString("\n")
	}
	b.WriteString(leftEnd)
	return b.String()
}
