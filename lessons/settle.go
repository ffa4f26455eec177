package lessons

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// sideOf is the path by which a side of a conflict is read: that of a card.
const sideOf = "lessons/side.md"

// Settle settles what nobody has to choose in the conflicts that git left in a card, each by itself: occurrences are
// what there was and what each side added, a date is the later one, tags, paths and the items of the checklist are
// those of both sides, and of two statuses or guards the safer one holds. Where the markers say what there was before,
// what one side alone changed is taken, and what it took out goes; where they do not, each side is taken to have
// counted once. All else keeps its markers. ok is false where nothing was settled.
func Settle(src []byte) (out []byte, ok bool) {
	if !hasConflict(src) {
		return src, false
	}
	found := conflictIn(src)
	if !found.whole {
		return src, false
	}
	s := settling{newSide(found.base), newSide(found.ours), newSide(found.theirs), found.withBase}
	lines := bytes.SplitAfter(src, []byte("\n"))
	at := 0
	for _, h := range found.hunks {
		h = h.closed(lines)
		out = append(out, bytes.Join(lines[at:h.from], nil)...)
		if text, ok := s.settle(h); ok {
			out = append(out, text...)
		} else {
			out = append(out, bytes.Join(lines[h.from:h.to], nil)...)
		}
		at = h.to
	}
	out = s.counted(append(out, bytes.Join(lines[at:], nil)...))
	if bytes.Equal(out, src) || !s.kept(out) {
		return src, false
	}
	return out, true
}

// settling is a card's conflicts with what their sides say.
type settling struct {
	base, ours, theirs side
	withBase           bool
}

// side is a card as one side has it, and the lines, from the first to the one behind the last, of its keys and of its
// checklist.
type side struct {
	card       Card
	head, list [2]int
}

func newSide(text []byte) (s side) {
	lines := func(text []byte) int { return bytes.Count(text, []byte("\n")) }
	s.card, _ = Parse(sideOf, text)
	if fm, _ := splitFrontmatter(text); fm.closed {
		s.head = [2]int{lines(text[:fm.start]), lines(text[:fm.start+len(fm.yaml)])}
	}
	for _, section := range s.card.Sections {
		if section.Name == Prevention {
			s.list = [2]int{section.Line, s.card.BodyLine - 1 + lines([]byte(s.card.Body[:section.end]))}
		}
	}
	return s
}

// settle returns the lines of a conflict, settled as far as can be.
func (s settling) settle(h hunk) (string, bool) {
	within := func(of func(side) [2]int) bool {
		a, b := of(s.ours), of(s.theirs)
		return h.ours.at >= a[0] && h.ours.at+len(h.ours.lines) <= a[1] && h.theirs.at >= b[0] && h.theirs.at+len(h.theirs.lines) <= b[1]
	}
	begins := beginsItem
	switch {
	case within(func(s side) [2]int { return s.head }):
		if !slices.ContainsFunc(h.ours.lines, itemMark().MatchString) {
			begins = beginsKey
		}
	case !within(func(s side) [2]int { return s.list }):
		return "", false
	}
	was, ok1 := entriesOf(h.had.lines, begins)
	ours, ok2 := entriesOf(h.ours.lines, begins)
	theirs, ok3 := entriesOf(h.theirs.lines, begins)
	if !ok1 || !ok2 || !ok3 {
		return "", false
	}
	out, keys := "", []string{}
	for _, e := range slices.Concat(ours, theirs) { // ours first
		if !slices.Contains(keys, e.key) {
			keys = append(keys, e.key)
		}
	}
	for i, key := range keys {
		was, a, b := textOf(was, key), textOf(ours, key), textOf(theirs, key)
		text := a
		switch {
		case a == b && (key != "occurrences" || !s.withBase || was == a), s.withBase && was == b, b == "" && (!s.withBase || was != a):
		case s.withBase && was == a, a == "":
			text = b
		default:
			var ok bool
			text, ok = s.united(key, a, b)
			if !ok { // a conflict of these lines alone
				if s.withBase {
					a += h.bar + was
				}
				text = h.begin + a + h.mid + b + h.end
			}
		}
		if i < len(keys)-1 && text != "" { // blank lines stay at the end
			text = strings.TrimRight(text, " \t\r\n") + lineEnding([]byte(text))
		}
		out += text
	}
	return out, true
}

// closed returns a conflict with the lines behind it up to the end of a code fence that both sides have open: git takes
// it out of the conflict where both end alike.
func (h hunk) closed(lines [][]byte) hunk {
	parts := []*part{&h.ours, &h.theirs, &h.had}
	for h.to < len(lines) && h.ours.isOpen() && h.theirs.isOpen() && !gitMark(string(lines[h.to]), '<') {
		for _, p := range parts {
			if p.isOpen() {
				p.lines = append(slices.Clone(p.lines), string(lines[h.to]))
			}
		}
		h.to++
	}
	return h
}

// isOpen reports whether a code fence has no end.
func (p part) isOpen() bool { return strings.Count(strings.Join(p.lines, ""), "```")%2 == 1 }

// united returns the lines of a key that both sides have and changed. ok is false where a person has to choose.
func (s settling) united(key, ours, theirs string) (text string, ok bool) {
	a, b, was := s.ours.card, s.theirs.card, s.base.card
	var first bool // ours holds
	switch key {
	case "occurrences":
		return strings.Replace(ours, strconv.Itoa(a.Occurrences), strconv.Itoa(s.occurrences()), 1), true
	case "last-seen":
		first = a.LastSeen.Compare(b.LastSeen) >= 0
	case "archived-at":
		first = a.ArchivedAt.Compare(b.ArchivedAt) >= 0
	case "status":
		order := []Status{Active, Drafted, Archived, Quarantined}
		first = slices.Index(order, a.Status) >= slices.Index(order, b.Status)
	case "guard":
		first = a.Guard == GuardDeny
		if a.Guard == "" || b.Guard == "" {
			return "", false // one of them is none that we know
		}
	case "applies-to", "tags":
		return listLine(key, ours+theirs, was.Tags, a.Tags, b.Tags)
	case "paths":
		return listLine(key, ours+theirs, was.Paths, a.Paths, b.Paths)
	default:
		return "", false
	}
	if first {
		return ours, true
	}
	return theirs, true
}

// listLine returns the line of a list with what both sides have, without what one of them took out.
func listLine(key, written string, was, ours, theirs []string) (string, bool) {
	out := slices.DeleteFunc(slices.Clone(ours), func(v string) bool { return slices.Contains(was, v) && !slices.Contains(theirs, v) })
	for _, v := range theirs {
		if !slices.Contains(was, v) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return key + ": " + flowList(out) + lineEnding([]byte(written)), !strings.Contains(written, "#")
}

// occurrences returns what there was and what each side counted since.
func (s settling) occurrences() int {
	a, b := s.ours.card.Occurrences, s.theirs.card.Occurrences
	known := s.base.card.Occurrences
	if !s.withBase {
		known = min(a, b) - 1
	}
	return max(1, a+b-known)
}

// counted settles occurrences that are the same on both sides, and so in no conflict: they are of different days where
// the days differ, and each side has counted.
func (s settling) counted(out []byte) []byte {
	a, b := s.ours.card, s.theirs.card
	if s.withBase || a.Occurrences != b.Occurrences || a.LastSeen == b.LastSeen {
		return out
	}
	fm, _ := splitFrontmatter(out)
	line := []byte("\noccurrences: " + strconv.Itoa(a.Occurrences))
	at := bytes.Index(out[:fm.start+len(fm.yaml)], line)
	if at < 0 {
		return out
	}
	return slices.Concat(out[:at], []byte("\noccurrences: "+strconv.Itoa(s.occurrences())), out[at+len(line):])
}

// kept reports whether each side of a settled card says what it said beside its checklist, and has the items of both
// sides as they were, but for those that one took out.
func (s settling) kept(out []byte) bool {
	all := slices.Concat(s.ours.card.Items, s.theirs.card.Items)
	prose := func(c Card) (said []string) {
		for _, section := range c.Sections {
			if section.Name != Prevention {
				said = append(said, string(section.Name), section.Text)
			}
		}
		return said
	}
	found := conflictIn(out)
	for text, was := range map[string]Card{string(found.ours): s.ours.card, string(found.theirs): s.theirs.card} {
		is, _ := Parse(sideOf, []byte(text))
		known := func(it Item) bool {
			return slices.ContainsFunc(all, func(o Item) bool { return o.Text == it.Text && o.Check == it.Check })
		}
		gone := missing(texts(is.Items), texts(was.Items))
		if !slices.Equal(prose(is), prose(was)) || len(missing(texts(s.base.card.Items), gone)) > 0 ||
			slices.ContainsFunc(is.Items, func(it Item) bool { return !known(it) }) {
			return false
		}
	}
	return true
}

// entry is a key, or an item of a list, with all lines that belong to it.
type entry struct{ key, text string }

var keyLine = lazyregexp.New(`^[A-Za-z][\w-]*:`)

func beginsKey(line string, _ int) (key string, ok bool) {
	key = keyLine().FindString(line)
	return strings.TrimSuffix(key, ":"), key != ""
}

// beginsItem takes an item below an item for a part of that.
func beginsItem(line string, margin int) (key string, ok bool) {
	mark := itemMark().FindString(line)
	return strings.ToLower(plain(strings.TrimSpace(line[len(mark):]))), mark != "" && indentOfLine(line) <= margin
}

func indentOfLine(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// entriesOf takes lines apart. ok is false where other lines stand before the first entry, a comment between them, or
// the end of a code fence is missing.
func entriesOf(lines []string, begins func(line string, margin int) (string, bool)) (list []entry, ok bool) {
	for i, line := range lines {
		key, starts := begins(line, indentOfLine(lines[0]))
		switch {
		case starts:
			list = append(list, entry{key, line})
		case i == 0, line[0] == '#':
			return nil, false
		default:
			list[len(list)-1].text += line
		}
	}
	return list, !slices.ContainsFunc(list, func(e entry) bool { return part{lines: []string{e.text}}.isOpen() })
}

func textOf(list []entry, key string) string {
	if i := slices.IndexFunc(list, func(e entry) bool { return e.key == key }); i >= 0 {
		return list[i].text
	}
	return ""
}
