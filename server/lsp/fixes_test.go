package lsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// action is a code action as an editor takes it.
type action struct {
	Title       string
	Kind        string
	IsPreferred bool
	Diagnostics []struct{ Code string }
	Command     *struct {
		Command   string
		Arguments json.RawMessage
	}
	Edit struct {
		DocumentChanges []struct {
			TextDocument struct{ URI string }
			Edits        []edit
		}
	}
}

type edit struct {
	Range struct {
		Start, End struct{ Line, Character uint32 }
	}
	NewText string
}

// quickFixes opens a text and returns the quick fixes for one of its problems, in order.
func (e *editor) quickFixes(path, text, code string) (out []action) {
	e.t.Helper()
	e.lastVersion++
	e.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"markdown","version":%d,"text":%s}}`, e.uri(path), e.lastVersion, quote(e.t, text)))
	all := call[[]action](e, "textDocument/codeAction", fmt.Sprintf(
		`{"textDocument":{"uri":%q},"range":{"start":{"line":0,"character":0},"end":{"line":%d,"character":0}},"context":{"diagnostics":[],"only":["quickfix"]}}`,
		e.uri(path), strings.Count(text, "\n")+1))
	for _, a := range all {
		for _, d := range a.Diagnostics {
			if d.Code == code {
				out = append(out, a)
			}
		}
	}
	return out
}

// applied returns a text with the edits of one document made, from the last to the first.
func applied(text string, edits []edit) string {
	doc := document{text: text}
	for i := len(edits) - 1; i >= 0; i-- {
		ed := edits[i]
		from, to := doc.offset(position(ed.Range.Start)), doc.offset(position(ed.Range.End))
		text = text[:from] + ed.NewText + text[to:]
	}
	return text
}

// TestFixes: each problem has the fix that mends it, and its text has the problem no more.
func TestFixes(t *testing.T) {
	const rest = "\n## Root Cause\nNobody looked.\n\n## Prevention Checklist\n- [ ] `go.sum` is part of the commit\n"
	e := newEditor(t, map[string]string{".brain/lessons/twin.md": "# Twin of another\n" + rest}, testMethods()...)
	e.initialize()
	e.settle()
	for _, x := range []struct{ code, text, title, want string }{
		{"bad-value", "---\nseverity: hihg\n---\n# T a\n" + rest, `Change to "high"`, "severity: high\n"},
		{"bad-value", "---\narchived-at: 3/4/26\n---\n# T a\n" + rest, `Change to "2026-03-14"`, "archived-at: 2026-03-14\n"}, // March or April: today
		{"misspelled-key", "---\nlast_seen: 2026-03-04\n---\n# T a\n" + rest, `Change to "last-seen"`, "last-seen: 2026-03-04\n"},
		{"misspelled-key", "---\ntitel: T a\n---\n# T a\n" + rest, `Change to "title"`, "title: T a\n"},
		{"misspelled-key", "---\nsevrity: high\n---\n# T a\n" + rest, `Change to "severity"`, "severity: high\n"},
		{"unknown-key", "---\nseverity: low\nsevrity: high\n---\n# T a\n" + rest, "", ""}, // it has the key
		{"unknown-key", "---\ndescription: three plain words\n---\n# T a\n" + rest, "", ""},
		{"missing-root-cause", "# T a\n\n## Prevention Checklist\n- [ ] `go.sum` is part of it\n", "", ""},
		{"secret-in-card", "# T a\n\n## Fix\nexport TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB now\n" + rest, "Replace the secret by [redacted]", "export TOKEN=[redacted] now\n"},
		{"no-such-code", "# T a\n" + rest, "", ""},
	} {
		found := e.quickFixes(".brain/lessons/new-card.md", x.text, x.code)
		if x.title == "" {
			if len(found) > 0 {
				t.Errorf("%s: %q offers %q", x.code, x.text, found[0].Title)
			}
			continue
		}
		if len(found) == 0 || found[0].Title != x.title {
			t.Errorf("%s: %q offers %+v, want %q", x.code, x.text, found, x.title)
			continue
		}
		after := applied(x.text, found[0].Edit.DocumentChanges[0].Edits)
		if !strings.Contains(after, x.want) {
			t.Errorf("%s: %q becomes %q, want %q in it", x.code, x.text, after, x.want)
		}
		left := e.quickFixes(".brain/lessons/new-card.md", after, x.code)
		if len(left) > 0 {
			t.Errorf("%s: %q still offers %q", x.code, after, left[0].Title)
		}
	}
}

func position(p struct{ Line, Character uint32 }) protocol.Position {
	return protocol.Position{Line: p.Line, Character: p.Character}
}
