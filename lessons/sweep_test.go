package lessons

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestTemporaryFiles holds that a write under way shows nothing among the cards, and that what a
// killed one leaves is swept: by its exact name, some minutes old, and nothing else.
func TestTemporaryFiles(t *testing.T) {
	b := newBrain(t, map[string]string{"lessons/a.md": "a\n"})
	if err := b.Edit("lessons/a.md", func([]byte) ([]byte, error) { return []byte("b\n"), nil }); err != nil {
		t.Fatal(err)
	}
	err := b.write("lessons/a.md", []byte("c\n"), 0o600, func(temp string) error {
		if !strings.HasPrefix(filepath.ToSlash(temp), ownFolder+"/"+tempPrefix) {
			t.Errorf("%s is not hidden from git", temp)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"lessons", ownFolder} {
		if left, err := filepath.Glob(filepath.Join(b.Root(), dir, tempPrefix+"*")); err != nil || len(left) > 0 {
			t.Errorf("left are %q, %v", left, err)
		}
	}

	old := time.Now().Add(-2 * tempAge)
	var stay []string
	put := func(name string, at time.Time, stays bool) {
		name = filepath.Join(b.Root(), filepath.FromSlash(name))
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
		if stays {
			stay = append(stay, name)
		}
	}
	put("lessons/"+tempPrefix+rand.Text(), old, false)
	put(ownFolder+"/"+tempPrefix+rand.Text(), old, false)
	put("lessons/"+tempPrefix+rand.Text(), time.Now(), true)
	put("lessons/"+tempPrefix+"notes.md", old, true)
	put("lessons/"+tempPrefix+rand.Text()+".md", old, true)
	put("lessons/x"+tempPrefix+rand.Text(), old, true)
	folder := filepath.Join(b.Root(), tempPrefix+rand.Text())
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(folder, old, old); err != nil {
		t.Fatal(err)
	}
	stay = append(stay, folder)
	if err := b.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, dir := range []string{"", "lessons", ownFolder} {
		found, err := filepath.Glob(filepath.Join(b.Root(), dir, "*"+tempPrefix+"*"))
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, found...)
	}
	slices.Sort(left)
	slices.Sort(stay)
	if !slices.Equal(left, stay) {
		t.Errorf("left are %q, not %q", left, stay)
	}
}
