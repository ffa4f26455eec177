package lessons

import "strings"

// Told returns what a card or note says to an agent: its Body without a card's Evidence.
func (c Card) Told() string {
	return c.without(func(s Section) int { return s.start }, func(string) string { return "" })
}

// Words returns what a card says of its own, each byte where Body has it: Evidence, the headings
// that every card has and comments are blanks. Of a note it is the whole Body.
func (c Card) Words() string {
	text := c.without(func(s Section) int { return s.body }, blank)
	if !c.Kind.IsCard() || !strings.Contains(text, "<!--") {
		return text
	}
	return commentPattern.ReplaceAllStringFunc(text, blank)
}

// without returns a card's Body with its Evidence, and each other section up to what until says,
// replaced.
func (c Card) without(until func(Section) int, with func(string) string) string {
	if !c.Kind.IsCard() {
		return c.Body
	}
	var b strings.Builder
	at := 0
	for _, s := range c.Sections {
		to := until(s)
		if s.Name == Evidence {
			to = s.end
		}
		b.WriteString(c.Body[at:s.start] + with(c.Body[s.start:to]))
		at = to
	}
	return b.String() + c.Body[at:]
}

// blank returns as many blanks as s has bytes; lines still end where they did.
func blank(s string) string {
	out := []byte(s)
	for i, b := range out {
		if b != '\n' {
			out[i] = ' '
		}
	}
	return string(out)
}
