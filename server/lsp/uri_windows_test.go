package lsp

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/uri"

	"github.com/handrail-dev/handrail/server/brain"
)

// TestWindowsURIs opens a workspace by each way of writing a drive in a URI, and names a card
// by every other one.
func TestWindowsURIs(t *testing.T) {
	for _, open := range []string{"c:", "C:", "c%3A", "C%3a"} {
		t.Run(open, func(t *testing.T) {
			e := newEditor(t, map[string]string{".brain/lessons/한글 카드.md": card}, testMethods()...)
			drive := strings.ToLower(filepath.VolumeName(e.dir))
			plain := strings.Replace(uri.File(e.dir).String(), strings.Replace(drive, ":", "%3A", 1), drive, 1)
			as := func(drive, below string) string { return "file:///" + drive + plain[len("file:///c:"):] + below }
			if drive != "c:" || !strings.HasPrefix(plain, "file:///c:/") {
				t.Fatalf("the test is made for drive C, not %s", plain)
			}
			call[any](e, "initialize", fmt.Sprintf(`{"processId":null,"capabilities":{},"rootUri":%q}`, as(open, "")))
			e.notify("initialized", "{}")
			e.settle()
			for i, drive := range []string{"c:", "C:", "c%3A", "C%3a"} {
				for j, name := range []string{"한글 카드.md", "%ED%95%9C%EA%B8%80%20%EC%B9%B4%EB%93%9C.md"} {
					u := as(drive, "/.brain/lessons/"+name)
					if got := call[brain.Card](e, "handrail/bump", CardParams{Path: u}); got.Path != "lessons/한글 카드.md" || got.Occurrences != 2+2*i+j {
						t.Errorf("bump %s = %+v", u, got)
					}
				}
			}
			u := as(open, "/.brain/lessons/new.md")
			e.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"markdown","version":1,"text":%s}}`, u, quote(t, card)))
			m := e.await("textDocument/publishDiagnostics", "duplicate-title")
			if !strings.Contains(string(m.Params), e.uri(".brain/lessons/new.md")) { // as VS Code spells it
				t.Errorf("the diagnostics of %s are published as %s", u, m.Params)
			}
		})
	}
}
