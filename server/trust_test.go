package server

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const rule = "---\ntype: policy\ntitle: Every task begins with the setup\nseverity: high\n---\n\nThe setup runs first.\n"

// TestOwnCardsSpeakWithoutState: where nothing can be remembered, the person's own cards come all the same.
func TestOwnCardsSpeakWithoutState(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "none"))
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = filepath.Join(dir, "repo")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	brain := filepath.Join(dir, "repo", "brain")
	if err := os.MkdirAll(filepath.Join(brain, "policies"), 0o755); err != nil {
		t.Fatal(err)
	}
	card := filepath.Join(brain, "policies", "p.md")
	if err := os.WriteFile(card, []byte(rule), 0o600); err != nil {
		t.Fatal(err)
	}
	run("init", "-q")
	run("config", "user.email", "me@example.org")
	run("config", "user.name", "Me")
	run("add", ".")
	run("commit", "-q", "-m", "one")

	state := filepath.Join(dir, "state") // a file where the folder should be
	if err := os.WriteFile(state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := New(t.Context(), Config{Brain: brain, StateDir: state, CacheDir: filepath.Join(dir, "cache")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	<-s.Ready()
	comes := func() bool {
		t.Helper()
		p, err := s.Preflight(t.Context(), PreflightRequest{Query: "anything at all", Aside: true})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(p.Block, "Every task begins")
	}
	if !s.Trusted(t.Context()) || !comes() {
		t.Error("the person's own policy does not come")
	}
	if err := os.WriteFile(card, []byte(strings.Replace(rule, "first", "last", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	run("-c", "user.email=mallory@example.org", "commit", "-q", "-a", "-m", "two")
	s.FilesChanged(t.Context(), Watched, card)
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if comes() {
		t.Error("a policy that somebody else changed comes unapproved")
	}
}
