package index

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// listed returns the paths of the cards and their statuses.
func listed(t *testing.T, x *Index) (out []string) {
	t.Helper()
	if err := x.Known(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, c := range x.Heads() {
		out = append(out, c.Path+" "+string(c.Status))
	}
	return out
}

// TestListedBeforeTheFirstIndex holds that the cards are listed as they are while the first index is made, and then are
// the same.
func TestListedBeforeTheFirstIndex(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "lessons/a.md", "# Alpha")
	write(t, dir, "lessons/b.md", "---\nstatus: draft\n---\n# Beta")
	write(t, dir, "notes/n.md", "# No card")
	x, large, on := stopped(t, dir)
	defer x.Close()
	if err := os.Remove(large); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, x); !slices.Equal(got, []string{"lessons/a.md active", "lessons/b.md draft"}) || x.Built() {
		t.Errorf("at first there is %v", got)
	}
	write(t, dir, "lessons/a.md", "---\nstatus: archived\n---\n# Alpha is put away")
	if err := os.Remove(filepath.Join(dir, "lessons/b.md")); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, x); !slices.Equal(got, []string{"lessons/a.md archived"}) || x.Built() {
		t.Errorf("later there is %v", got)
	}
	close(on)
	<-x.Ready()
	syncNow(t, x)
	if got := listed(t, x); !slices.Equal(got, []string{"lessons/a.md archived"}) || !x.Built() {
		t.Errorf("in the end there is %v", got)
	}
}

// TestHeadsOfOddNames holds that the name of a file passes for no other file's head.
func TestHeadsOfOddNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such names")
	}
	dir, cache := t.TempDir(), t.TempDir()
	at := time.Now().Add(-time.Hour)
	for rel, text := range map[string]string{"lessons/a.md": "# Alpha", "lessons/x\n{}\nlessons/a.md": "# Other"} {
		if err := os.Chtimes(write(t, dir, rel, text), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		x := opened(t, dir, Config{Dir: cache, HeadsOnly: true})
		got := listed(t, x)
		if c := x.Heads()[0]; len(got) != 2 || c.Path != "lessons/a.md" || c.Title != "Alpha" || x.pic.heads["lessons/a.md"].Hash != HashOf([]byte("# Alpha")) {
			t.Errorf("%q, the first is %+v", got, c)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHeadsAlone holds that who only lists makes no index, reads no file twice, and is not misled by what is left of
// another time.
func TestHeadsAlone(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	a := write(t, dir, "lessons/a.md", "# Alpha\n\n## Prevention Checklist\n\n- [ ] Alpha is asked\n")
	old(t, a, write(t, dir, "lessons/b.md", "no heading"), write(t, dir, "notes/n.md", "# No card"))
	list := func(want ...string) (read bool) {
		t.Helper()
		x := opened(t, dir, Config{Dir: cache, HeadsOnly: true})
		defer x.Close()
		if got := listed(t, x); !slices.Equal(got, want) || x.Built() {
			t.Errorf("there is %q, want %q", got, want)
		}
		if c := x.Heads()[0]; c.Title != "Alpha" || len(c.Items) != 1 || c.Items[0].Line != 5 {
			t.Errorf("the card is %+v", c)
		}
		return x.pic.unsaved
	}
	const first, second = "lessons/a.md active", "lessons/b.md active"
	if !list(first, second) || list(first, second) {
		t.Error("files are read the second time, not the first")
	}
	old(t, write(t, dir, "lessons/c.md", "---\nstatus: draft\n---\n# Gamma"))
	if !list(first, second, "lessons/c.md draft") {
		t.Error("a new card is not read")
	}
	file := filepath.Join(cache, headsFile)
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range [][]byte{nil, src[:len(src)/2], bytes.ReplaceAll(src, []byte("{"), []byte("["))} {
		if err := os.WriteFile(file, left, 0o600); err != nil {
			t.Fatal(err)
		}
		list(first, second, "lessons/c.md draft")
	}
	x := opened(t, dir, Config{Dir: cache})
	<-x.Ready()
	if got := search(t, x, "alpha"); !slices.Equal(got, []string{"lessons/a.md"}) {
		t.Errorf("a search finds %v", got)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("heads are kept twice")
	}
	x = opened(t, dir, Config{Dir: cache, HeadsOnly: true})
	defer x.Close()
	if got := listed(t, x); len(got) != 3 || !x.Built() {
		t.Errorf("with an index there is %v", got)
	}
}
