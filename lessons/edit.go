package lessons

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"github.com/handrail-dev/handrail/lessons/terms"
)

// ErrFrontmatter reports that a file's frontmatter cannot be edited safely: it is not closed,
// not YAML, or written in a way that an edit by line would break.
var ErrFrontmatter = errors.New("frontmatter cannot be edited safely")

// ErrConflicted reports that a card holds conflict markers of git.
var ErrConflicted = errors.New("the card holds conflict markers")

// Bump returns src with occurrences one higher and last-seen on the given day. Only those
// two lines differ; every other byte stays as it is. A file without frontmatter gets one.
func Bump(src []byte, on Date) ([]byte, error) {
	c, _ := Parse(editedAs, src)
	n := c.Occurrences + 1
	is := func(c Card) bool { return c.Occurrences == n && c.LastSeen == on }
	return setRead(src, is, value{"occurrences", strconv.Itoa(n)}, value{"last-seen", on.String()})
}

// SetStatus returns src with another status. Archiving notes the day, restoring forgets it; only the lines of status,
// archived-at and quarantine-reason, which goes, differ. A file that has the status already is returned as it is.
func SetStatus(src []byte, status Status, on Date) ([]byte, error) {
	c, _ := Parse(editedAs, src)
	switch {
	case c.Status == status:
		return src, nil
	case status != Archived:
		on = Date{}
	}
	is := func(c Card) bool { return c.Status == status && c.Quarantine == "" && c.ArchivedAt == on }
	return setRead(src, is, value{"status", string(status)}, value{"archived-at", on.String()}, value{"quarantine-reason", ""})
}

// MaxReason bounds the reason for a quarantine, in characters.
const MaxReason = 300

// SetQuarantine returns src with the status quarantined and the reason for it, on one line of at most MaxReason
// characters. Only the lines of status, archived-at and quarantine-reason differ. SetStatus lifts the quarantine.
func SetQuarantine(src []byte, reason string) ([]byte, error) {
	c, _ := Parse(editedAs, src)
	reason = oneLine(terms.Normalize(reason))
	if c.Status == Quarantined && c.Quarantine == reason {
		return src, nil
	}
	out, err := setValues(src, value{"quarantine-reason", ""}, value{"archived-at", ""}) // the new value may need other quotes
	if err != nil {
		return nil, err
	}
	is := func(c Card) bool { return c.Status == Quarantined && c.Quarantine == reason && c.ArchivedAt.IsZero() }
	return setRead(out, is, value{"status", string(Quarantined)}, value{"quarantine-reason", quoteYAML(reason)})
}

// SetVerified returns src with verified true or false; a card that says so already is returned as it is.
func SetVerified(src []byte, verified bool) ([]byte, error) {
	if c, _ := Parse(editedAs, src); c.Verified == verified {
		return src, nil
	}
	text := "true"
	if !verified {
		text = ""
	}
	return setRead(src, func(c Card) bool { return c.Verified == verified }, value{"verified", text})
}

// editedAs is the path by which a card is read while it is edited.
const editedAs = "lessons/card.md"

// setRead is setValues for values that must be read back so that is holds.
func setRead(src []byte, is func(Card) bool, values ...value) ([]byte, error) {
	out, err := setValues(src, values...)
	if err != nil {
		return nil, err
	}
	if after, _ := Parse(editedAs, out); !is(after) {
		return nil, fmt.Errorf("%w: the new values would not be read back", ErrFrontmatter)
	}
	return out, nil
}

// SetTitle returns src with another title: in the frontmatter, and as the heading of a draft that asks for one.
func SetTitle(src []byte, title string) ([]byte, error) {
	title = titleText(title)
	for _, lang := range []string{"en", "ko"} {
		src = bytes.Replace(src, []byte("# "+untitled(lang)), []byte("# "+headingText(title, lang)), 1)
	}
	return setRead(src, func(c Card) bool { return c.Title == title }, value{"title", quoteYAML(title)})
}

// value is one key to be set; an empty text takes the key's line out.
type value struct{ key, text string }

// setValues edits the frontmatter by the positions of its values.
func setValues(src []byte, values ...value) ([]byte, error) {
	if len(src) > MaxFile {
		return nil, fmt.Errorf("%w: the file is too large", ErrFrontmatter)
	}
	if hasConflict(src) {
		return nil, ErrConflicted
	}
	fm, _ := splitFrontmatter(src)
	if !fm.open {
		return addFrontmatter(src, values), nil
	}
	if !fm.closed {
		return nil, fmt.Errorf("%w: no closing ---", ErrFrontmatter)
	}
	pairs, err := mapping(fm.yaml)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrFrontmatter, firstLine(err.Error()))
	}
	lines := bytes.SplitAfter(fm.yaml, []byte("\n"))
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	var added [][]byte
	eol := lineEnding(src)
	for _, v := range values {
		p := lastPair(pairs, v.key)
		switch {
		case p == nil && v.text == "":
		case p == nil && len(pairs) > 0 && pairs[0].IsFlowStyle:
			return nil, fmt.Errorf("%w: it is written on one line", ErrFrontmatter)
		case p == nil:
			indent := ""
			if len(pairs) > 0 {
				indent = strings.Repeat(" ", max(0, pairs[0].Key.GetToken().Position.Column-1))
			}
			added = append(added, []byte(indent+v.key+": "+v.text+eol))
		default:
			if err := setLine(lines, p, v); err != nil {
				return nil, err
			}
		}
	}
	if n := len(lines); n > 0 && len(added) > 0 && !bytes.HasSuffix(lines[n-1], []byte("\n")) {
		return nil, fmt.Errorf("%w: unexpected end", ErrFrontmatter)
	}
	out := make([]byte, 0, len(src)+64)
	out = append(out, src[:fm.start]...)
	for _, l := range append(lines, added...) {
		out = append(out, l...)
	}
	return append(out, src[fm.start+len(fm.yaml):]...), nil
}

// setLine replaces the value of one key in its line, in place.
func setLine(lines [][]byte, p *ast.MappingValueNode, v value) error {
	tok := p.Key.GetToken()
	n := tok.Position.Line - 1
	if n < 0 || n >= len(lines) {
		return fmt.Errorf("%w: %s is out of place", ErrFrontmatter, v.key)
	}
	val, ok := p.Value.(ast.ScalarNode)
	if _, null := p.Value.(*ast.NullNode); null {
		val, ok = nil, true
	}
	if !ok || val != nil && val.GetToken().Position.Line-1 != n {
		return fmt.Errorf("%w: the value of %s is not a plain one", ErrFrontmatter, v.key)
	}
	line := lines[n]
	from, to, ok := valueSpan(line, p)
	if !ok {
		return fmt.Errorf("%w: the line of %s is not understood", ErrFrontmatter, v.key)
	}
	if v.text == "" {
		if rest := bytes.TrimSpace(bytes.TrimLeft(line[to:], `"'`)); len(rest) > 0 && rest[0] != '#' || p.IsFlowStyle {
			return fmt.Errorf("%w: the line of %s holds more than one key", ErrFrontmatter, v.key)
		}
		lines[n] = nil
		return nil
	}
	text := v.text
	if from == to && from > 0 && line[from-1] == ':' {
		text = " " + text // "key:" without a value
	}
	lines[n] = bytes.Join([][]byte{line[:from], []byte(text), line[to:]}, nil)
	return nil
}

// valueSpan returns the bytes of a line that hold the value of an entry: quotes, comments,
// commas and closing braces are left out.
func valueSpan(line []byte, p *ast.MappingValueNode) (from, to int, ok bool) {
	key := 0
	for range p.Key.GetToken().Position.Column - 1 { // in characters
		_, size := utf8.DecodeRune(line[min(key, len(line)):])
		key += size
	}
	colon := bytes.IndexByte(line[min(key, len(line)):], ':')
	if colon < 0 || !bytes.Contains(line[key:key+colon], []byte(keyOf(p))) {
		return 0, 0, false
	}
	end := key + colon + 1
	written := strings.TrimSpace(p.Value.GetToken().Origin)
	from = end + len(line[end:]) - len(bytes.TrimLeft(line[end:], " \t"))
	_, null := p.Value.(*ast.NullNode)
	switch {
	case written == "" || !bytes.HasPrefix(line[from:], []byte(written)):
		return end, end, null
	case strings.ContainsAny(written[:1], "&*!|>[{"):
		return 0, 0, false
	case len(written) > 1 && (written[0] == '"' || written[0] == '\''): // they stay
		return from + 1, from + len(written) - 1, true
	}
	return from, from + len(written), true
}

// lastPair returns the entry of a key; of two with the same name the last one counts, as it does for the reader.
func lastPair(pairs []*ast.MappingValueNode, key string) *ast.MappingValueNode {
	for _, p := range slices.Backward(pairs) {
		if keyOf(p) == key {
			return p
		}
	}
	return nil
}

// lineEnding returns what ends the first line of a file.
func lineEnding(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// addFrontmatter puts a frontmatter before a text that has none.
func addFrontmatter(src []byte, values []value) []byte {
	eol := lineEnding(src)
	mark := ""
	if bytes.HasPrefix(src, bom) {
		mark, src = string(bom), src[len(bom):]
	}
	var b strings.Builder
	b.WriteString(mark + "---" + eol)
	for _, v := range values {
		if v.text != "" {
			b.WriteString(v.key + ": " + v.text + eol)
		}
	}
	b.WriteString("---" + eol)
	return append([]byte(b.String()), src...)
}
