package lessons

import (
	"bytes"
	"slices"
	"strings"
)

// conflict is a text with the markers that git leaves where two sides changed the same lines.
type conflict struct {
	base, ours, theirs []byte // the text as each side has it; base has what both had before, where the markers say that
	both               []byte // without markers, the lines of ours and then those of theirs
	marks              []int  // 1-based lines on which a conflict begins, or ends where none began
	whole              bool   // every conflict begins and ends
	withBase           bool   // and says what both had before
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
	line := 0
	for raw := range bytes.Lines(src) {
		line++
		text := strings.TrimRight(string(raw), "\r\n")
		begins, ends := gitMark(text, '<'), gitMark(text, '>')
		switch {
		case part == 0 && fence == "" && begins:
			part, based, c.marks = '<', false, append(c.marks, line)
			continue
		case part == 0 && fence == "" && ends:
			c.whole, c.marks = false, append(c.marks, line)
			continue
		case part == '<' && gitMark(text, '|'):
			part, based = '|', true
			continue
		case (part == '<' || part == '|') && gitMark(text, '='):
			part, c.withBase = '=', c.withBase && based
			continue
		case part == '=' && ends:
			part = 0
			continue
		case part != 0 && (begins || ends):
			c.whole = false
		}
		if part == 0 || part == '|' {
			c.base = append(c.base, raw...)
		}
		if part == 0 || part == '<' {
			c.ours = append(c.ours, raw...)
			fence = fenceAfter(fence, text)
		}
		if part == 0 || part == '=' {
			c.theirs = append(c.theirs, raw...)
		}
		if part != '|' {
			c.both = append(c.both, raw...)
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

// TakeBoth returns a card without its conflict markers and with the lines of both sides. In the
// frontmatter, counters, dates and lists are merged as by [MergeSides]; where the markers do not
// say what both sides had, each is taken to have counted once. ok is false where a conflict does
// not end, or where the sides say different things of another key: then a person must choose.
func TakeBoth(src []byte) (out []byte, ok bool) {
	fm, body := splitFrontmatter(src)
	if !fm.closed {
		body = src
	}
	torn, rest := conflictIn(src[:len(src)-len(body)]), conflictIn(body)
	if !torn.whole || !rest.whole || len(torn.marks)+len(rest.marks) == 0 || hasConflict(rest.both) {
		return nil, false
	}
	if inside, _ := splitFrontmatter(rest.ours); !fm.closed && inside.open {
		return nil, false // the whole file is the conflict
	}
	if len(torn.marks) == 0 {
		return slices.Concat(torn.both, rest.both), true
	}
	known := 0
	if base, _ := Parse("lessons/base.md", torn.base); torn.withBase {
		known = base.Occurrences
	} else {
		ours, _ := Parse("lessons/ours.md", torn.ours)
		theirs, _ := Parse("lessons/theirs.md", torn.theirs)
		known = min(ours.Occurrences, theirs.Occurrences) - 1
	}
	heads, ok := headsOf([3][]byte{torn.base, torn.ours, torn.theirs})
	if !ok {
		return nil, false
	}
	uniteKeys(&heads, known)
	for _, k := range heads[2].keys {
		base, ours := heads[0].lines(k.name), heads[1].lines(k.name)
		switch {
		case ours == k.lines, base == k.lines && base != "":
		case ours == "" || base == ours:
			heads[1].set(k.name, k.lines, heads[2])
		default:
			return nil, false
		}
	}
	return slices.Concat(heads[1].text(), rest.both), true
}
