package lsp

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/handrail-dev/handrail/lessons"
)

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
	suggested := lessons.Draft{Title: card.Title, Language: s.language(doc, card), Sections: map[lessons.SectionName]string{
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
	edit := s.edit(doc, "", protocol.CodeActionKindEmpty, edits).Edit
	if s.client.annotations {
		id, yes := protocol.ChangeAnnotationIdentifier("suggested"), true
		edit.ChangeAnnotations = map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation{
			id: {Label: s.say(textSuggestedBy, p.By), NeedsConfirmation: &yes},
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

// lacks reports whether a card wants a root cause or a checklist.
func (b *openBrain) lacks(rel string, doc document) bool {
	return slices.ContainsFunc(b.Diagnose(rel, []byte(doc.text)), func(p lessons.Problem) bool {
		return p.Code == lessons.MissingRootCause || p.Code == lessons.MissingChecklist
	})
}
