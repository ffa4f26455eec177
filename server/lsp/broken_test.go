package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/desk"
)

// TestBrokenCardsThatAreNotOpen: whatever keeps a card from being read is a problem of its file and a row
// of the list, until the file is mended or gone.
func TestBrokenCardsThatAreNotOpen(t *testing.T) {
	torn := "---\ntype: lesson\ntitle: [a\n---\n# Torn\n"
	conflict := "---\ntype: lesson\n---\n# Two sides\n\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> x\n"
	e := newEditor(t, map[string]string{
		".brain/lessons/whole.md":    card,
		".brain/lessons/torn.md":     torn,
		".brain/lessons/conflict.md": conflict,
		".brain/lessons/huge.md":     card + strings.Repeat("x", 2<<20),
		".brain/huge-note.md":        strings.Repeat("x", 2<<20),
	}, testMethods()...)
	e.initialize()
	e.settle()
	code := map[string]string{"torn": "frontmatter-syntax", "conflict": "conflict-markers", "huge": "too-large"}
	e.awaitProblems(code)
	rows := map[string]bool{}
	for _, c := range call[[]brain.Card](e, "handrail/lessons", desk.CardFilter{}) {
		rows[c.Path] = c.Broken
	}
	want := map[string]bool{"lessons/whole.md": false, "lessons/torn.md": true, "lessons/conflict.md": true, "lessons/huge.md": true}
	if fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Errorf("listed %v, want %v", rows, want)
	}

	// What another program mends or deletes is told by our own watch.
	for name, do := range map[string]func(path string) error{
		"torn":     func(path string) error { return os.WriteFile(path, []byte(card), 0o600) },
		"conflict": os.Remove,
		"huge":     func(path string) error { return os.WriteFile(path, []byte(card), 0o600) },
	} {
		path := filepath.Join(e.dir, ".brain", "lessons", name+".md")
		if err := do(path); err != nil {
			t.Fatal(err)
		}
		delete(code, name)
		e.awaitProblems(code)
	}
	e.settle()
	if got := call[[]brain.Card](e, "handrail/lessons", desk.CardFilter{}); len(got) != 3 || got[0].Broken || got[1].Broken || got[2].Broken {
		t.Errorf("afterwards: %+v", got)
	}
}

// awaitProblems waits until these cards of .brain/lessons have a problem of this code, and no other file has one.
func (e *editor) awaitProblems(code map[string]string) {
	e.t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.wait(fmt.Sprint("problems ", code), func() bool {
		last := map[string]protocol.PublishDiagnosticsParams{}
		for _, m := range e.notices {
			var p protocol.PublishDiagnosticsParams
			if m.Method == protocol.MethodTextDocumentPublishDiagnostics && protocol.Unmarshal(m.Params, &p) == nil {
				last[strings.TrimSuffix(filepath.Base(p.URI.FsPath()), ".md")] = p
			}
		}
		for name, p := range last {
			want := code[name]
			if (len(p.Diagnostics) > 0) != (want != "") || want != "" && p.Diagnostics[0].Code != protocol.String(want) {
				return false
			}
		}
		return len(last) >= len(code)
	})
}

// TestBrokenCardIsOpened: an open document is told of as it stands in the editor; closed without a
// save it is told of as it stands on the disk.
func TestBrokenCardIsOpened(t *testing.T) {
	e := newEditor(t, map[string]string{".brain/lessons/torn.md": "---\ntype: lesson\ntitle: [a\n---\n# Torn\n"}, testMethods()...)
	e.initialize()
	u := e.uri(".brain/lessons/torn.md")
	e.await("textDocument/publishDiagnostics", u, "frontmatter-syntax")
	e.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"markdown","version":7,"text":%s}}`, u, quote(t, card)))
	if m := e.await("textDocument/publishDiagnostics", u, `"version":7`); strings.Contains(string(m.Params), "frontmatter-syntax") {
		t.Errorf("the mended text is told of as broken: %s", m.Params)
	}
	e.notify("textDocument/didClose", fmt.Sprintf(`{"textDocument":{"uri":%q}}`, u))
	e.await("textDocument/publishDiagnostics", u, "frontmatter-syntax")
}

// TestBrainsOfFolders: each folder of the workspace is named with the brain that it belongs to.
func TestBrainsOfFolders(t *testing.T) {
	e := newEditor(t, map[string]string{"a/.brain/lessons/a.md": card, "b/.brain/lessons/b.md": card, "c/x.txt": ""}, testMethods()...)
	folder := func(name string) string { return fmt.Sprintf(`{"uri":%q,"name":%q}`, e.uri(name), name) }
	e.initialize()
	e.notify("workspace/didChangeWorkspaceFolders", fmt.Sprintf(`{"event":{"added":[%s,%s,%s],"removed":[]}}`, folder("c"), folder("b"), folder("a")))
	call[any](e, "test/sync", "{}")
	got := call[BrainResult](e, "handrail/brain", Nothing{})
	want := []FolderBrain{{e.uri("b"), e.uri("b/.brain")}, {e.uri("a"), e.uri("a/.brain")}}
	if got.URI != e.uri("b/.brain") || fmt.Sprint(got.Folders) != fmt.Sprint(want) {
		t.Errorf("got %+v, want folders %v", got, want)
	}
}
