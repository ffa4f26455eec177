package lsp

import (
	"regexp"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/handrail-dev/handrail/lessons"
)

// Help with the checks that items carry (docs/verdicts.md).

// maxExample bounds the text that a check is made of, in bytes; a pattern has 1,000.
const maxExample = 300

var itemMark = regexp.MustCompile(`^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]`)

// itemAt returns the item that a 1-based line belongs to, its fence included.
func itemAt(doc document, card lessons.Card, line int) (it lessons.Item, ok bool) {
	for _, i := range card.Items {
		if i.Line <= line && (!ok || i.Line > it.Line) {
			it, ok = i, true
		}
	}
	for n := it.Line + 1; ok && n <= line; n++ {
		start, end := doc.bounds(n)
		inFence := it.CheckLine > 0 && it.CheckLine-1 <= n && n <= it.CheckLine+strings.Count(it.Check, "\n")
		ok = inFence || start < end && (doc.text[start] == ' ' || doc.text[start] == '\t')
	}
	return it, ok
}

// fence returns a check that forbids a text, indented as what belongs to the item. Its own
// example is the text itself, so that it runs as it stands.
func fence(doc document, it lessons.Item, forbidden string) string {
	start, end := doc.bounds(it.Line)
	mark := itemMark.FindString(doc.text[start:end])
	indent := strings.Repeat(" ", max(2, len(strings.ReplaceAll(mark, "\t", "    "))))
	quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	lines := []string{"```check", "forbid: " + quoted(regexp.QuoteMeta(forbidden)), "matches: [" + quoted(forbidden) + "]", "```"}
	eol := "\n"
	if strings.Contains(doc.text, "\r\n") {
		eol = "\r\n"
	}
	return indent + strings.Join(lines, eol+indent)
}

// checkActions write a check that forbids the selected text into the item it stands in; where
// nothing is selected, the first code that the item names.
func (s *session) checkActions(doc document, card lessons.Card, r protocol.Range) []protocol.CodeAction {
	from, to := doc.offset(r.Start), doc.offset(r.End)
	it, ok := itemAt(doc, card, 1+strings.Count(doc.text[:from], "\n"))
	selected := strings.TrimSpace(doc.text[from:max(from, to)])
	if !ok || to > from && selected == "" {
		return nil
	}
	edit, text, ok := checkOf(doc, it, selected)
	if !ok {
		return nil
	}
	title := s.say(textWriteCheck)
	if selected == "" {
		title = s.say(textWriteCheckFor, text)
	}
	return []protocol.CodeAction{s.edit(doc, title, protocol.CodeActionKindRefactor, []protocol.TextEdit{edit})}
}

var codeSpan = regexp.MustCompile("`([^`\\s][^`\r\n]*)`")

// checkOf returns the edit that writes a check into an item which has none, and the text that
// it forbids: the given one, else the first code that the item names.
func checkOf(doc document, it lessons.Item, text string) (edit protocol.TextEdit, forbidden string, ok bool) {
	line := it.Line // the last of the item's own text
	for n := line + 1; n <= 1+strings.Count(doc.text, "\n"); n++ {
		start, end := doc.bounds(n)
		next := doc.text[start:end]
		if strings.TrimSpace(next) == "" || itemMark.MatchString(next) || next[0] != ' ' && next[0] != '\t' {
			break
		}
		line = n
	}
	start, _ := doc.bounds(it.Line)
	_, end := doc.bounds(line)
	if code := codeSpan.FindStringSubmatch(doc.text[start:end]); text == "" && code != nil {
		text = strings.TrimSpace(code[1])
	}
	if it.CheckLine > 0 || text == "" || len(text) > maxExample || strings.ContainsAny(text, "\r\n") {
		return edit, "", false
	}
	eol := "\n"
	if strings.Contains(doc.text, "\r\n") {
		eol = "\r\n"
	}
	return protocol.TextEdit{Range: doc.span(end, end), NewText: eol + fence(doc, it, text)}, text, true
}
