package lsp

import (
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/say"
)

const withItems = "---\ntype: lesson\n---\n# T\n\n## Prevention Checklist\n\n- [ ] Never `log.Info(it's)`\n  in a handler\n\n1. [ ] Second item\n   ```check\n   forbid: 'a'\n   ```\n\nText\n"

// TestCheckActions: the check that is written of a selection runs as it stands.
func TestCheckActions(t *testing.T) {
	s := &session{locale: say.English}
	for _, eol := range []string{"\n", "\r\n"} {
		text := strings.ReplaceAll(withItems, "\n", eol)
		for selected, want := range map[string]string{
			"log.Info(it's)": "  in a handler\n  ```check\n  forbid: 'log\\.Info\\(it''s\\)'\n  matches: ['log.Info(it''s)']\n  ```\n\n1.",
			"in a handler":   "  in a handler\n  ```check\n  forbid: 'in a handler'\n  matches: ['in a handler']\n  ```\n",
			"Second":         "", // has a check
			"Text":           "", // no item
			"":               "",
		} {
			doc := document{text: text}
			card, _ := lessons.Parse("lessons/x.md", []byte(text))
			at := strings.Index(text, selected)
			actions := s.checkActions(doc, card, doc.span(at, at+len(selected)))
			if want == "" {
				if len(actions) > 0 {
					t.Errorf("%q: %+v", selected, actions)
				}
				continue
			}
			if len(actions) != 1 {
				t.Errorf("%q: %d actions", selected, len(actions))
				continue
			}
			after := text
			for _, change := range actions[0].Edit.DocumentChanges {
				ed := change.(*protocol.TextDocumentEdit).Edits[0].(*protocol.TextEdit)
				after = text[:doc.offset(ed.Range.Start)] + ed.NewText + text[doc.offset(ed.Range.End):]
			}
			if !strings.Contains(after, strings.ReplaceAll(want, "\n", eol)) {
				t.Errorf("%q: %q", selected, after)
			}
			card, _ = lessons.Parse("lessons/x.md", []byte(after))
			if card.Items[0].CheckLine == 0 {
				t.Errorf("%q: no check in %q", selected, after)
			}
		}
	}
}
