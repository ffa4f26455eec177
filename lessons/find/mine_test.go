package find

import (
	"os"
	"path/filepath"
	"testing"
)

// TestMine: the person's own brain is a folder in that of their settings; what only leads there
// from elsewhere is none.
func TestMine(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CONFIG_HOME", root)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	want := filepath.Join(root, "handrail", "brain")
	if at := MinePlace(); at != want {
		t.Fatalf("its place is %s, want %s", at, want)
	}
	if _, ok := Mine(); ok || IsMine(want) {
		t.Error("it is there before it was made")
	}
	elsewhere := filepath.Join(t.TempDir(), "brain")
	for _, dir := range []string{elsewhere, filepath.Dir(want)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(elsewhere, want); err == nil { // where links can be made
		if _, ok := Mine(); ok {
			t.Error("a link counts")
		}
		if err := os.Remove(want); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(want, 0o700); err != nil {
		t.Fatal(err)
	}
	if dir, ok := Mine(); !ok || dir != want || !IsMine(want) || IsMine(elsewhere) {
		t.Errorf("found %s, %v", dir, ok)
	}
}
