package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUndoOfAPromotionByAnEditor: the draft is back, with the words of the last save.
func TestUndoOfAPromotionByAnEditor(t *testing.T) {
	active := strings.Replace(allowlist, "---\n", "---\nstatus: active\n", 1)
	w := newWorkspace(t, map[string]string{"drafts/allow.md": active})
	dir := w.Files.Root()
	if err := os.MkdirAll(filepath.Join(dir, "lessons"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "drafts/allow.md"), filepath.Join(dir, "lessons/allow.md")); err != nil {
		t.Fatal(err)
	}
	if err := w.Promoted("drafts/allow.md", "lessons/allow.md"); err != nil {
		t.Fatal(err)
	}
	done, err := w.Undo(t.Context(), UndoRequest{Path: "lessons/allow.md"})
	if err != nil || done.Verb != "promote" {
		t.Fatal(done, err)
	}
	files := w.files(t)
	if want := strings.Replace(active, "status: active", "status: draft", 1); len(files) != 1 || files["drafts/allow.md"] != want {
		t.Errorf("the brain has %v", files)
	}
}
