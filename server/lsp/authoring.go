package lsp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"go.lsp.dev/protocol"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server"
)

// Help while a card is written: completion, hover and code actions.
// Nothing here writes a file; what changes text is an edit that the editor applies.

func (s *session) completion(ctx context.Context, p protocol.CompletionParams) (*protocol.CompletionList, error) {
	list := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	doc, b, rel, ok := s.document(p.TextDocument.URI)
	if !ok {
		return list, nil
	}
	at := doc.offset(p.Position)
	start := strings.LastIndexByte(doc.text[:at], '\n') + 1
	typed := doc.text[start:at]
	if from, to := frontmatter(doc.text); from <= start && at <= to {
		items, err := s.frontmatterItems(ctx, b, doc, from, start, typed)
		list.Items = append(list.Items, items...)
		return list, err
	}
	card, _ := lessons.Parse(rel, []byte(doc.text))
	if strings.Trim(typed, "# ") != "" && !strings.HasPrefix(typed, "#") {
		return list, nil
	}
	lang := s.language(doc, card)
	for i, name := range missing(card) {
		list.Items = append(list.Items, item(doc, start, at, protocol.CompletionItemKindStruct, i, "## "+name.Heading(lang), "", ""))
	}
	return list, nil
}

// frontmatterItems offers keys at the start of a line and values behind one.
func (s *session) frontmatterItems(ctx context.Context, b *brain, doc document, from, start int, typed string) ([]protocol.CompletionItem, error) {
	at := start + len(typed)
	name, rest, found := strings.Cut(typed, ":")
	name = strings.TrimSpace(name)
	if strings.HasPrefix(name, "-") { // an item of a list below its key
		name, rest, found = keyAbove(doc.text[from:start]), strings.TrimPrefix(name, "-"), true
	}
	if !found {
		return s.keyItems(doc, from, start, at, typed), nil
	}
	cut := strings.LastIndexAny(rest, "[,") + 1
	value := strings.TrimLeft(rest[cut:], " \t")
	var items []protocol.CompletionItem
	offer := func(label, detail string) {
		items = append(items, item(doc, at-len(value), at, protocol.CompletionItemKindValue, len(items), label, detail, ""))
	}
	switch name {
	case "applies-to", "project":
		cards, err := b.Cards(ctx, server.CardFilter{})
		if err != nil {
			return nil, err
		}
		uses := map[string]int{}
		for _, c := range cards {
			if name == "project" {
				uses[c.Project]++
				continue
			}
			for _, tag := range c.Tags {
				uses[tag]++
			}
		}
		delete(uses, "")
		for _, has := range strings.FieldsFunc(rest[:cut], func(r rune) bool { return strings.ContainsRune("[,\"' ", r) }) {
			delete(uses, has)
		}
		for _, word := range slices.SortedFunc(maps.Keys(uses), func(x, y string) int { return cmp.Or(uses[y]-uses[x], cmp.Compare(x, y)) }) {
			offer(word, s.say(textUses, uses[word]))
		}
	case "last-seen", "archived-at":
		offer(lessons.DateOf(s.Now()).String(), "")
	default:
		for _, k := range cardKeys() {
			if k.name != name {
				continue
			}
			for _, v := range k.values {
				offer(v, "")
			}
		}
	}
	return items, nil
}

// keyItems offers the keys that the frontmatter does not have yet.
func (s *session) keyItems(doc document, from, start, at int, typed string) []protocol.CompletionItem {
	if strings.TrimLeft(typed, " \t") != typed {
		return nil // inside a list or a nested value
	}
	_, to := frontmatter(doc.text)
	has := map[string]bool{}
	for line := range strings.Lines(doc.text[from:to]) {
		if key, _, found := strings.Cut(line, ":"); found {
			has[key] = true
		}
	}
	var items []protocol.CompletionItem
	for _, k := range cardKeys() {
		if !has[k.name] {
			items = append(items, item(doc, start, at, protocol.CompletionItemKindProperty, len(items), k.name+": ", "", s.say(k.help)))
		}
	}
	return items
}

// item makes a completion that replaces the bytes from start up to end; n keeps the order.
func item(doc document, start, end int, kind protocol.CompletionItemKind, n int, insert, detail, help string) protocol.CompletionItem {
	c := protocol.CompletionItem{
		Label: strings.TrimSuffix(insert, ": "), Kind: kind,
		SortText:   protocol.NewOptional(fmt.Sprintf("%03d", n)),
		FilterText: protocol.NewOptional(insert),
		TextEdit:   &protocol.TextEdit{Range: doc.span(start, end), NewText: insert},
	}
	if detail != "" {
		c.Detail = protocol.NewOptional(detail)
	}
	if help != "" {
		c.Documentation = protocol.String(help)
	}
	return c
}

// frontmatter returns the bytes between the two fences, or an empty span in front of
// everything when there is none. One that is still open reaches to the end.
func frontmatter(text string) (from, to int) {
	first, _, found := strings.Cut(text, "\n")
	if strings.TrimRight(strings.TrimPrefix(first, "\ufeff"), " \t\r") != "---" || !found {
		return -1, -1
	}
	from = len(first) + 1
	at := from
	for line := range strings.Lines(text[from:]) {
		if strings.TrimRight(line, " \t\r\n") == "---" {
			return from, at - 1
		}
		at += len(line)
	}
	return from, at
}

// keyAbove returns the key whose list the last line of text is in.
func keyAbove(text string) string {
	lines := strings.Split(text, "\n")
	for _, line := range slices.Backward(lines) {
		if key, _, found := strings.Cut(line, ":"); found && strings.TrimLeft(line, " \t-") == line {
			return key
		}
	}
	return ""
}

// missing returns the sections that a card lacks, in the template's order.
func missing(card lessons.Card) []lessons.SectionName {
	return slices.DeleteFunc(lessons.SectionNames(), func(name lessons.SectionName) bool {
		_, has := card.Section(name)
		return has
	})
}

// language returns the language a card is written in: that of its headings, else of its
// title, else the person's.
func (s *session) language(doc document, card lessons.Card) string {
	sample := card.Title
	if len(card.Sections) > 0 {
		start, end := doc.bounds(card.Sections[0].Line)
		sample = doc.text[start:end]
	}
	switch {
	case strings.ContainsFunc(sample, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }):
		return string(server.Korean)
	case strings.ContainsFunc(sample, unicode.IsLetter):
		return string(server.English)
	}
	return string(s.locale)
}

func (s *session) hover(ctx context.Context, p protocol.HoverParams) (*protocol.Hover, error) {
	doc, b, rel, ok := s.document(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	start, end := doc.bounds(1 + int(p.Position.Line))
	_, to := frontmatter(doc.text)
	card, _ := lessons.Parse(rel, []byte(doc.text))
	if body := max(0, to); body+strings.Index("\n"+doc.text[body:], "\n# ") == start && card.Kind.IsCard() { // the title
		return b.similarHover(ctx, rel, doc.span(start, end))
	}
	return nil, nil
}

// similarHover names the cards most similar to one, as links where the editor shows markdown.
func (b *brain) similarHover(ctx context.Context, rel string, at protocol.Range) (*protocol.Hover, error) {
	similar, err := b.Similar(ctx, rel)
	if err != nil || len(similar) == 0 {
		return nil, nil // a card that is not saved yet has none
	}
	kind, text := protocol.MarkupKindPlainText, b.s.say(textSimilar)
	if b.s.client.markdown {
		kind = protocol.MarkupKindMarkdown
	}
	for _, h := range similar {
		if b.s.client.markdown {
			text += fmt.Sprintf("\n- [%s](<%s>)", lessons.EscapeMarkdown(h.Title), b.uri(h.Path))
		} else {
			text += fmt.Sprintf("\n- %s · %s", h.Title, h.Path)
		}
	}
	return &protocol.Hover{Contents: &protocol.MarkupContent{Kind: kind, Value: text}, Range: &at}, nil
}

func (s *session) codeActions(_ context.Context, p protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	doc, b, rel, ok := s.document(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	card, _ := lessons.Parse(rel, []byte(doc.text))
	if !card.Kind.IsCard() {
		return nil, nil
	}
	disk, err := b.Brain().Read(card.Path)
	saved := err == nil && string(disk) == doc.text
	problems := b.Diagnose(rel, []byte(doc.text))
	f := fixer{s: s, b: b, doc: doc, card: card, saved: saved}
	var actions []protocol.CodeAction
	if card.Status == lessons.Conflicted {
		actions, problems = s.conflictActions(doc, problems), nil
	}
	for _, problem := range problems {
		if line := doc.line(problem.Line); line.Start.Line <= p.Range.End.Line && p.Range.Start.Line <= line.End.Line {
			actions = append(actions, f.fixes(problem)...)
		}
	}
	if card.Status != lessons.Conflicted {
		actions = append(actions, s.checkActions(doc, card, p.Range)...)
	}
	return slices.DeleteFunc(actions, func(a protocol.CodeAction) bool { return !wanted(*a.Kind, p.Context.Only) }), nil
}

// wanted reports whether a kind of action was asked for; kinds are hierarchical.
func wanted(kind protocol.CodeActionKind, only []protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o protocol.CodeActionKind) bool {
		return o == "" || kind == o || strings.HasPrefix(string(kind), string(o)+".")
	})
}

// conflictActions settle the conflicts of a card, where nothing has to be chosen.
func (s *session) conflictActions(doc document, problems []lessons.Problem) []protocol.CodeAction {
	after, ok := lessons.Settle([]byte(doc.text))
	if !ok {
		return nil
	}
	a := s.edit(doc, s.say(textSettle), protocol.CodeActionKindQuickFix, difference(doc, string(after)))
	for _, p := range problems {
		if p.Code == lessons.ConflictMarkers {
			a.Diagnostics = append(a.Diagnostics, s.diagnostic(doc, p))
		}
	}
	return []protocol.CodeAction{a}
}

// insert puts a section in front of the first one that follows it in the template, else
// at the end.
func insert(doc document, card lessons.Card, name lessons.SectionName, lang string) protocol.TextEdit {
	order := lessons.SectionNames()
	at, lead, tail := len(doc.text), "\n", ""
	if !strings.HasSuffix(doc.text, "\n") {
		lead = "\n\n"
	}
	for _, other := range card.Sections {
		if slices.Index(order, other.Name) > slices.Index(order, name) {
			at, _ = doc.bounds(other.Line)
			lead, tail = "", "\n"
			break
		}
	}
	text := lead + "## " + name.Heading(lang) + "\n\n" + name.Placeholder(lang) + "\n" + tail
	if strings.Contains(doc.text, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return protocol.TextEdit{Range: doc.span(at, at), NewText: text}
}

// difference returns the edits that make a document's text into another: one for each
// changed line, or one for the changed stretch when lines were added or removed.
func difference(doc document, after string) []protocol.TextEdit {
	was, is := strings.SplitAfter(doc.text, "\n"), strings.SplitAfter(after, "\n")
	var edits []protocol.TextEdit
	if len(was) == len(is) {
		at := 0
		for i, line := range was {
			if line != is[i] {
				edits = append(edits, protocol.TextEdit{Range: doc.span(at, at+len(line)), NewText: is[i]})
			}
			at += len(line)
		}
		return edits
	}
	from, to, end := 0, len(doc.text), len(after)
	for i := 0; i < min(len(was), len(is)) && was[i] == is[i]; i++ {
		from += len(was[i])
	}
	for i := 1; to > from && end > from && was[len(was)-i] == is[len(is)-i]; i++ {
		n := len(was[len(was)-i])
		if to-n < from || end-n < from {
			break
		}
		to, end = to-n, end-n
	}
	return []protocol.TextEdit{{Range: doc.span(from, to), NewText: after[from:end]}}
}

// edit makes a code action of text edits to one document, bound to its version.
func (s *session) edit(doc document, title string, kind protocol.CodeActionKind, edits []protocol.TextEdit) protocol.CodeAction {
	elements := make([]protocol.TextDocumentEditElement, len(edits))
	for i := range edits {
		elements[i] = &edits[i]
	}
	e := &protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{&protocol.TextDocumentEdit{
		TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: doc.uri}, Version: &doc.version,
		},
		Edits: elements,
	}}}
	return protocol.CodeAction{Title: title, Kind: &kind, Edit: e}
}
