package lessons

import (
	"bytes"
	"strings"
)

// conflict is a text with the markers that git leaves where two sides changed the same lines.
type conflict struct {
	base, ours, theirs []byte // the text as each side has it; base has what both had before, where the markers say that
	hunks              []hunk
	marks              []int // 1-based lines on which a conflict begins, or ends where none began
	whole              bool  // every conflict begins and ends
	withBase           bool  // and says what both had before
}

// hunk is one conflict. Lines are 0-based, and the second of two is the one behind the last.
type hunk struct {
	from, to             int    // in the file, markers too
	ours, theirs         [2]int // in the text of each side
	begin, had, mid, end string // its markers; had is the one of what both had before
}

// torn returns a conflict of other lines, with the markers of this one.
func (h hunk) torn(ours, base, theirs string, withBase bool) string {
	if withBase {
		ours += h.had + base
	}
	return h.begin + ours + h.mid + theirs + h.end
}

// inFile returns the line of the file that a line of a side is.
func (c conflict) inFile(line int, side func(hunk) [2]int) int {
	past := 0 // lines of the file that the side lacks so far
	for _, h := range c.hunks {
		at := side(h)
		if line < at[0] {
			break
		}
		past = h.to - at[1]
		if line < at[1] {
			return h.from
		}
	}
	return line + past
}

// gitMark reports whether a line is a marker of git, such as "<<<<<<< HEAD".
func gitMark(line string, c byte) bool {
	const width = 7
	return len(line) >= width && strings.Trim(line[:width], string(c)) == "" && (len(line) == width || line[width] == ' ')
}

// conflictIn finds the conflicts of a text. Those in a code fence that is not indented are an
// example, those in the check of an item are not.
func conflictIn(src []byte) (c conflict) {
	c.whole, c.withBase = true, true
	fence, part, based := "", byte(0), false // part is the marker that began where we are
	line, ours, theirs := 0, 0, 0            // lines so far: of the text, and of each side
	var h hunk
	for raw := range bytes.Lines(src) {
		line++
		text := strings.TrimRight(string(raw), "\r\n")
		begins, ends := gitMark(text, '<'), gitMark(text, '>')
		switch {
		case part == 0 && fence == "" && begins:
			part, based, c.marks = '<', false, append(c.marks, line)
			h = hunk{from: line - 1, ours: [2]int{ours}, theirs: [2]int{theirs}, begin: string(raw)}
			continue
		case part == 0 && fence == "" && ends:
			c.whole, c.marks = false, append(c.marks, line)
			continue
		case part == '<' && gitMark(text, '|'):
			part, based, h.had = '|', true, string(raw)
			continue
		case (part == '<' || part == '|') && gitMark(text, '='):
			part, c.withBase, h.mid = '=', c.withBase && based, string(raw)
			continue
		case part == '=' && ends:
			part, h.to, h.ours[1], h.theirs[1], h.end = 0, line, ours, theirs, string(raw)
			c.hunks = append(c.hunks, h)
			continue
		case part != 0 && (begins || ends):
			c.whole = false
		}
		if part == 0 || part == '|' {
			c.base = append(c.base, raw...)
		}
		if part == 0 || part == '<' {
			c.ours = append(c.ours, raw...)
			ours++
			fence = fenceAfter(fence, text)
		}
		if part == 0 || part == '=' {
			c.theirs = append(c.theirs, raw...)
			theirs++
		}
	}
	c.whole = c.whole && part == 0
	return c
}

// fenceAfter returns the marks of the code fence that is open after a line, "" for none.
// Only fences that are not indented are followed.
func fenceAfter(fence, line string) string {
	switch {
	case fence != "":
		if strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]+" \t") == "" {
			return ""
		}
	case strings.HasPrefix(line, "```") && !strings.Contains(strings.TrimLeft(line, "`"), "`"), strings.HasPrefix(line, "~~~"):
		return line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
	}
	return fence
}

// hasConflict reports whether a text holds conflict markers.
func hasConflict(src []byte) bool {
	if !bytes.Contains(src, []byte("<<<<<<<")) && !bytes.Contains(src, []byte(">>>>>>>")) {
		return false
	}
	return len(conflictIn(src).marks) > 0
}

// parseConflicted reads a card with conflict markers: its head as our side has it, and nothing
// that could be injected. ok is false for a note, whichever side is read.
func parseConflicted(rel string, src []byte) (card Card, problems []Problem, ok bool) {
	found := conflictIn(src)
	if card, _ = parse(rel, found.ours); !card.Kind.IsCard() {
		card, _ = parse(rel, found.theirs)
	}
	card.Status, card.Broken, card.Items, card.Sections, card.Extra = Conflicted, true, nil, nil, ""
	card.Body, card.BodyLine = strings.ReplaceAll(string(bytes.ToValidUTF8(src, []byte("\uFFFD"))), "\r\n", "\n"), 1
	for _, line := range found.marks[:min(len(found.marks), maxKeyProblems)] {
		problems = append(problems, Problem{Line: line, Code: ConflictMarkers, Severity: Error})
	}
	return card, problems, card.Kind.IsCard()
}
