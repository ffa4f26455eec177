package lsp

import (
	"context"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"handrail/lessons/terms"
	"handrail/server"
)

// References and renames of tags and projects, over the whole brain.

// label is a tag or a project as a frontmatter has it, without its quotes.
type label struct {
	key      string // applies-to or project
	text     string
	from, to int // bytes of the value, with its quotes
	start    int // of its line
}

func (l label) is(key, text string) bool { return l.key == key && strings.EqualFold(l.text, text) }

// labelsOf returns the tags and the project of a card, in order. Values that go over several
// lines, and anchors, are none.
func labelsOf(text string) (out []label) {
	from, to := frontmatter(text)
	if from < 0 {
		return nil
	}
	key, at := "", from
	for line := range strings.Lines(text[from:max(from, to)]) {
		start := at
		at += len(line)
		values := 0
		if line[0] != ' ' && line[0] != '\t' && line[0] != '-' {
			name, _, found := strings.Cut(line, ":")
			if !found {
				continue
			}
			key, values = name, len(name)+1
		}
		if key != "applies-to" && key != "tags" && key != "project" {
			continue
		}
		if i := strings.Index(line[values:], " #"); i >= 0 {
			line = line[:values+i]
		}
		for values < len(line) {
			end := len(line)
			if i := strings.IndexByte(line[values:], ','); i >= 0 && key != "project" {
				end = values + i
			}
			value := strings.Trim(line[values:end], " \t\r\n[]")
			if values == 0 || strings.TrimSpace(line[:values]) == "" {
				value = strings.TrimLeft(strings.TrimPrefix(value, "-"), " \t")
			}
			plain := strings.Trim(value, `"'`)
			if plain != "" && !strings.ContainsAny(plain[:1], "&*|>{") {
				i := start + values + strings.Index(line[values:end], value)
				out = append(out, label{key, terms.Normalize(strings.ReplaceAll(plain, "''", "'")), i, i + len(value), start})
			}
			values = end + 1
		}
	}
	if own := func(l label) bool { return l.key == "applies-to" }; slices.ContainsFunc(out, own) { // it wins over tags, as where cards are read
		out = slices.DeleteFunc(out, func(l label) bool { return l.key == "tags" })
	}
	for i := range out {
		if out[i].key == "tags" {
			out[i].key = "applies-to"
		}
	}
	return out
}

// labelAt returns the label at a position of a card.
func (s *session) labelAt(u uri.URI, p protocol.Position) (doc document, b *brain, l label, ok bool) {
	doc, b, _, ok = s.document(u)
	if !ok {
		return doc, b, l, false
	}
	at := doc.offset(p)
	for _, l := range labelsOf(doc.text) {
		if l.from <= at && at <= l.to {
			return doc, b, l, true
		}
	}
	return doc, b, l, false
}

// labelled calls use for every card that has a label, with its text as the editor has it.
func (s *session) labelled(ctx context.Context, b *brain, l label, use func(doc document, open bool, places []label)) error {
	cards, err := b.Cards(ctx, server.CardFilter{})
	if err != nil {
		return err
	}
	open := map[string]document{}
	s.mu.Lock()
	docs := slices.Collect(maps.Values(s.docs))
	s.mu.Unlock()
	for _, doc := range docs {
		if _, rel, ok := s.card(doc.uri); ok {
			open[rel] = doc
		}
	}
	paths := slices.Collect(maps.Keys(open)) // a new card is in no index
	for _, c := range cards {
		has := l.key == "project" && strings.EqualFold(c.Project, l.text) || slices.ContainsFunc(c.Tags, func(t string) bool { return strings.EqualFold(t, l.text) })
		if _, held := open[c.Path]; has && !held {
			paths = append(paths, c.Path)
		}
	}
	slices.Sort(paths)
	for _, rel := range paths {
		doc, held := open[rel]
		if !held {
			src, err := b.Brain().Read(rel)
			if err != nil {
				continue // deleted a moment ago
			}
			doc = document{uri: b.uri(rel), text: string(src)}
		}
		places := slices.DeleteFunc(labelsOf(doc.text), func(o label) bool { return !o.is(l.key, l.text) })
		if len(places) > 0 {
			use(doc, held, places)
		}
	}
	return ctx.Err()
}

func (s *session) references(ctx context.Context, p protocol.ReferenceParams) ([]protocol.Location, error) {
	_, b, l, ok := s.labelAt(p.TextDocument.URI, p.Position)
	if !ok {
		return nil, nil
	}
	var out []protocol.Location
	err := s.labelled(ctx, b, l, func(doc document, _ bool, places []label) {
		for _, at := range places {
			out = append(out, protocol.Location{URI: doc.uri, Range: doc.span(at.from, at.to)})
		}
	})
	return out, err
}

func (s *session) prepareRename(_ context.Context, p protocol.PrepareRenameParams) (*protocol.PrepareRenamePlaceholder, error) {
	doc, _, l, ok := s.labelAt(p.TextDocument.URI, p.Position)
	if !ok {
		return nil, nil
	}
	return &protocol.PrepareRenamePlaceholder{Range: doc.span(l.from, l.to), Placeholder: l.text}, nil
}

// renameLabel gives a tag or a project another name in every card. A card that has the other
// tag already loses the old one.
func (s *session) renameLabel(ctx context.Context, p protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	_, b, l, ok := s.labelAt(p.TextDocument.URI, p.Position)
	if !ok {
		return nil, nil
	}
	name := strings.TrimSpace(p.NewName)
	if name == "" || strings.ContainsAny(name, "\r\n,") {
		return nil, s.errorWith(jsonrpc2.InvalidParams, s.say(textBadLabel), ErrorData{Code: "bad-request"})
	}
	spelled := name
	if strings.ContainsAny(name, `[]{}:#&*!|>'"%@`+"`") || strings.HasPrefix(name, "-") {
		spelled = "'" + strings.ReplaceAll(name, "'", "''") + "'"
	}
	var changes []protocol.DocumentChange
	plain := map[uri.URI][]protocol.TextEdit{}
	err := s.labelled(ctx, b, l, func(doc document, open bool, places []label) {
		twice := !strings.EqualFold(name, l.text) && slices.ContainsFunc(labelsOf(doc.text), func(o label) bool { return o.is(l.key, name) })
		edits := make([]protocol.TextEdit, len(places))
		elements := make([]protocol.TextDocumentEditElement, len(places))
		for i, at := range places {
			edits[i] = protocol.TextEdit{Range: doc.span(at.from, at.to), NewText: spelled}
			if twice {
				edits[i] = without(doc, at)
			}
			elements[i] = &edits[i]
		}
		id := protocol.OptionalVersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: doc.uri}}
		if open {
			id.Version = &doc.version
		}
		changes, plain[doc.uri] = append(changes, &protocol.TextDocumentEdit{TextDocument: id, Edits: elements}), edits
	})
	if s.client.versionedEdits {
		return &protocol.WorkspaceEdit{DocumentChanges: changes}, err
	}
	return &protocol.WorkspaceEdit{Changes: plain}, err
}

// without takes an entry out of a list: with a comma beside it, or with its line.
func without(doc document, l label) protocol.TextEdit {
	from, to := l.from, l.to
	before := strings.TrimRight(doc.text[l.start:from], " \t")
	after := strings.TrimLeft(doc.text[to:], " \t")
	switch {
	case strings.HasSuffix(before, ","):
		from = l.start + len(before) - 1
	case strings.HasPrefix(after, ","):
		to = len(doc.text) - len(strings.TrimLeft(after[1:], " \t"))
	case strings.TrimSpace(before) == "-":
		from = l.start
		if i := strings.IndexByte(doc.text[to:], '\n'); i >= 0 {
			to += i + 1
		}
	}
	return protocol.TextEdit{Range: doc.span(from, to)}
}
