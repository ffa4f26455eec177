package server

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestBrainsThatAreGone: state and cache of a brain go 30 days after it was first missed, and the log
// says so; one that came back meanwhile, one that another branch may have, one of a disk that is not there, one whose folder nobody can tell, and another's folder stay.
func TestBrainsThatAreGone(t *testing.T) {
	dir := t.TempDir()
	state, cache := filepath.Join(dir, "state"), filepath.Join(dir, "cache")
	now := time.Now()
	var log bytes.Buffer
	start := func(brain string) (id string) {
		t.Helper()
		if err := os.MkdirAll(brain, 0o755); err != nil {
			t.Fatal(err)
		}
		s, err := New(t.Context(), Config{Brain: brain, StateDir: state, CacheDir: cache, Watch: true, Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		<-s.Ready()
		id = brainID(s.Brain().Root())
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return id
	}
	there := func(id string) bool {
		_, serr := os.Stat(filepath.Join(state, id))
		_, cerr := os.Stat(filepath.Join(cache, id))
		if (serr == nil) != (cerr == nil) {
			t.Errorf("%s: state %v, cache %v", id, serr, cerr)
		}
		return serr == nil
	}
	live, brains := filepath.Join(dir, "live", "brain"), map[string]string{}
	for _, name := range []string{"gone", "back", "unknown", "forged"} {
		brains[name] = start(filepath.Join(dir, name, "brain"))
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, "away-"+name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"branch", "unplugged"} {
		brain := filepath.Join(dir, name, "brain")
		brains[name] = start(brain)
		if err := os.Remove(brain); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "branch", ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	// What was the folder of a disk is one of the disk above it.
	home := filepath.Join(state, brains["unplugged"], homeFile)
	src, err := os.ReadFile(home)
	if err != nil {
		t.Fatal(err)
	}
	src = regexp.MustCompile(`"mount":"[^"]*"`).ReplaceAll(src, []byte(`"mount":"`+filepath.ToSlash(filepath.Join(dir, "unplugged"))+`"`))
	if err := os.WriteFile(home, src, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(state, brains["unknown"], homeFile)); err != nil {
		t.Fatal(err)
	}
	// A record that names another folder than its own says nothing.
	if err := os.WriteFile(filepath.Join(state, brains["forged"], homeFile), []byte(`{"brain":"/nowhere","missing":"2001-01-01T00:00:00Z"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	start(live) // they are missed
	now = now.Add(goneAfter - time.Minute)
	start(live)
	for name, id := range brains {
		if !there(id) {
			t.Errorf("%s went too early", name)
		}
	}
	if err := os.Rename(filepath.Join(dir, "away-back"), filepath.Join(dir, "back")); err != nil {
		t.Fatal(err)
	}
	start(live)
	if err := os.Rename(filepath.Join(dir, "back"), filepath.Join(dir, "away-back")); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	id := start(live)
	for name, want := range map[string]bool{"gone": false, "back": true, "unknown": true, "forged": true, "branch": true, "unplugged": true} {
		if there(brains[name]) != want {
			t.Errorf("%s is there: %v", name, !want)
		}
	}
	if !there(id) {
		t.Error("the brain's own state is gone")
	}
	if said := log.String(); strings.Count(said, "the brain is gone") != 1 || !strings.Contains(said, filepath.Join(dir, "gone", "brain")) {
		t.Errorf("the log says:\n%s", said)
	}
}
