package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const rule = "---\ntype: policy\ntitle: Every task begins with the setup\nseverity: high\n---\n\nThe setup runs first.\n"

// trustRepo is a repository with a brain, and what runs git in it.
type trustRepo struct {
	t          *testing.T
	dir, brain string
}

func newTrustRepo(t *testing.T) trustRepo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "none"))
	r := trustRepo{t, dir, filepath.Join(dir, "repo", "brain")}
	if err := os.MkdirAll(filepath.Join(r.brain, "policies"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "-b", "main")
	r.git("config", "user.email", "me@example.org")
	r.git("config", "user.name", "Me")
	return r
}

func (r trustRepo) git(args ...string) {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = filepath.Join(r.dir, "repo")
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (r trustRepo) write(rel, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.brain, rel), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r trustRepo) commit(who string) {
	r.t.Helper()
	r.git("add", ".")
	r.git("-c", "user.email="+who+"@example.org", "commit", "-q", "--allow-empty", "-m", "by "+who)
}

func (r trustRepo) server() *Server {
	r.t.Helper()
	s, err := New(r.t.Context(), Config{Brain: r.brain, StateDir: filepath.Join(r.dir, "state"), CacheDir: filepath.Join(r.dir, "cache")})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = s.Close() })
	<-s.Ready()
	return s
}

func comes(s *Server, text string) bool {
	p, err := s.Preflight(context.Background(), PreflightRequest{Query: "anything at all", Aside: true})
	return err == nil && strings.Contains(p.Block, text)
}

// TestPulledCardsWait: a pull writes files before it moves HEAD. What is looked at in between is
// nobody's for good.
func TestPulledCardsWait(t *testing.T) {
	r := newTrustRepo(t)
	r.write("policies/p.md", rule)
	r.commit("me")
	r.git("checkout", "-q", "-b", "theirs")
	r.write("policies/p.md", strings.Replace(rule, "setup\n", "theft\n", 1))
	r.write("policies/q.md", strings.Replace(rule, "setup\n", "spying\n", 1))
	r.commit("mallory")
	r.git("checkout", "-q", "main")

	s := r.server()
	if !s.Trusted(t.Context()) || !comes(s, "with the setup") {
		t.Fatal("the person's own policy does not come")
	}
	r.git("read-tree", "-m", "-u", "main", "theirs")
	s.FilesChanged(r.brain)
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = comes(s, "theft") // whatever it says here
	r.git("update-ref", "-m", "pull: Fast-forward", "HEAD", "theirs")
	if comes(s, "theft") || comes(s, "spying") {
		t.Error("a policy that was pulled comes unapproved")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s := r.server(); comes(s, "theft") || comes(s, "spying") {
		t.Error("a policy that was pulled comes unapproved after a restart")
	}
}

// TestCardsOfABranchWait: git writes its log before it moves HEAD. Who looks in between looks again.
func TestCardsOfABranchWait(t *testing.T) {
	r := newTrustRepo(t)
	card := "---\ntype: lesson\n---\n\n# Baskets were priced from an old %s\n\n## Root Cause\n\nNobody looked.\n"
	r.write("own.md", fmt.Sprintf(card, "table"))
	r.commit("me")
	r.git("checkout", "-q", "-b", "theirs")
	r.write("theirs.md", fmt.Sprintf(card, "cache"))
	r.commit("mallory")
	r.git("checkout", "-q", "main")

	s := r.server()
	asked := func() string {
		s.FilesChanged(r.brain)
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		p, err := s.Preflight(t.Context(), PreflightRequest{Query: "price the baskets from a table or a cache", Aside: true})
		if err != nil {
			t.Fatal(err)
		}
		return p.Block
	}
	if got := asked(); !s.Trusted(t.Context()) || !strings.Contains(got, "old table") {
		t.Fatalf("the person's own card does not come: %q", got)
	}
	head := func(branch string) {
		if err := os.WriteFile(filepath.Join(r.dir, "repo", ".git", "HEAD"), []byte("ref: refs/heads/"+branch+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lock := filepath.Join(r.dir, "repo", ".git", "HEAD.lock")
	r.git("checkout", "-q", "theirs")
	head("main")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_ = asked() // whatever it says here
	head("theirs")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if got := asked(); strings.Contains(got, "old cache") || !strings.Contains(got, "old table") {
		t.Errorf("a card of somebody's branch comes unseen, or the person's own does not: %q", got)
	}
}

// TestEmptyBrainIsNobodys: that nobody else wrote a file of it says nothing of what is pulled.
func TestEmptyBrainIsNobodys(t *testing.T) {
	r := newTrustRepo(t)
	r.write("policies/.gitkeep", "")
	r.commit("mallory")
	s := r.server()
	if !s.Trusted(t.Context()) {
		t.Error("a brain without a card is not trusted")
	}
	r.write("policies/p.md", rule)
	r.commit("mallory")
	s.FilesChanged(r.brain)
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Trusted(t.Context()) {
		t.Error("a brain in which others wrote every card is trusted")
	}
}

// TestOwnCardsSpeakWithoutState: where nothing can be remembered, the person's own cards come all the same.
func TestOwnCardsSpeakWithoutState(t *testing.T) {
	r := newTrustRepo(t)
	r.write("policies/p.md", rule)
	r.commit("me")
	// a file where the folder should be
	if err := os.WriteFile(filepath.Join(r.dir, "state"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := r.server()
	if !s.Trusted(t.Context()) || !comes(s, "Every task begins") {
		t.Error("the person's own policy does not come")
	}
	r.write("policies/p.md", strings.Replace(rule, "first", "last", 1))
	r.commit("mallory")
	s.FilesChanged(r.brain)
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if comes(s, "Every task begins") {
		t.Error("a policy that somebody else changed comes unapproved")
	}
}

// TestWithoutGit: in a repository on a machine without git, all cards together ask it once, not each of them.
func TestWithoutGit(t *testing.T) {
	dir, log := t.TempDir(), &bytes.Buffer{}
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Skip(err, string(out))
	}
	brain := filepath.Join(dir, ".brain")
	if err := MakeBrain(brain, filepath.Join(dir, "state")); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if err := os.WriteFile(filepath.Join(brain, fmt.Sprintf("%d.md", i)), []byte(allowlist), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", "")
	cfg := Config{Brain: brain, StateDir: filepath.Join(dir, "state"), CacheDir: filepath.Join(dir, "cache"), Log: slog.New(slog.NewTextHandler(log, nil))}
	s, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	<-s.Ready()
	cards, err := s.Cards(t.Context(), CardFilter{})
	if err := errors.Join(err, s.Close()); err != nil || len(cards) != 20 {
		t.Fatalf("%d cards, %v", len(cards), err)
	}
	if n := strings.Count(log.String(), "nobody knows"); n != 1 {
		t.Errorf("git was asked %d times:\n%s", n, log)
	}
}

// BenchmarkApproved asks of each card of a large brain in a repository whether it may come, as a
// request does.
func BenchmarkApproved(b *testing.B) {
	dir := b.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.email", "me@example.org"}, {"config", "user.name", "Me"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			b.Skip(err, string(out))
		}
	}
	brain := filepath.Join(dir, "brain")
	if err := MakeBrain(brain, filepath.Join(dir, "state")); err != nil {
		b.Fatal(err)
	}
	for i := range 5000 {
		card := fmt.Sprintf("---\ntype: lesson\ntitle: Card %d\n---\n", i)
		if err := os.WriteFile(filepath.Join(brain, fmt.Sprintf("%d.md", i)), []byte(card), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	s, err := New(b.Context(), Config{Brain: brain, StateDir: filepath.Join(dir, "state"), CacheDir: filepath.Join(dir, "cache")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	<-s.Ready()
	for b.Loop() {
		for _, c := range s.Index.Heads() {
			if !s.Keeper.Approved(c) {
				b.Fatal(c.Path)
			}
		}
	}
}
