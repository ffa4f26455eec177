package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/desk"
)

// What an editor runs itself when a lens is chosen, where it said at initialize that it can.
const (
	listCommand  = "handrail.lessons.here"   // chooses one of the cards whose paths are its arguments
	modelCommand = "handrail.lesson.suggest" // asks a model what the card lacks whose URI is its argument
)

// registerLenses asks for questions about every file: the editor's own choice is the files it tells the text of.
func (s *session) registerLenses() {
	selector := protocol.DocumentSelector{&protocol.TextDocumentFilterScheme{Scheme: "file"}}
	raw, err := encode(&protocol.CodeLensRegistrationOptions{
		TextDocumentRegistrationOptions: protocol.TextDocumentRegistrationOptions{DocumentSelector: &selector},
	})
	if err == nil {
		err = protocol.ClientDispatcher(s.conn).RegisterCapability(s.base, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: "handrail-lenses", Method: protocol.MethodTextDocumentCodeLens, RegisterOptions: protocol.LSPAny(raw),
		}}})
	}
	if err != nil {
		s.Log.Info("the editor shows no lenses", "err", err)
	}
}

// refreshLenses has the editor ask for the lenses of the files it shows again.
func (s *session) refreshLenses() {
	if !s.client.lensRefresh || s.lensesDue.Swap(true) {
		return
	}
	s.after(s.initDone, func() { // before, the protocol allows no request of ours
		s.lensesDue.Store(false)
		if err := protocol.ClientDispatcher(s.conn).CodeLensRefresh(s.base); err != nil && s.base.Err() == nil {
			s.Log.Debug("lenses are not asked for again", "err", err)
		}
	})
}

// codeLenses offers over a card to ask a model for what it lacks, or says how many cards are about another file.
// Where the editor has no command for one, a lens says it and runs nothing.
func (s *session) codeLenses(ctx context.Context, p protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	b, rel, isCard := s.card(p.TextDocument.URI)
	if !isCard {
		return s.fileLenses(ctx, p.TextDocument.URI)
	}
	doc, _, _, ok := s.document(p.TextDocument.URI)
	lacks := func(p lessons.Problem) bool {
		return p.Code == lessons.MissingRootCause || p.Code == lessons.MissingChecklist
	}
	if !ok || s.limited || !slices.Contains(s.commands, modelCommand) || !slices.ContainsFunc(b.Diagnoser()(rel, []byte(doc.text)), lacks) {
		return nil, nil
	}
	return []protocol.CodeLens{{Range: doc.line(1), Command: s.command(s.say(textSuggest), modelCommand, doc.uri)}}, nil
}

// fileLenses says over a file that active cards are about it.
func (s *session) fileLenses(ctx context.Context, file uri.URI) ([]protocol.CodeLens, error) {
	b, err := s.opened()
	if err != nil || s.limited || s.noLens || !file.IsFile() {
		return nil, nil //nolint:nilerr // without a brain there is nothing to say
	}
	cards, err := b.Cards(ctx, desk.CardFilter{File: b.real(file.FsPath()), Status: lessons.Active})
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, c := range cards {
		if c.Waits == "" {
			paths = append(paths, c.Path)
		}
	}
	title := s.say(textApplies, len(paths))
	switch len(paths) {
	case 0:
		return nil, nil
	case 1:
		title = s.say(textApplies1)
	}
	return []protocol.CodeLens{{Command: s.command(title, listCommand, paths)}}, nil
}

// command makes the command of a lens, without an action where the editor has none.
func (s *session) command(title, name string, arg any) protocol.Command {
	c := protocol.Command{Title: title}
	if raw, err := encode(arg); err == nil && slices.Contains(s.commands, name) {
		c.Command, c.Arguments = name, []protocol.LSPAny{protocol.LSPAny(raw)}
	}
	return c
}
