package lessons

import (
	"iter"
	"strings"
	"unicode"
)

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
	return commentPattern().ReplaceAllStringFunc(text, blank)
}

// without returns a card's Body with its Evidence, and each other section up to what until says, replaced.
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

// Stretches yields markdown in stretches, each prose or one code fence with its marks. A fence may
// be indented or quoted; one without an end reaches to the end of the text or of the quotation.
func Stretches(markdown string) iter.Seq2[string, bool] {
	return func(yield func(text string, code bool) bool) {
		from, at, fence, quoted := 0, 0, "", false
		for line := range strings.Lines(markdown) {
			bare := strings.TrimLeft(line, " \t>")
			isQuote := strings.HasPrefix(strings.TrimLeft(line, " \t"), ">")
			before, end := fence, at
			if fence != "" && quoted && !isQuote {
				fence = ""
			}
			if fence == before {
				fence = fenceAfter(fence, strings.TrimRight(bare, " \t\r\n"))
				if fence == "" {
					end = at + len(line)
				}
			}
			if fence != before {
				if end > from && !yield(markdown[from:end], before != "") {
					return
				}
				from, quoted = end, isQuote
			}
			at += len(line)
		}
		if from < at {
			yield(markdown[from:], fence != "")
		}
	}
}

// Paragraphs cuts markdown at blank lines, those in code aside.
func Paragraphs(markdown string) (out []string) {
	for part, code := range Stretches(markdown) {
		if code {
			out = append(out, strings.TrimRight(part, "\n"))
			continue
		}
		for p := range strings.SplitSeq(part, "\n\n") {
			p = strings.TrimRightFunc(strings.TrimLeft(p, "\n"), unicode.IsSpace)
			if p != "" {
				out = append(out, p)
			}
		}
	}
	return out
}

// Prose returns the prose of markdown and its code fences, the latter as they stand when nothing
// is quoted or indented around them.
func Prose(markdown string) (prose string, fences []string) {
	var b strings.Builder
	for text, code := range Stretches(markdown) {
		if !code {
			b.WriteString(text)
			continue
		}
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		around := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " \t>"))]
		for i, l := range lines {
			lines[i] = strings.TrimPrefix(l, strings.TrimRight(around, " "))
			lines[i] = strings.TrimPrefix(lines[i], around[len(strings.TrimRight(around, " ")):])
		}
		if fence := fenceAfter("", lines[0]); len(lines) == 1 || fenceAfter(fence, lines[len(lines)-1]) != "" {
			lines = append(lines, fence)
		}
		fences = append(fences, strings.Join(lines, "\n"))
	}
	return strings.TrimSpace(b.String()), fences
}
