package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"handrail/lessons"
	"handrail/server"
)

// codeLenses returns what came of a card: over its head how often it was served and its mistake
// came back, over its checklist how often an answer kept all of it. They say it and run nothing.
func (s *session) codeLenses(ctx context.Context, p protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	doc, b, rel, ok := s.document(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	stats, err := b.Stats(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(stats.Cards, func(c server.CardStats) bool { return c.Path == rel })
	if i < 0 {
		return nil, nil // never served
	}
	use := stats.Cards[i]
	lens := func(line int, t text, args ...any) protocol.CodeLens {
		return protocol.CodeLens{Range: doc.line(line), Command: protocol.Command{Title: s.say(t, args...)}}
	}
	out := []protocol.CodeLens{lens(1, textServed, use.Served)}
	if use.Recurred > 0 {
		out = []protocol.CodeLens{lens(1, textServedAgain, use.Served, use.Recurred)}
	}
	card, _ := lessons.Parse(rel, []byte(doc.text))
	answers := use.Addressed + use.Unaddressed
	if list, there := card.Section(lessons.Prevention); there && list != "" && answers > 0 {
		at := slices.IndexFunc(card.Sections, func(sec lessons.Section) bool { return sec.Name == lessons.Prevention })
		out = append(out, lens(card.Sections[at].Line, textKeptOf, use.Addressed, answers))
	}
	return out, nil
}
