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

// hunk is one conflict: its lines in the file from the marker on to the one behind the last, and what the sides and
// what both had say there.
type hunk struct {
	from, to             int
	had, ours, theirs    part
	begin, bar, mid, end string // its markers; bar is the one of what both had before
}

// part is what one side has in a conflict, from a line of its text on.
type part struct {
	at    int // 0-based
	lines []string
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
	fence, in, based := "", byte(0), false // in is the marker that began where we are
	line, ours, theirs := 0, 0, 0          // lines so far: of the text, and of each side
	var h hunk
	for raw := range bytes.Lines(src) {
		line++
		text := strings.TrimRight(string(raw), "\r\n")
		begins, ends := gitMark(text, '<'), gitMark(text, '>')
		switch {
		case in == 0 && fence == "" && begins:
			in, based, c.marks = '<', false, append(c.marks, line)
			h = hunk{from: line - 1, ours: part{at: ours}, theirs: part{at: theirs}, begin: string(raw)}
			continue
		case in == 0 && fence == "" && ends:
			c.whole, c.marks = false, append(c.marks, line)
			continue
		case in == '<' && gitMark(text, '|'):
			in, based, h.bar = '|', true, string(raw)
			continue
		case (in == '<' || in == '|') && gitMark(text, '='):
			in, c.withBase, h.mid = '=', c.withBase && based, string(raw)
			continue
		case in == '=' && ends:
			in, h.to, h.end = 0, line, string(raw)
			c.hunks = append(c.hunks, h)
			continue
		case in != 0 && (begins || ends):
			c.whole = false
		}
		switch in {
		case '|':
			h.had.lines = append(h.had.lines, string(raw))
		case '<':
			h.ours.lines = append(h.ours.lines, string(raw))
		case '=':
			h.theirs.lines = append(h.theirs.lines, string(raw))
		}
		if in == 0 || in == '|' {
			c.base = append(c.base, raw...)
		}
		if in == 0 || in == '<' {
			c.ours = append(c.ours, raw...)
			ours++
			fence = fenceAfter(fence, text)
		}
		if in == 0 || in == '=' {
			c.theirs = append(c.theirs, raw...)
			theirs++
		}
	}
	c.whole = c.whole && in == 0
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
	card, _ = parse(rel, found.ours)
	if !card.Kind.IsCard() {
		card, _ = parse(rel, found.theirs)
	}
	card.Status, card.Broken, card.Items, card.Sections, card.Extra = Conflicted, true, nil, nil, ""
	card.Body, card.BodyLine = strings.ReplaceAll(string(bytes.ToValidUTF8(src, []byte("\uFFFD"))), "\r\n", "\n"), 1
	for _, line := range found.marks[:min(len(found.marks), maxKeyProblems)] {
		problems = append(problems, Problem{Line: line, Code: ConflictMarkers, Severity: Error})
	}
	return card, problems, card.Kind.IsCard()
}
