package server

import (
	"bytes"
	"cmp"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/server/brain"
)

// TestUnusedBrains: what is kept of a brain goes a year after it was last opened, whether its folder
// is there or not, but for its trust and its journal. One that was opened meanwhile, and what is no
// brain's, stay.
func TestUnusedBrains(t *testing.T) {
	dir := t.TempDir()
	state, cache := filepath.Join(dir, "state"), filepath.Join(dir, "cache")
	now := time.Now()
	var log bytes.Buffer
	start := func(name string) {
		t.Helper()
		brain := filepath.Join(dir, name, "brain")
		if err := MakeBrain(brain, state); err != nil {
			t.Fatal(err)
		}
		s, err := New(t.Context(), Config{Brain: brain, StateDir: state, CacheDir: cache, Watch: true, Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		<-s.Ready()
		made, err := s.Confirm(t.Context(), CreateRequest{Title: "The cache is stale after a deploy"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Bump(t.Context(), cmp.Or(made.Path, made.DuplicateOf), ""); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	kept := func(name string) (found []string) {
		t.Helper()
		for _, pattern := range []string{filepath.Join(state, name+"-*", "*"), filepath.Join(cache, name+"-*", "*")} {
			files, err := filepath.Glob(pattern)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				found = append(found, filepath.Base(f))
			}
		}
		return found
	}
	other := filepath.Join(state, "daemon", "old.log")
	if err := os.MkdirAll(filepath.Dir(other), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"old", "gone", "opened"} {
		start(name)
	}
	if err := os.RemoveAll(filepath.Join(dir, "gone")); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(kept("old"), " ")
	now = now.Add(brain.UnusedAfter - time.Hour)
	start("opened")
	for _, name := range []string{"old", "gone"} {
		if got := strings.Join(kept(name), " "); got != all {
			t.Errorf("within a year %s has %q, not %q", name, got, all)
		}
	}
	now = now.Add(2 * time.Hour)
	start("new")
	for _, name := range []string{"old", "gone"} {
		if got := strings.Join(kept(name), " "); got != "journal.jsonl kept trust.json trust.json.lock" {
			t.Errorf("after a year %s has %q", name, got)
		}
	}
	for _, name := range []string{"opened", "new"} {
		if got := kept(name); !strings.Contains(strings.Join(got, " "), "state.db") || !strings.Contains(strings.Join(got, " "), "index") {
			t.Errorf("%s has %q", name, got)
		}
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "nobody used the brain"); n != 2 {
		t.Errorf("the log names %d brains:\n%s", n, log.String())
	}
}
