package lessons

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestWindowsPaths takes one card by the ways in which Windows' programs write its path.
func TestWindowsPaths(t *testing.T) {
	b := newBrain(t, map[string]string{"lessons/한글 카드.md": "one\r\n"})
	abs := filepath.Join(b.Root(), "lessons", "한글 카드.md")
	drive := filepath.VolumeName(abs)
	for _, p := range []string{
		`lessons\한글 카드.md`, "lessons/한글 카드.md", abs, filepath.ToSlash(abs),
		strings.ToLower(drive) + abs[len(drive):], strings.ToUpper(drive) + abs[len(drive):],
	} {
		if rel, err := b.Rel(p); err != nil || rel != "lessons/한글 카드.md" {
			t.Errorf("Rel(%q) = %q, %v", p, rel, err)
		}
	}
	for _, p := range []string{`..\out.md`, `C:out.md`, `\\server\share\a.md`, `Q:\a.md`, `lessons\con`} {
		if rel, err := b.Rel(p); err == nil {
			t.Errorf("Rel(%q) = %q", p, rel)
		}
	}
}

// TestWindowsLongPath writes a card whose path is longer than MAX_PATH.
func TestWindowsLongPath(t *testing.T) {
	b := newBrain(t, nil)
	rel := strings.Repeat(strings.Repeat("d", 60)+"/", 5) + "a.md"
	if err := b.Create(rel, []byte("one\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := b.Edit(rel, func(src []byte) ([]byte, error) { return append(src, "two\r\n"...), nil }); err != nil {
		t.Fatal(err)
	}
	if src, err := b.Read(rel); err != nil || string(src) != "one\r\ntwo\r\n" {
		t.Errorf("it holds %q, %v", src, err)
	}
	if err := b.Remove(rel, []byte("one\r\ntwo\r\n")); err != nil {
		t.Error(err)
	}
}

// TestWindowsEditOfAHeldFile edits a card that another program holds open and lets nobody
// rename: the edit fails clean, and works once it is let go.
func TestWindowsEditOfAHeldFile(t *testing.T) {
	b := newBrain(t, map[string]string{"a.md": "one"})
	name, err := syscall.UTF16PtrFromString(filepath.Join(b.Root(), "a.md"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ, syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE, nil, syscall.OPEN_EXISTING, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	change := func([]byte) ([]byte, error) { return []byte("two"), nil }
	if err := b.Edit("a.md", change); err == nil {
		t.Error("a held file was replaced")
	}
	if src, err := b.Read("a.md"); err != nil || string(src) != "one" {
		t.Errorf("it holds %q, %v", src, err)
	}
	noTemp(t, b)
	if err := syscall.CloseHandle(h); err != nil {
		t.Fatal(err)
	}
	if err := b.Edit("a.md", change); err != nil {
		t.Fatal(err)
	}
	if src, err := b.Read("a.md"); err != nil || string(src) != "two" {
		t.Errorf("it holds %q, %v", src, err)
	}
	noTemp(t, b)
}

// TestWindowsLeavesNoTemp writes, edits and removes, and looks for what is left.
func TestWindowsLeavesNoTemp(t *testing.T) {
	b := newBrain(t, nil)
	if err := b.Create("lessons/a.md", []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := b.Create("lessons/b.md", []byte("two")); err != nil {
		t.Fatal(err)
	}
	if err := b.Remove("lessons/a.md", []byte("one")); err != nil {
		t.Fatal(err)
	}
	noTemp(t, b)
	var got []string
	if err := b.Walk(context.Background(), func(rel string, _ fs.FileInfo) error { got = append(got, rel); return nil }, func(string, error) {}); err != nil || !slices.Equal(got, []string{"lessons/b.md"}) {
		t.Errorf("the brain holds %q, %v", got, err)
	}
}

// noTemp fails for every temporary file that is left in the brain.
func noTemp(t *testing.T, b *Brain) {
	t.Helper()
	err := filepath.WalkDir(b.Root(), func(name string, _ fs.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(name), tempPrefix) {
			t.Errorf("%s is left", name)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
}
