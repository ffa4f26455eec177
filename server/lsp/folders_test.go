package lsp

import (
	"fmt"
	"testing"
)

// TestBrainsOfFolders: each folder of the workspace is named with the brain that it belongs to.
func TestBrainsOfFolders(t *testing.T) {
	e := newEditor(t, map[string]string{"a/.brain/lessons/a.md": card, "b/.brain/lessons/b.md": card, "c/x.txt": ""}, testMethods()...)
	folder := func(name string) string { return fmt.Sprintf(`{"uri":%q,"name":%q}`, e.uri(name), name) }
	call[any](e, "initialize", fmt.Sprintf(`{"workspaceFolders":[%s,%s,%s],"capabilities":{}}`, folder("c"), folder("b"), folder("a")))
	e.notify("initialized", "{}")
	got := call[BrainResult](e, "handrail/brain", Nothing{})
	want := []FolderBrain{{e.uri("b"), e.uri("b/.brain")}, {e.uri("a"), e.uri("a/.brain")}}
	if got.URI != e.uri("b/.brain") || fmt.Sprint(got.Folders) != fmt.Sprint(want) {
		t.Errorf("got %+v, want folders %v", got, want)
	}
}
