//go:build unix

package lessons

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
)

// TestIgnorePipe holds that a pipe in the list's place is not waited for.
func TestIgnorePipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, ignoreFile), 0o600); err != nil {
		t.Skip(err)
	}
	b, err := OpenBrain(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var said error
	if err := b.Walk(t.Context(), func(string, fs.FileInfo) error { return nil }, func(_ string, err error) { said = err }); err != nil || !errors.Is(said, ErrIgnoreList) {
		t.Errorf("%v, %v", said, err)
	}
}
