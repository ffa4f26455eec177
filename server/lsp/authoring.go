package lsp

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/handrail-dev/handrail/lessons"
)

// Help while a card is written: hover and code actions.
// Nothing here writes a file; what changes text is an edit that the editor applies.

// hover names the cards most similar to one over its title, as links where the editor shows markdown.
func (s *session) hover(ctx context.Context, p protocol.HoverParams) (*protocol.Hover, error) {
	doc, b, rel, ok := s.document(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	start, end := doc.bounds(1 + int(p.Position.Line))
	card, _ := lessons.Parse(rel, []byte(doc.text))
	if title, _ := lessons.Parse(rel, []byte(doc.text[start:end])); !strings.HasPrefix(doc.text[start:], "# ") || title.Title != card.Title || !card.Kind.IsCard() {
		return nil, nil
	}
	similar, err := b.Similar(ctx, rel)
	if err != nil || len(similar) == 0 {
		return nil, nil // a card that is not saved yet has none
	}
	kind, text := protocol.MarkupKindPlainText, s.say(textSimilar)
	if s.client.markdown {
		kind = protocol.MarkupKindMarkdown
	}
	for _, h := range similar {
		if s.client.markdown {
			text += fmt.Sprintf("\n- [%s](<%s>)", lessons.EscapeMarkdown(h.Title), b.uri(h.Path))
		} else {
			text += fmt.Sprintf("\n- %s · %s", h.Title, h.Path)
		}
	}
	return &protocol.Hover{Contents: &protocol.MarkupContent{Kind: kind, Value: text}, Range: new(doc.span(start, end))}, nil
}

// codeActions settle the conflicts of a card, where nothing has to be chosen.
func (s *session) codeActions(_ context.Context, p protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	doc, b, rel, ok := s.document(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	card, _ := lessons.Parse(rel, []byte(doc.text))
	after, ok := lessons.Settle([]byte(doc.text))
	if !ok || !card.Kind.IsCard() {
		return nil, nil
	}
	kind := protocol.CodeActionKindQuickFix
	a := protocol.CodeAction{Title: s.say(textSettle), Kind: &kind, Edit: s.edit(doc, difference(doc, string(after)))}
	for _, p := range b.Diagnoser()(rel, []byte(doc.text)) {
		if p.Code == lessons.ConflictMarkers {
			a.Diagnostics = append(a.Diagnostics, s.diagnostic(doc, p))
		}
	}
	return []protocol.CodeAction{a}, nil
}

// difference returns the edits that make a document's text into another, whole lines each.
func difference(doc document, after string) []protocol.TextEdit {
	var edits []protocol.TextEdit
	for _, e := range udiff.Lines(doc.text, after) {
		edits = append(edits, protocol.TextEdit{Range: doc.span(e.Start, e.End), NewText: e.New})
	}
	return edits
}

// edit makes an edit of one document, bound to its version.
func (s *session) edit(doc document, edits []protocol.TextEdit) *protocol.WorkspaceEdit {
	elements := make([]protocol.TextDocumentEditElement, len(edits))
	for i := range edits {
		elements[i] = &edits[i]
	}
	return &protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{&protocol.TextDocumentEdit{
		TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: doc.uri}, Version: &doc.version,
		},
		Edits: elements,
	}}}
}

// FillParams is what a model suggests for a card that is open in the editor.
type FillParams struct {
	URI       string   `json:"uri"`
	By        string   `json:"by"` // the model's name
	RootCause string   `json:"rootCause,omitempty"`
	Fix       string   `json:"fix,omitempty"`
	Checklist []string `json:"checklist,omitempty"`
}

// fill asks the editor to put into a card what it does not say itself; an editor that can has the
// person confirm it. Nothing is saved.
func (s *session) fill(_ context.Context, p FillParams) (Nothing, error) {
	doc, _, rel, ok := s.document(uri.URI(p.URI))
	if !ok {
		return Nothing{}, &lessons.PathError{Path: cmp.Or(rel, p.URI), Err: fs.ErrNotExist}
	}
	card, _ := lessons.Parse(rel, []byte(doc.text))
	suggested := lessons.Draft{Title: card.Title, Sections: map[lessons.SectionName]string{
		lessons.RootCause: strings.TrimSpace(p.RootCause), lessons.Fix: strings.TrimSpace(p.Fix),
	}}
	for _, item := range p.Checklist {
		if item := strings.Join(strings.Fields(item), " "); item != "" {
			suggested.Sections[lessons.Prevention] += "- [ ] " + item + "\n"
		}
	}
	edits := difference(doc, string(lessons.Fill([]byte(doc.text), suggested.Render())))
	if len(edits) == 0 {
		return Nothing{}, nil
	}
	edit := s.edit(doc, edits)
	if s.client.annotations {
		id := protocol.ChangeAnnotationIdentifier("suggested")
		edit.ChangeAnnotations = map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation{
			id: {Label: s.say(textSuggestedBy, p.By), NeedsConfirmation: new(true)},
		}
		for _, change := range edit.DocumentChanges {
			if change, ok := change.(*protocol.TextDocumentEdit); ok {
				for i, e := range change.Edits {
					if e, ok := e.(*protocol.TextEdit); ok {
						change.Edits[i] = &protocol.AnnotatedTextEdit{TextEdit: *e, AnnotationID: id}
					}
				}
			}
		}
	}
	s.work.spawn(s.Log, func() {
		if _, err := protocol.ClientDispatcher(s.conn).ApplyEdit(s.base, &protocol.ApplyWorkspaceEditParams{Edit: *edit}); err != nil {
			s.Log.Warn("the editor does not show what was suggested", "card", rel, "err", err)
		}
	})
	return Nothing{}, nil
}
