package lessons

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// sideOf is the path by which a side of a conflict is read: that of a card.
const sideOf = "lessons/side.md"

// Settle settles what nobody has to choose in the conflicts that git left in a card: occurrences are what there was
// and what each side added, a date is the later one, tags, paths and the items of the checklist are those of both
// sides, and of two statuses or guards the safer one holds. Where the markers say what there was before, what one side
// alone changed is taken, and what it took out goes; where they do not, each side is taken to have counted once.
// All else keeps its markers. ok is false where nothing was settled.
func Settle(src []byte) (out []byte, ok bool) {
	if !hasConflict(src) {
		return src, false
	}
	settle := func(src []byte) []byte { return settleKeys(settleItems(src)) }
	if out = settle(src); !bytes.Equal(settle(out), out) {
		return src, false // it is not read back as it was written
	}
	return out, !bytes.Equal(out, src)
}

// settleKeys settles the conflicts of a frontmatter, a key at a time.
func settleKeys(src []byte) []byte {
	fm, body := splitFrontmatter(src)
	found := conflictIn(src[:len(src)-len(body)])
	if !fm.closed || !found.whole || len(found.hunks) == 0 {
		return src
	}
	base, based := headOf(found.base)
	ours, oursOK := headOf(found.ours)
	theirs, theirsOK := headOf(found.theirs)
	if !oursOK || !theirsOK || ours.before != theirs.before {
		return src
	}
	known := 0 // occurrences that both sides know of
	if based = based && found.withBase; based {
		was, _ := Parse(sideOf, found.base)
		known = was.Occurrences
	} else {
		a, _ := Parse(sideOf, found.ours)
		b, _ := Parse(sideOf, found.theirs)
		base, known = head{}, min(a.Occurrences, b.Occurrences)-1
	}
	for _, k := range theirs.keys {
		if at := ours.find(k.name); k.below != "" && (at < 0 || ours.keys[at].below != k.below) {
			return src // a comment of theirs would be lost
		}
	}
	out, settled := ours, false
	for _, k := range slices.Concat(theirs.keys, ours.keys) {
		was, a, b := base.lines(k.name), ours.lines(k.name), theirs.lines(k.name)
		value := ""
		// A count that is the same on both sides is of different days where the days differ: each has counted.
		counted := k.name == "occurrences" && (based && was != a || !based && ours.lines("last-seen") != theirs.lines("last-seen"))
		switch {
		case a == b && !counted:
			continue
		case based && was == a:
			value = b
		case based && was == b:
			value = a
		case a == "" || b == "":
			value = a + b
		default:
			if value = united(k.name, base, ours, theirs, known); value == "" {
				out.set(k.name, found.hunks[0].torn(a, was, b, based), ours)
				continue
			}
		}
		settled = true
		out.set(k.name, value, theirs)
	}
	if !settled {
		return src
	}
	return slices.Concat(out.text(), body)
}

// united returns the lines of a key that both sides have and changed. It returns "" where a person has to choose, or
// where they are written in a way that cannot be edited.
func united(key string, base, ours, theirs head, known int) string {
	src := ours.text()
	a, _ := Parse(sideOf, src)
	b, _ := Parse(sideOf, theirs.text())
	later := func(a, b Date) string {
		if a.String() < b.String() {
			return theirs.lines(key)
		}
		return ours.lines(key)
	}
	// safer goes by an order that ends with the safest.
	safer := func(order []string, a, b string) string {
		i, j := slices.Index(order, a), slices.Index(order, b)
		switch {
		case i < 0 || j < 0:
			return ""
		case i < j:
			return theirs.lines(key)
		}
		return ours.lines(key)
	}
	var err error
	switch key {
	case "occurrences":
		src, err = setValues(src, value{key, strconv.Itoa(max(1, a.Occurrences+b.Occurrences-known))})
	case "last-seen":
		return later(a.LastSeen, b.LastSeen)
	case "archived-at":
		return later(a.ArchivedAt, b.ArchivedAt)
	case "status":
		return safer([]string{string(Active), string(Drafted), string(Archived), string(Quarantined)}, string(a.Status), string(b.Status))
	case "guard":
		return safer([]string{string(GuardAsk), string(GuardDeny)}, string(a.Guard), string(b.Guard))
	case "applies-to", "tags", "paths":
		had, of, to := base.list(key), ours.list(key), theirs.list(key)
		kept := slices.DeleteFunc(slices.Clone(of), func(s string) bool { return slices.Contains(had, s) && !slices.Contains(to, s) })
		added := slices.DeleteFunc(to, func(s string) bool { return slices.Contains(had, s) || slices.Contains(kept, s) })
		if len(kept) < len(of) {
			return key + ": " + flowList(slices.Concat(kept, added)) + lineEnding(src)
		}
		src, err = addToList(src, of, added, key)
	default:
		return ""
	}
	h, ok := headOf(src)
	if err != nil || !ok {
		return ""
	}
	return h.lines(key)
}

// head is a file with its frontmatter taken apart.
type head struct {
	before, after string // what stands around the keys
	keys          []keyed
}

// keyed is a key with its lines, and the comments and blank lines below it.
type keyed struct{ name, lines, below string }

// headOf takes a file apart. ok is false where it has no frontmatter, or one that is not a line
// or more for each key.
func headOf(src []byte) (h head, ok bool) {
	fm, _ := splitFrontmatter(src)
	pairs, err := mapping(fm.yaml)
	if err != nil || !fm.closed || isFlow(pairs) {
		return head{}, false
	}
	lines := strings.SplitAfter(string(fm.yaml), "\n")
	join := func(from, to int) string { return strings.Join(lines[from:to], "") }
	end := len(lines)
	for _, p := range slices.Backward(pairs) {
		from, to := p.Key.GetToken().Position.Line-1, end
		if from < 0 || from >= end || h.find(keyOf(p)) >= 0 {
			return head{}, false
		}
		for to > from+1 && (lines[to-1] == "" || strings.ContainsAny(lines[to-1][:1], "#\r\n")) {
			to--
		}
		h.keys = append(h.keys, keyed{keyOf(p), join(from, to), join(to, end)})
		end = from
	}
	slices.Reverse(h.keys)
	h.before, h.after = string(src[:fm.start])+join(0, end), string(src[fm.start+len(fm.yaml):])
	return h, true
}

func (h head) text() []byte {
	out := h.before
	for _, k := range h.keys {
		out += k.lines + k.below
	}
	return []byte(out + h.after)
}

func (h head) find(key string) int {
	return slices.IndexFunc(h.keys, func(k keyed) bool { return k.name == key })
}

// lines returns the lines of a key, "" for none.
func (h head) lines(key string) string {
	if i := h.find(key); i >= 0 {
		return h.keys[i].lines
	}
	return ""
}

// list returns the values of a list.
func (h head) list(key string) []string {
	fm, _ := splitFrontmatter(h.text())
	pairs, err := mapping(fm.yaml)
	p := lastPair(pairs, key)
	if err != nil || p == nil {
		return nil
	}
	r := reader{anchors: anchorsOf(pairs)}
	return r.list(p.Value)
}

// set gives a key other lines; "" takes it out. A new one comes behind that which it follows in like.
func (h *head) set(key, lines string, like head) {
	at := h.find(key)
	h.keys = slices.Clone(h.keys)
	switch {
	case at >= 0:
		if h.keys[at].lines = lines; lines == "" {
			h.keys[at].name = ""
		}
	case lines != "":
		for _, k := range slices.Backward(like.keys[:like.find(key)]) {
			if at = h.find(k.name); at >= 0 {
				break
			}
		}
		h.keys = slices.Insert(h.keys, at+1, keyed{name: key, lines: lines})
	}
}

// entry is an item of a checklist with all lines that belong to it.
type entry struct {
	key string // its text, folded
	raw string // its lines, without the blank ones at their end
	gap string // what stands between it and the next; "" for the last one
}

// entriesOf returns the items of a card's checklist and the bytes they take. ok is false where
// there are none, or something else stands between them.
func entriesOf(rel string, src []byte) (list []entry, from, to int, ok bool) {
	c, _ := Parse(rel, src)
	lines := strings.SplitAfter(string(src), "\n")
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
	starts := map[int]string{}
	first, margin := -1, 0
	for _, it := range c.Items {
		n := it.Line - 1
		if first < 0 {
			first, margin = n, indent(lines[n])
		}
		if indent(lines[n]) <= margin { // an item below an item belongs to it
			starts[n] = strings.ToLower(oneLine(it.Text))
		}
	}
	if first < 0 {
		return nil, 0, 0, false
	}
	end := first
	for n := first; n < len(lines); n++ {
		line := strings.TrimRight(lines[n], " \t\r\n")
		key, begins := starts[n]
		switch {
		case begins:
			list = append(list, entry{key: key})
			delete(starts, n)
		case line != "" && indent(lines[n]) <= margin:
			n = len(lines) - 1
			continue
		}
		if line != "" {
			end = n + 1
		}
		list[len(list)-1].raw += lines[n]
	}
	for i := range list {
		raw := strings.TrimRight(list[i].raw, " \t\r\n")
		list[i].raw, list[i].gap = raw, list[i].raw[len(raw):]
	}
	list[len(list)-1].gap = ""
	from = len(strings.Join(lines[:first], ""))
	to = len(strings.TrimRight(string(src[:from])+strings.Join(lines[first:end], ""), " \t\r\n"))
	return list, from, to, len(starts) == 0
}

// settleItems settles the conflicts of a checklist, where none reaches beyond it.
func settleItems(src []byte) []byte {
	found := conflictIn(src)
	ours, fromA, toA, okA := entriesOf(sideOf, found.ours)
	theirs, fromB, toB, okB := entriesOf(sideOf, found.theirs)
	if !found.whole || !okA || !okB {
		return src
	}
	var base []entry
	if found.withBase {
		base, _, _, _ = entriesOf(sideOf, found.base)
	}
	a := newRegion(found.ours, fromA, toA, func(h hunk) [2]int { return h.ours })
	b := newRegion(found.theirs, fromB, toB, func(h hunk) [2]int { return h.theirs })
	first, last := found.inFile(a.first, a.side), found.inFile(a.last, a.side)
	above, below := a.first, a.last // lines of ours that go with the conflicts
	touched := false
	for _, h := range found.hunks {
		if !a.touches(h) && !b.touches(h) {
			continue
		}
		if !a.holds(h) || !b.holds(h) {
			return src
		}
		touched = true
		first, last = min(first, h.from), max(last, h.to-1)
		above, below = min(above, h.ours[0]), max(below, h.ours[1]-1)
	}
	items, ok := uniteEntries(base, ours, theirs)
	if !touched || !ok || len(items) == 0 {
		return src
	}
	first, last = min(first, found.inFile(b.first, b.side)), max(last, found.inFile(b.last, b.side))
	lines := bytes.SplitAfter(src, []byte("\n"))
	out := slices.Concat(bytes.Join(lines[:first], nil), bytes.Join(a.lines[above:a.first], nil))
	for i, e := range items {
		out = append(out, e.raw...)
		if i+1 < len(items) {
			out = append(out, cmp.Or(e.gap, ours[0].gap, lineEnding(src))...)
		}
	}
	end := bytes.Join(a.lines[a.last:below+1], nil)
	out = slices.Concat(out, end[len(bytes.TrimRight(a.lines[a.last], " \t\r\n")):], bytes.Join(lines[last+1:], nil))
	got, _, _, ok := entriesOf(sideOf, conflictIn(out).ours)
	if !ok || !slices.EqualFunc(got, items, func(a, b entry) bool { return a.raw == b.raw }) {
		return src // an item would not be read back
	}
	return out
}

// region is where the checklist stands in the text of a side.
type region struct {
	lines       [][]byte
	first, last int // its lines, 0-based
	side        func(hunk) [2]int
}

func newRegion(text []byte, from, to int, side func(hunk) [2]int) region {
	eol := []byte("\n")
	return region{bytes.SplitAfter(text, eol), bytes.Count(text[:from], eol), bytes.Count(text[:to], eol), side}
}

// touches reports whether a line of a conflict is in the checklist.
func (r region) touches(h hunk) bool {
	at := r.side(h)
	return at[0] <= r.last && at[1] > r.first && at[0] < at[1]
}

// holds reports whether all lines of a conflict are, but for blank ones.
func (r region) holds(h hunk) bool {
	at := r.side(h)
	for n := at[0]; n < at[1]; n++ {
		if (n < r.first || n > r.last) && len(bytes.TrimSpace(r.lines[n])) > 0 {
			return false
		}
	}
	return true
}

// uniteEntries returns the items of both sides, ours first, without those of base that one side took out. ok is false
// where both have an item in different ways, and base does not say who changed it.
func uniteEntries(base, ours, theirs []entry) (out []entry, ok bool) {
	raw := func(list []entry, key string) string {
		if i := slices.IndexFunc(list, func(e entry) bool { return e.key == key }); i >= 0 {
			return list[i].raw
		}
		return ""
	}
	for _, e := range ours {
		was, other := raw(base, e.key), raw(theirs, e.key)
		switch {
		case other == "" && was == e.raw:
			continue
		case other == "" || other == e.raw || other == was:
		case was == e.raw:
			e.raw = other
		default:
			return nil, false
		}
		out = append(out, e)
	}
	for _, e := range theirs {
		if raw(ours, e.key) == "" && raw(base, e.key) != e.raw {
			out = append(out, e)
		}
	}
	return out, true
}
