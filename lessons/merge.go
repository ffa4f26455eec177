package lessons

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// Merge returns the text of one card with what its twin adds to it: its tags, checklist items and their checks beside
// its own, its Fix where that is longer and its other sections where its own are empty, the sum of the occurrences and
// the later last-seen. Only the lines that this changes differ. The other card's text is not touched.
func Merge(into, from []byte) ([]byte, error) {
	a, _ := Parse("lessons/into.md", into)
	b, _ := Parse("lessons/from.md", from)
	values := []value{{"occurrences", strconv.Itoa(a.Occurrences + b.Occurrences)}}
	if b.LastSeen.String() > a.LastSeen.String() {
		values = append(values, value{"last-seen", b.LastSeen.String()})
	}
	if b.Verified && !a.Verified {
		values = append(values, value{"verified", "true"})
	}
	out, err := setValues(addChecks(into, a.Items, b.Items), values...)
	if err != nil {
		return nil, err
	}
	out, err = addToList(out, a.Tags, missing(a.Tags, b.Tags), "applies-to", "tags")
	if err != nil {
		return nil, err
	}
	out = addSaid(out, a, from, b, true)
	after, _ := Parse("lessons/into.md", out)
	if after.Occurrences != a.Occurrences+b.Occurrences || len(missing(after.Tags, slices.Concat(a.Tags, b.Tags))) > 0 ||
		len(missing(texts(after.Items), slices.Concat(texts(a.Items), texts(b.Items)))) > 0 {
		return nil, fmt.Errorf("%w: the merged card would not be read back", ErrFrontmatter)
	}
	return out, nil
}

// Fill returns the text of a card with what another says where its own sections are empty, and
// the other's checklist items beside its own. No word of its own goes.
func Fill(into, from []byte) []byte {
	a, _ := Parse("lessons/into.md", into)
	b, _ := Parse("lessons/from.md", from)
	return addSaid(into, a, from, b, false)
}

// addSaid adds to out, a card with the sections and items of a, what b has more. A longer Fix of
// b's takes the place of that of a where longer is set.
func addSaid(out []byte, a Card, from []byte, b Card, longer bool) []byte {
	for _, name := range SectionNames() {
		theirs, ours := b.Section(name).Text, a.Section(name).Text
		if name == Prevention || saysNothing(theirs) {
			continue
		}
		if saysNothing(ours) || longer && name == Fix && len([]rune(theirs)) > len([]rune(ours)) {
			out = setSection(out, name, theirs)
		}
	}
	added := missing(texts(a.Items), texts(b.Items))
	if len(added) == 0 {
		return out
	}
	eol := lineEnding(out)
	for i, text := range added {
		at := slices.IndexFunc(b.Items, func(it Item) bool { return it.Text == text })
		added[i] = written(from, b.Items[at])
		if check := b.Items[at].Check; check != "" {
			added[i] += fenced(check, eol+"  ")
		}
	}
	text := "- [ ] " + strings.Join(added, eol+"- [ ] ")
	start, end, ok := span(out, Prevention)
	if !ok || start == end || saysNothing(string(out[start:end])) {
		return setSection(out, Prevention, text)
	}
	return slices.Concat(out[:end], []byte(eol+text), out[end:])
}

// itemMark is what precedes an item's text.
var itemMark = lazyregexp.New(`^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?`)

// written returns an item with its markup, as its line has it; the plain text where the item
// goes on over several lines.
func written(src []byte, it Item) string {
	lines := bytes.SplitN(src, []byte("\n"), it.Line+1)
	if it.Line < 1 || it.Line > len(lines) {
		return it.Text
	}
	raw := strings.TrimSpace(itemMark().ReplaceAllString(string(lines[it.Line-1]), ""))
	if plain(raw) != it.Text {
		return it.Text
	}
	return raw
}

// addChecks returns a card with the checks that the items of another have and its own, of the
// same text and on one line, have not.
func addChecks(src []byte, items, others []Item) []byte {
	lines := strings.SplitAfter(string(src), "\n")
	for _, it := range items {
		at := slices.IndexFunc(others, func(o Item) bool { return o.CheckLine > 0 && strings.EqualFold(oneLine(o.Text), oneLine(it.Text)) })
		if at < 0 || it.CheckLine > 0 {
			continue
		}
		line := strings.TrimRight(lines[it.Line-1], "\r\n")
		mark := itemMark().FindString(line)
		if plain(line[len(mark):]) != it.Text { // it goes on below
			continue
		}
		indent := strings.Repeat(" ", strings.IndexFunc(mark, func(r rune) bool { return r != ' ' })+4)
		lines[it.Line-1] = line + fenced(others[at].Check, lineEnding(src)+indent) + lines[it.Line-1][len(line):]
	}
	return []byte(strings.Join(lines, ""))
}

// fenced returns the check of an item as it stands below the item's text. below begins a line.
func fenced(check, below string) string {
	check = strings.TrimRight(strings.ReplaceAll(check, "\r\n", "\n"), "\n")
	return below + strings.ReplaceAll("```check\n"+check+"\n```", "\n", below)
}

func texts(items []Item) []string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = it.Text
	}
	return out
}

// missing returns the strings of more that have does not hold, each once; case and space do not count.
func missing(have, more []string) []string {
	fold := func(s string) string { return strings.ToLower(oneLine(s)) }
	seen := map[string]bool{}
	for _, s := range have {
		seen[fold(s)] = true
	}
	var out []string
	for _, s := range more {
		if key := fold(s); key != "" && !seen[key] {
			seen[key] = true
			out = append(out, s)
		}
	}
	return out
}

// addToList adds values to the list that the first of some keys in the frontmatter holds, in
// the way it is written: on one line, a line each, or none yet. had is what it holds.
func addToList(src []byte, had, more []string, keys ...string) ([]byte, error) {
	if len(more) == 0 {
		return src, nil
	}
	fm, _ := splitFrontmatter(src)
	pairs, err := mapping(fm.yaml)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrFrontmatter, firstLine(err.Error()))
	}
	var p *ast.MappingValueNode
	for _, key := range keys {
		p = lastPair(pairs, key)
		if p != nil {
			break
		}
	}
	if p == nil {
		return setValues(src, value{keys[0], flowList(more)})
	}
	key := keyOf(p)
	lines := bytes.SplitAfter(fm.yaml, []byte("\n"))
	quoted := make([]string, len(more))
	for i, t := range more {
		quoted[i] = quoteYAML(t)
	}
	seq, ok := p.Value.(*ast.SequenceNode)
	switch {
	case ok && seq.IsFlowStyle && seq.End != nil && len(seq.Values) > 0:
		n := seq.End.Position.Line - 1
		at := bytes.LastIndexByte(lines[n], ']')
		if n != seq.Start.Position.Line-1 || at < 0 {
			return nil, fmt.Errorf("%w: %s stands on several lines", ErrFrontmatter, key)
		}
		lines[n] = slices.Concat(lines[n][:at], []byte(", "+strings.Join(quoted, ", ")), lines[n][at:])
	case ok && !seq.IsFlowStyle && len(seq.Values) > 0:
		n := seq.Values[len(seq.Values)-1].GetToken().Position.Line - 1
		if n >= len(lines) || !bytes.HasPrefix(bytes.TrimLeft(lines[n], " "), []byte("- ")) || !bytes.HasSuffix(lines[n], []byte("\n")) {
			return nil, fmt.Errorf("%w: the list of %s is not a plain one", ErrFrontmatter, key)
		}
		indent := lines[n][:bytes.IndexByte(lines[n], '-')]
		for _, q := range slices.Backward(quoted) {
			lines = slices.Insert(lines, n+1, []byte(string(indent)+"- "+q+lineEnding(src)))
		}
	default: // one value, or an empty list: the line is written anew
		n := p.Key.GetToken().Position.Line - 1
		if end := p.Value.GetToken(); end != nil && end.Position.Line-1 > n {
			return nil, fmt.Errorf("%w: %s is not a plain list", ErrFrontmatter, key)
		}
		rest := bytes.TrimRight(lines[n], "\r\n")
		colon := bytes.IndexByte(rest, ':')
		if colon < 0 || p.IsFlowStyle || bytes.ContainsRune(rest, '#') {
			return nil, fmt.Errorf("%w: the line of %s is not understood", ErrFrontmatter, key)
		}
		lines[n] = slices.Concat(rest[:colon+1], []byte(" "+flowList(slices.Concat(had, more))), lines[n][len(rest):])
	}
	return slices.Concat(src[:fm.start], bytes.Join(lines, nil), src[fm.start+len(fm.yaml):]), nil
}

// span returns the bytes of a section's text in a file; where the section is empty, from
// and to are the end of its heading. ok is false when the file has no such section.
func span(src []byte, name SectionName) (from, to int, ok bool) {
	s := ParseCard("lessons/span.md", src).Section(name)
	if s.Name == "" {
		return 0, 0, false
	}
	start := 0
	for range s.Line - 1 {
		start = lineEnd(src, start)
	}
	if s.Text == "" {
		end := lineEnd(src, start)
		return end, end, true
	}
	at := bytes.Index(src[start:], []byte(s.Text))
	if at < 0 {
		return 0, 0, false
	}
	return start + at, start + at + len(s.Text), true
}

// setSection replaces the text of a section, or adds the section at the end.
func setSection(src []byte, name SectionName, text string) []byte {
	eol := lineEnding(src)
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", eol)
	from, to, ok := span(src, name)
	switch {
	case ok && from < to:
		return slices.Concat(src[:from], []byte(text), src[to:])
	case ok:
		if from > 0 && src[from-1] != '\n' {
			text = eol + text
		}
		return slices.Concat(src[:from], []byte(eol+text+eol), src[from:])
	}
	out := slices.Clone(src)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, eol...)
	}
	language := "en"
	if slices.ContainsFunc(SectionNames(), func(n SectionName) bool { return bytes.Contains(src, []byte("# "+n.Heading("ko"))) }) {
		language = "ko" // as one of its headings
	}
	return append(out, eol+"## "+name.Heading(language)+eol+eol+text+eol...)
}
