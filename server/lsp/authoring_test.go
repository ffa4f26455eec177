package lsp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

func TestPositions(t *testing.T) {
	doc := document{text: "한글 😀 text\r\nb\n\n끝"}
	for _, x := range []struct {
		at         int
		line, char uint32
	}{
		{0, 0, 0},
		{6, 0, 2},
		{11, 0, 5}, // behind the emoji, which is two units
		{16, 0, 10},
		{18, 1, 0},
		{19, 1, 1},
		{20, 2, 0},
		{21, 3, 0},
		{24, 3, 1},
	} {
		want := protocol.Position{Line: x.line, Character: x.char}
		if got := doc.position(x.at); got != want || doc.offset(got) != x.at {
			t.Errorf("byte %d is at %v, want %v", x.at, got, want)
		}
	}
}

// offset is the way back from position.
func (d document) offset(p protocol.Position) int {
	at := 0
	for d.position(at) != p {
		_, size := utf8.DecodeRuneInString(d.text[at:])
		at += max(size, 1)
	}
	return at
}

func TestDifferenceIsLineMinimal(t *testing.T) {
	for _, x := range []struct {
		name, was, is string
		lines         []uint32 // first lines of the edits
	}{
		{"same", "a\nb\n", "a\nb\n", nil},
		{"two lines apart", "a\nb\nc\nd\n", "a\nB\nc\nD\n", []uint32{1, 3}},
		{"one added", "a\nb\n", "a\nx\nb\n", []uint32{1}},
		{"one removed", "a\nx\nb\n", "a\nb\n", []uint32{1}},
		{"the same line again", "a\na\n", "a\na\na\n", []uint32{0}},
		{"no end of line", "a", "a\nb", []uint32{0}},
		{"CRLF", "a\r\nb\r\n", "a\r\nc\r\n", []uint32{1}},
	} {
		doc := document{text: x.was}
		edits := difference(doc, x.is)
		var lines []uint32
		got := x.was
		for i := len(edits) - 1; i >= 0; i-- {
			ed := edits[i]
			got = got[:doc.offset(ed.Range.Start)] + ed.NewText + got[doc.offset(ed.Range.End):]
			lines = append([]uint32{ed.Range.Start.Line}, lines...)
		}
		if got != x.is || fmt.Sprint(lines) != fmt.Sprint(x.lines) {
			t.Errorf("%s: edits at %v give %q, want %v and %q", x.name, lines, got, x.lines, x.is)
		}
	}
}

func quote(t *testing.T, s string) string {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A card in conflict offers one fix, which settles what both sides added; where a person must
// choose there is none.
func TestSettleAction(t *testing.T) {
	const torn = "---\ntype: lesson\ntitle: T\n<<<<<<< HEAD\noccurrences: 3\n=======\noccurrences: 4\n>>>>>>> other\n---\n\n# T\n\n## Prevention Checklist\n\n<<<<<<< HEAD\n- [ ] Ours\n=======\n- [ ] Theirs\n>>>>>>> other\n"
	e := newEditor(t, map[string]string{".brain/lessons/a.md": torn}, testMethods()...)
	e.initialize()
	e.settle()
	u := e.uri(".brain/lessons/a.md")
	for i, x := range []struct{ text, want string }{
		{torn, "---\ntype: lesson\ntitle: T\noccurrences: 5\n---\n\n# T\n\n## Prevention Checklist\n\n- [ ] Ours\n- [ ] Theirs\n"},
		{strings.ReplaceAll(torn, "occurrences: ", "owner: "), "---\ntype: lesson\ntitle: T\n<<<<<<< HEAD\nowner: 3\n=======\nowner: 4\n>>>>>>> other\n---\n\n# T\n\n## Prevention Checklist\n\n- [ ] Ours\n- [ ] Theirs\n"},
		{strings.NewReplacer("occurrences: ", "owner: ", "- [ ] ", "").Replace(torn), ""},
	} {
		e.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"markdown","version":%d,"text":%s}}`, u, i, quote(t, x.text)))
		type action struct {
			Title       string
			Diagnostics []struct{ Code string }
			Edit        struct {
				DocumentChanges []struct{ Edits []protocol.TextEdit }
			}
		}
		actions := call[[]action](e, "textDocument/codeAction", fmt.Sprintf(`{"textDocument":{"uri":%q},"range":{"start":{"line":3,"character":0},"end":{"line":3,"character":0}},"context":{"diagnostics":[]}}`, u))
		if x.want == "" {
			if len(actions) > 0 {
				t.Errorf("offers %+v", actions)
			}
			continue
		}
		if len(actions) != 1 || actions[0].Title != textSettle[0] || len(actions[0].Diagnostics) != 2 || actions[0].Diagnostics[0].Code != "conflict-markers" {
			t.Fatalf("offers %+v", actions)
		}
		doc, got := document{text: x.text}, x.text
		for _, changes := range actions[0].Edit.DocumentChanges {
			for _, ed := range slices.Backward(changes.Edits) {
				got = got[:doc.offset(ed.Range.Start)] + ed.NewText + got[doc.offset(ed.Range.End):]
			}
		}
		if got != x.want {
			t.Errorf("settled:\n%s", got)
		}
	}
}

// TestHoverNamesSimilarCards: a card's title tells the cards most similar to it, as links in an editor that shows markdown.
func TestHoverNamesSimilarCards(t *testing.T) {
	files := map[string]string{
		".brain/lessons/json.md":    "---\n# of the decoder\napplies-to: [go]\n---\n# How do I parse JSON?\n\nText.\n\n# Parse\n",
		".brain/lessons/[parse].md": "# Parse [JSON] with \\*care*\n",
		".brain/lessons/else.md":    "# Old clients send more fields\n",
	}
	e := newEditor(t, files, testMethods()...)
	md := e.another(testMethods()...)
	for _, x := range []struct {
		*editor
		initialize, want string
	}{
		{e, `{}`, "Similar cards:\n- Parse [JSON] with *care* · lessons/[parse].md"},
		{md, `{"textDocument":{"hover":{"contentFormat":["markdown","plaintext"]}}}`, `Similar cards:
- [Parse \[JSON\] with \*care\*](<` + e.uri(".brain/lessons/[parse].md") + ">)"},
	} {
		call[any](x.editor, "initialize", fmt.Sprintf(`{"workspaceFolders":[{"uri":%q,"name":"ws"}],"capabilities":%s}`, e.uri(""), x.initialize))
		x.notify("initialized", "{}")
		x.settle()
		type hover struct{ Contents struct{ Value string } }
		says := func(path string, line int) string {
			return call[hover](x.editor, "textDocument/hover", fmt.Sprintf(`{"textDocument":{"uri":%q},"position":{"line":%d,"character":3}}`, e.uri(path), line)).Contents.Value
		}
		for path, text := range files {
			x.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"markdown","version":1,"text":%s}}`, e.uri(path), quote(t, text)))
		}
		if got := says(".brain/lessons/json.md", 4); got != x.want {
			t.Errorf("%q, want %q", got, x.want)
		}
		for _, line := range []int{1, 6, 8} {
			if got := says(".brain/lessons/json.md", line); got != "" {
				t.Errorf("line %d says %q", line, got)
			}
		}
		if got := says(".brain/lessons/else.md", 0); got != "" {
			t.Errorf("a card that none is similar to says %q", got)
		}
	}
}
