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
	uniteKeys(&texts, known)
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
func uniteKeys(texts *[3][]byte, seen int) {
	for _, key := range []string{"occurrences", "last-seen", "archived-at", "applies-to", "tags", "paths"} {
		base, ours, theirs := blockOf(texts[0], key), blockOf(texts[1], key), blockOf(texts[2], key)
		value, like := ours, texts[1]
		switch {
		case bytes.Equal(base, ours):
			value, like = theirs, texts[2]
		case bytes.Equal(base, theirs):
		case ours == nil || theirs == nil:
			continue // taken out by one, changed by the other
		default:
			if value = united(key, texts, seen); value == nil {
				continue
			}
		}
		for i, src := range texts {
			texts[i] = setBlock(src, key, value, like)
		}
	}
}

// united returns the lines of a key that both sides have and changed, nil where they are
// written in a way that cannot be edited.
func united(key string, texts *[3][]byte, seen int) []byte {
	ours, theirs := texts[1], texts[2]
	a, _ := Parse("lessons/ours.md", ours)
	b, _ := Parse("lessons/theirs.md", theirs)
	var err error
	switch key {
	case "occurrences":
		n := max(1, a.Occurrences+b.Occurrences-seen)
		if ours, err = setValues(ours, value{key, strconv.Itoa(n)}); err != nil {
			return nil
		}
	case "last-seen":
		if b.LastSeen.String() > a.LastSeen.String() {
			ours = theirs
		}
	case "archived-at":
		if b.ArchivedAt.String() > a.ArchivedAt.String() {
			ours = theirs
		}
	default:
		base, mine, other := listOf(texts[0], key), listOf(ours, key), listOf(theirs, key)
		want := slices.DeleteFunc(slices.Clone(mine), func(s string) bool { return slices.Contains(base, s) && !slices.Contains(other, s) })
		for _, s := range other {
			if !slices.Contains(base, s) && !slices.Contains(want, s) {
				want = append(want, s)
			}
		}
		return listBlock(blockOf(ours, key), mine, want)
	}
	return blockOf(ours, key)
}

// listBlock returns the lines of a list with other values, in the way it is written: a line
// each, or all on one.
func listBlock(block []byte, had, want []string) []byte {
	lines := strings.SplitAfter(strings.TrimSuffix(string(block), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	key, rest, _ := strings.Cut(lines[0], ":")
	eol := lineEnding(block)
	if len(lines) == len(had)+1 && strings.TrimSpace(rest) == "" && len(want) > 0 {
		out, indent := lines[0], lines[1][:max(0, strings.IndexByte(lines[1], '-'))]
		for _, s := range want {
			if i := slices.Index(had, s); i >= 0 {
				out += lines[i+1]
			} else {
				out += indent + "- " + quoteYAML(s) + eol
			}
		}
		return []byte(out)
	}
	after := ""
	if i := strings.LastIndexByte(rest, ']'); i >= 0 && len(lines) == 1 {
		after = strings.TrimRight(rest[i+1:], "\r\n")
	} else if bytes.IndexByte(block, '#') >= 0 {
		return nil // a comment would be lost
	}
	return []byte(key + ": " + flowList(want) + after + eol)
}

// listOf returns the values of a list in the frontmatter.
func listOf(src []byte, key string) []string {
	fm, _ := splitFrontmatter(src)
	pairs, err := mapping(fm.yaml)
	p := lastPair(pairs, key)
	if err != nil || p == nil {
		return nil
	}
	r := reader{anchors: anchorsOf(pairs)}
	return r.list(p.Value)
}

// keysOf returns the keys of the frontmatter in its order.
func keysOf(src []byte) (keys []string) {
	fm, _ := splitFrontmatter(src)
	pairs, _ := mapping(fm.yaml) // of what cannot be read there are none
	for _, p := range pairs {
		keys = append(keys, keyOf(p))
	}
	return keys
}

// blockSpan returns where the lines of a key begin and end in a file. ok is false where it has
// none, or where they hold more than the key alone.
func blockSpan(src []byte, key string) (from, to int, ok bool) {
	fm, _ := splitFrontmatter(src)
	pairs, err := mapping(fm.yaml)
	if err != nil || !fm.closed || isFlow(pairs) {
		return 0, 0, false
	}
	lines := bytes.SplitAfter(fm.yaml, []byte("\n"))
	first, last := -1, len(lines)
	for i, p := range pairs {
		switch {
		case keyOf(p) != key:
		case first >= 0:
			return 0, 0, false // twice
		default:
			if first = p.Key.GetToken().Position.Line - 1; i+1 < len(pairs) {
				last = pairs[i+1].Key.GetToken().Position.Line - 1
			}
		}
	}
	if first < 0 || first >= last || last > len(lines) {
		return 0, 0, false
	}
	for ; last > first+1; last-- { // comments and blank lines below belong to what follows
		if l := bytes.TrimSpace(lines[last-1]); len(l) > 0 && l[0] != '#' {
			break
		}
	}
	size := func(lines [][]byte) int { return len(bytes.Join(lines, nil)) }
	from = fm.start + size(lines[:first])
	return from, from + size(lines[first:last]), true
}

// blockOf returns the lines of a key, nil where there are none of its own.
func blockOf(src []byte, key string) []byte {
	if from, to, ok := blockSpan(src, key); ok {
		return src[from:to]
	}
	return nil
}

// setBlock returns src with other lines for a key; nil takes them out. A key that src lacks
// comes behind the one that it follows in like. A file without frontmatter stays as it is.
func setBlock(src []byte, key string, lines, like []byte) []byte {
	from, to, ok := blockSpan(src, key)
	if fm, _ := splitFrontmatter(src); !ok {
		if lines == nil || !fm.closed || slices.Contains(keysOf(src), key) {
			return src
		}
		from, to = fm.start, fm.start
		keys := keysOf(like)
		for _, before := range slices.Backward(keys[:max(0, slices.Index(keys, key))]) {
			if _, end, ok := blockSpan(src, before); ok {
				from, to = end, end
				break
			}
		}
	}
	return slices.Concat(src[:from], lines, src[to:])
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
