package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
)

// document is the editor's text of one file, saved or not. It never enters the index; it
// feeds diagnostics and help while typing. The value does not change: an edit makes a new one.
type document struct {
	uri     uri.URI
	version int32
	text    string
}

func (s *session) didOpen(_ context.Context, p protocol.DidOpenTextDocumentParams) error {
	d := p.TextDocument
	if markdown(d.URI) {
		s.hold(document{uri: d.URI, version: d.Version, text: d.Text})
	}
	return nil
}

func (s *session) didChange(_ context.Context, p protocol.DidChangeTextDocumentParams) error {
	s.mu.Lock()
	doc, ok := s.docs[p.TextDocument.URI]
	s.mu.Unlock()
	if !ok {
		return nil
	}
	for _, c := range p.ContentChanges {
		if c, whole := c.(*protocol.TextDocumentContentChangeWholeDocument); whole { // all that was offered
			doc.text = c.Text
		}
	}
	doc.version = p.TextDocument.Version
	s.hold(doc)
	return nil
}

func (s *session) didClose(_ context.Context, p protocol.DidCloseTextDocumentParams) error {
	s.mu.Lock()
	delete(s.docs, p.TextDocument.URI)
	s.mu.Unlock()
	s.diagnose(p.TextDocument.URI)
	return nil
}

// willSave makes a draft active when a person saves it, it clears the quality bar and no card
// has its title: the save is the person's word. Saving by the clock or by losing the focus is not.
func (s *session) willSave(_ context.Context, p protocol.WillSaveTextDocumentParams) ([]protocol.TextEdit, error) {
	doc, b, rel, ok := s.document(p.TextDocument.URI)
	if !ok || p.Reason != protocol.TextDocumentSaveReasonManual {
		return nil, nil
	}
	card, _ := lessons.Parse(rel, []byte(doc.text))
	twin := func(p lessons.Problem) bool { return p.Code == brain.DuplicateTitle }
	if card.Status != lessons.Drafted || len(card.Weaknesses()) > 0 || slices.ContainsFunc(b.Diagnoser()(rel, []byte(doc.text)), twin) {
		return nil, nil
	}
	after, err := lessons.SetStatus([]byte(doc.text), lessons.Active, lessons.DateOf(s.Now()))
	if err != nil {
		return nil, fmt.Errorf("make %s active: %w", rel, err)
	}
	return difference(doc, string(after)), nil
}

func (s *session) didSave(ctx context.Context, p protocol.DidSaveTextDocumentParams) error {
	if b, _, ok := s.card(p.TextDocument.URI); ok {
		b.FilesChanged(b.real(p.TextDocument.URI.FsPath()))
	}
	doc, b, rel, ok := s.document(p.TextDocument.URI)
	if !ok || !s.client.renames {
		return nil
	}
	// What lies on disk counts: an editor in a hurry saves without waiting for willSave, and
	// a draft that only its buffer calls active stays where it is until the next save.
	saved, err := b.Brain().Read(rel)
	if err != nil {
		return fmt.Errorf("read %s after it was saved: %w", rel, err)
	}
	card, _ := lessons.Parse(rel, saved)
	if to, ok := b.Brain().LeavesDrafts(card); ok {
		s.rename(doc.uri, b.uri(to), func() error { return b.Promoted(rel, to) })
	}
	return nil
}

// rename asks the editor to move a file, so that whoever has it open keeps it open. It calls moved once the editor did.
func (s *session) rename(from, to uri.URI, moved func() error) {
	edit := protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{&protocol.RenameFile{
		Kind: "rename", OldURI: from, NewURI: to, Options: &protocol.RenameFileOptions{Overwrite: new(false)},
	}}}
	s.work.spawn(s.Log, func() {
		r, err := protocol.ClientDispatcher(s.conn).ApplyEdit(s.base, &protocol.ApplyWorkspaceEditParams{Edit: edit})
		if err != nil || r == nil || !r.Applied {
			s.Log.Info("the card stays among the drafts", "file", from, "err", err)
		} else if err := moved(); err != nil {
			s.Log.Warn("undo does not know of it", "err", err)
		}
	})
}

func (s *session) hold(doc document) {
	s.mu.Lock()
	s.docs[doc.uri] = doc
	s.mu.Unlock()
	s.diagnose(doc.uri)
}

// document returns an open document of the brain and its name there. For every other file
// ok is false, and what was asked has an empty answer.
func (s *session) document(u uri.URI) (doc document, b *openBrain, rel string, ok bool) {
	b, rel, ok = s.card(u)
	s.mu.Lock()
	defer s.mu.Unlock()
	doc, held := s.docs[u]
	return doc, b, rel, ok && held
}

// card returns the name of a markdown file in the brain.
func (s *session) card(u uri.URI) (b *openBrain, rel string, ok bool) {
	b, err := s.opened()
	if err != nil || !markdown(u) {
		return nil, "", false
	}
	rel, err = b.Brain().Rel(b.real(u.FsPath()))
	return b, rel, err == nil && b.Brain().Counts(rel)
}

func markdown(u uri.URI) bool { return u.IsFile() && lessons.IsMarkdown(u.FsPath()) }

// diagnose publishes what is wrong with a document. The text is read when the notice is
// sent, so a fast typist gets one answer for the last version and not one for each.
func (s *session) diagnose(u uri.URI) {
	s.out.add(notice{
		method: protocol.MethodTextDocumentPublishDiagnostics,
		key:    protocol.MethodTextDocumentPublishDiagnostics + " " + string(u),
		params: func() any { return s.diagnostics(u) },
	})
}

// diagnostics returns what to publish about a document: nothing is wrong with one that was closed, or is no card's.
func (s *session) diagnostics(u uri.URI) any {
	list := []protocol.Diagnostic{}
	doc, b, rel, ok := s.document(u)
	if !ok {
		return &protocol.PublishDiagnosticsParams{URI: u, Diagnostics: list}
	}
	for _, p := range b.Diagnoser()(rel, []byte(doc.text)) {
		d := s.diagnostic(doc, p)
		if p.Code == brain.DuplicateTitle && len(p.Args) > 0 {
			d.RelatedInformation = []protocol.DiagnosticRelatedInformation{{
				Location: protocol.Location{URI: b.uri(p.Args[0])}, Message: p.Args[0],
			}}
		}
		list = append(list, d)
	}
	return &protocol.PublishDiagnosticsParams{URI: u, Version: protocol.NewOptional(doc.version), Diagnostics: list}
}

func (s *session) diagnostic(doc document, p lessons.Problem) protocol.Diagnostic {
	severity := protocol.DiagnosticSeverityWarning
	switch p.Severity {
	case lessons.Error:
		severity = protocol.DiagnosticSeverityError
	case lessons.Info:
		severity = protocol.DiagnosticSeverityInformation
	case lessons.Hint:
		severity = protocol.DiagnosticSeverityHint
	}
	return protocol.Diagnostic{
		Range: doc.line(p.Line), Severity: severity, Code: protocol.String(p.Code),
		Source: protocol.NewOptional("handrail"), Message: protocol.String(s.locale.Problem(p)),
	}
}

// position returns the protocol's name for a byte of the text, which counts UTF-16 units of a line.
func (d document) position(offset int) protocol.Position {
	text := d.text[:offset]
	last := text[strings.LastIndexByte(text, '\n')+1:]
	return protocol.Position{Line: uint32(strings.Count(text, "\n")), Character: uint32(len(utf16.Encode([]rune(last))))}
}

// span returns the protocol's range for the bytes from start up to end.
func (d document) span(start, end int) protocol.Range {
	return protocol.Range{Start: d.position(start), End: d.position(end)}
}

// bounds returns the bytes of a 1-based line as package lessons counts them, which is by
// \n alone, without the line's end. Line 0 and lines behind the text mean the nearest.
func (d document) bounds(line int) (start, end int) {
	for n := 1; n < line; n++ {
		i := strings.IndexByte(d.text[start:], '\n')
		if i < 0 {
			break
		}
		start += i + 1
	}
	end = len(d.text)
	if i := strings.IndexByte(d.text[start:], '\n'); i >= 0 {
		end = start + i
	}
	if end > start && d.text[end-1] == '\r' {
		end--
	}
	return start, end
}

// line returns the range of a line without its indent.
func (d document) line(n int) protocol.Range {
	start, end := d.bounds(n)
	text := d.text[start:end]
	return d.span(end-len(strings.TrimLeft(text, " \t")), end)
}
