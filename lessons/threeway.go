package lessons

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// MergeSides merges two versions of a card that grew from one, as a merge driver of git does.
//
// Occurrences are what the base had and what each side added, a date is the later one, tags and
// paths are those of both sides without what either took out, and so are the items of the
// checklist. They are made the same in all three texts, so that they stand in nobody's way, and
// lines merges the texts. It returns false for a conflict, with the markers in its text.
//
// What both sides changed in different ways is left to lines: an item, a key that one side took
// out. So is a file that is no card, by the name rel or its frontmatter.
func MergeSides(rel string, base, ours, theirs []byte, lines func(base, ours, theirs []byte) ([]byte, bool, error)) (out []byte, clean bool, err error) {
	texts := [3][]byte{base, ours, theirs}
	for _, src := range texts {
		c, _ := Parse(rel, src)
		if len(src) > MaxFile || c.Status == Conflicted || len(src) > 0 && !c.Kind.IsCard() {
			return lines(base, ours, theirs)
		}
	}
	known := 0 // a card that both sides made was seen by each
	if len(base) > 0 {
		c, _ := Parse(rel, base)
		known = c.Occurrences
	}
	if heads, ok := headsOf(texts); ok {
		uniteKeys(&heads, known)
		for i, h := range heads {
			texts[i] = h.text()
		}
	}
	uniteItems(rel, &texts)
	if out, clean, err = lines(texts[0], texts[1], texts[2]); err != nil || !clean {
		return out, clean, err
	}
	want, _ := Parse(rel, texts[1])
	if got, _ := Parse(rel, out); got.Occurrences != want.Occurrences || got.Status == Conflicted {
		return lines(base, ours, theirs) // a key was moved to two places
	}
	return out, true, nil
}

// uniteKeys makes the counters, dates and lists of three frontmatters what they are after the
// merge, where only one side changed one, or both did and there is a value for both. seen is the
// number of occurrences of the base.
func uniteKeys(heads *[3]head, seen int) {
	for _, key := range []string{"occurrences", "last-seen", "archived-at", "applies-to", "tags", "paths"} {
		base, ours, theirs := heads[0].lines(key), heads[1].lines(key), heads[2].lines(key)
		value, like := ours, heads[1]
		switch {
		case base == ours:
			value, like = theirs, heads[2]
		case base == theirs:
		case ours == "" || theirs == "":
			continue // taken out by one, changed by the other
		default:
			if value = united(key, heads, seen); value == "" {
				continue
			}
		}
		for i := range heads {
			heads[i].set(key, value, like)
		}
	}
}

// united returns the lines of a key that both sides have and changed, "" where they are
// written in a way that cannot be edited.
func united(key string, heads *[3]head, seen int) string {
	src := heads[1].text()
	a, _ := Parse("lessons/ours.md", src)
	b, _ := Parse("lessons/theirs.md", heads[2].text())
	var err error
	switch key {
	case "occurrences":
		src, err = setValues(src, value{key, strconv.Itoa(max(1, a.Occurrences+b.Occurrences-seen))})
	case "last-seen", "archived-at":
		if a.LastSeen.String() < b.LastSeen.String() && key == "last-seen" || a.ArchivedAt.String() < b.ArchivedAt.String() && key == "archived-at" {
			return heads[2].lines(key)
		}
	default:
		base, ours, theirs := heads[0].list(key), heads[1].list(key), heads[2].list(key)
		kept := slices.DeleteFunc(slices.Clone(ours), func(s string) bool { return slices.Contains(base, s) && !slices.Contains(theirs, s) })
		added := slices.DeleteFunc(theirs, func(s string) bool { return slices.Contains(base, s) || slices.Contains(kept, s) })
		if len(kept) < len(ours) {
			return key + ": " + flowList(slices.Concat(kept, added)) + lineEnding(src)
		}
		src, err = addToList(src, ours, added, key)
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

// headsOf takes three files apart.
func headsOf(texts [3][]byte) (heads [3]head, ok bool) {
	for i, src := range texts {
		if heads[i], ok = headOf(src); !ok {
			return heads, false
		}
	}
	return heads, true
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

// uniteItems makes the checklists of three cards what they are after the merge, unless both
// sides changed one item.
func uniteItems(rel string, texts *[3][]byte) {
	var lists [3][]entry
	var from, to [3]int
	for i, src := range texts {
		ok := false
		if lists[i], from[i], to[i], ok = entriesOf(rel, src); !ok {
			return
		}
	}
	region := func(i int) []byte { return texts[i][from[i]:to[i]] }
	var items []byte
	switch {
	case bytes.Equal(region(0), region(1)):
		items = region(2)
	case bytes.Equal(region(0), region(2)):
		items = region(1)
	default:
		list, ok := unitedItems(lists[0], lists[1], lists[2])
		if !ok || len(list) == 0 {
			return
		}
		for i, e := range list {
			if items = append(items, e.raw...); i+1 < len(list) {
				items = append(items, cmp.Or(e.gap, lists[1][0].gap, lineEnding(texts[1]))...)
			}
		}
	}
	items = slices.Clone(items)
	for i, src := range texts {
		texts[i] = slices.Concat(src[:from[i]], items, src[to[i]:])
	}
}

// unitedItems merges three checklists; ok is false where both sides changed an item.
func unitedItems(base, ours, theirs []entry) (out []entry, ok bool) {
	a, addedA := follow(base, ours)
	b, addedB := follow(base, theirs)
	added := map[string]string{}
	for i := range len(base) + 1 {
		for _, e := range addedA[i] {
			added[e.key] = e.raw
		}
	}
	for i := range len(base) + 1 {
		out = append(out, addedA[i]...)
		for _, e := range addedB[i] {
			if raw, twice := added[e.key]; !twice {
				out = append(out, e)
			} else if raw != e.raw {
				return nil, false
			}
		}
		if i == len(base) {
			break
		}
		next := a[i] // nil: the side took it out
		switch {
		case a[i] != nil && a[i].raw == base[i].raw:
			next = b[i]
		case b[i] != nil && b[i].raw == base[i].raw, a[i] == nil && b[i] == nil:
		case a[i] == nil || b[i] == nil || a[i].raw != b[i].raw:
			return nil, false
		}
		if next != nil {
			out = append(out, *next)
		}
	}
	return out, true
}

// follow returns what became of each item of a checklist, nil for one that went, and which ones
// were added before it; the last ones at the end. Items between two that stayed are taken to be
// changed, the first into the first.
func follow(base, side []entry) (became []*entry, added [][]entry) {
	became, added = make([]*entry, len(base)), make([][]entry, len(base)+1)
	common := make([][]int, len(base)+1) // the longest run of items that both have, from i and j on
	for i := range common {
		common[i] = make([]int, len(side)+1)
	}
	for i, x := range slices.Backward(base) {
		for j, y := range slices.Backward(side) {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); x.key == y.key {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(base) || j < len(side) {
		i0, j0 := i, j
		for i < len(base) && (j == len(side) || base[i].key != side[j].key) || j < len(side) && i == len(base) {
			if j == len(side) || i < len(base) && common[i+1][j] >= common[i][j+1] {
				i++
			} else {
				j++
			}
		}
		for k := j0; k < j; k++ {
			if i0 < i {
				became[i0] = &side[k]
				i0++
			} else {
				added[i] = append(added[i], side[k])
			}
		}
		if i < len(base) && j < len(side) {
			became[i] = &side[j]
			i, j = i+1, j+1
		}
	}
	return became, added
}
