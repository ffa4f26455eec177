package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handrail/index"
	"handrail/lessons"
)

// keeping asks for BRAIN.md to follow the cards.
func keeping(c *Config) { c.Extras.Environment = &Extras{Overview: true} }

func (w *workspace) overviewFile(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, ".brain", lessons.OverviewFile))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// closed ends the Server, which writes what is due, and opens one that nobody asks to write.
func (w *workspace) closed(t *testing.T) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.cfg.Extras = ExtraSettings{}
	w.open(t)
}

func TestOverviewFollowsTheCards(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist}, keeping)
	if _, err := w.Bump(ctx, "lessons/allow.md", ""); err != nil {
		t.Fatal(err)
	}
	w.closed(t)
	if got := w.overviewFile(t); !strings.Contains(got, "](<lessons/allow.md>) · telegram · seen 4×") {
		t.Errorf("BRAIN.md is %q", got)
	}

	t.Run("not when nobody asked", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist})
		if _, err := w.Bump(ctx, "lessons/allow.md", ""); err != nil {
			t.Fatal(err)
		}
		w.closed(t)
		if got := w.overviewFile(t); got != "" {
			t.Errorf("BRAIN.md is %q", got)
		}
	})
	t.Run("not over a file of somebody's own", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist, lessons.OverviewFile: "# Mine\n"}, keeping)
		if _, err := w.Bump(ctx, "lessons/allow.md", ""); err != nil {
			t.Fatal(err)
		}
		w.closed(t)
		if got := w.overviewFile(t); got != "# Mine\n" {
			t.Errorf("BRAIN.md is %q", got)
		}
	})
	t.Run("not by a second process", func(t *testing.T) {
		w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist})
		cfg := w.cfg
		keeping(&cfg)
		second, err := New(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := second.Bump(ctx, "lessons/allow.md", ""); err != nil || second.Owner() {
			t.Fatalf("owner %v, %v", second.Owner(), err)
		}
		if err := second.Close(); err != nil {
			t.Fatal(err)
		}
		w.closed(t)
		if got := w.overviewFile(t); got != "" {
			t.Errorf("BRAIN.md is %q", got)
		}
	})
}

// TestOverviewIsNoChange: a watching Server writes BRAIN.md once its setting is turned on, and
// what it wrote is no change of the cards that it would follow.
func TestOverviewIsNoChange(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist}, func(c *Config) { c.Watch, c.OverviewDelay = true, time.Millisecond })
	w.SetExtras(ExtraSettings{Editor: &Extras{Overview: true}})
	limit := time.After(20 * time.Second)
	for tick := time.Tick(time.Millisecond); w.overviewFile(t) == ""; { // a file has no event of its own
		select {
		case <-tick:
		case <-limit:
			t.Fatal("BRAIN.md is not written")
		}
	}
	file := filepath.Join(w.Brain().Root(), lessons.OverviewFile)
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	heard := 0
	detach := w.Attach(Notify{Changed: func(Changed) { heard++ }})
	w.FilesChanged(ctx, ClientWatched, file)
	if err := w.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	detach()
	if heard > 0 || len(w.overview.wake) > 0 {
		t.Errorf("told %d times of it, %d writes due", heard, len(w.overview.wake))
	}
	w.overview.changed() // the cards are the same: nothing is written
	w.closed(t)
	if after, err := os.Stat(file); err != nil || !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("written again: %v", err)
	}
}

// TestOverviewOfABrainThatCannotBeRead: no list is better than one without the cards.
func TestOverviewOfABrainThatCannotBeRead(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist})
	if _, err := w.Overview(ctx); err != nil {
		t.Fatal(err)
	}
	gone, err := lessons.OpenBrain(t.TempDir())
	if err == nil {
		err = gone.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	idx, err := index.Open(ctx, index.Config{Brain: gone})
	if err != nil {
		t.Fatal(err)
	}
	defer idx.Close()
	<-idx.Ready()
	other := &Server{brain: w.Brain(), idx: idx}
	if changed, err := other.Overview(ctx); err == nil || changed {
		t.Errorf("written: %v, %v", changed, err)
	}
	if text, err := w.Brain().Read(lessons.OverviewFile); err != nil || !strings.Contains(string(text), "allow.md") {
		t.Errorf("%s, %v", text, err)
	}
}
