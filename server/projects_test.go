package server

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFollowLetsGo holds that a workspace which an editor has closed is not watched on.
func TestFollowLetsGo(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	repos := []string{t.TempDir(), t.TempDir()}
	for i, repo := range repos {
		runGit(t, repo, "init", "-q", "-b", "main")
		for _, text := range []string{"one", "two"} {
			if err := os.WriteFile(filepath.Join(repo, "app.go"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			runGit(t, repo, "add", "-A")
			runGit(t, repo, "commit", "-q", "-m", fmt.Sprintf("Make %d %s", i, text))
		}
	}
	w := newWorkspace(t, nil, watching, func(c *Config) { c.Workspaces = repos })
	if n := len(w.Git.Trees()); n != 2 {
		t.Fatalf("%d repositories are followed, want 2", n)
	}
	raised := make(chan Candidate, 10)
	t.Cleanup(w.Attach(Notify{Candidate: func(c Candidate) { raised <- c }}))
	w.Follow(repos[1:])
	// What happens in the one raises nothing: the first candidate is the other's.
	for _, repo := range repos {
		runGit(t, repo, "revert", "--no-edit", "HEAD")
	}
	select {
	case c := <-raised:
		if c.Title != "Make 1 two" {
			t.Errorf("raised %q", c.Title)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the workspace that stayed is not followed")
	}
	w.Follow(repos) // opened again
	if n := len(w.Git.Trees()); n != 2 {
		t.Errorf("%d repositories are followed, want 2", n)
	}
}

// TestAProjectsCardsStayThere holds that a card of one project is put before no request of
// another, whichever way it would come.
func TestAProjectsCardsStayThere(t *testing.T) {
	const text = "---\ntype: lesson\nproject: shop\nseverity: high\nsource: curated\npaths: [pay/**]\n---\n# Refund webhooks must be idempotent\n\n## Root Cause\n\nA refund webhook was sent twice.\n\n## Prevention Checklist\n\n- [ ] The refund webhook is idempotent\n"
	w := newWorkspace(t, map[string]string{"lessons/refund.md": text})
	file := filepath.Join(w.dir, "pay", "refund.go")
	for project, want := range map[string]int{"shop": 1, "Shop": 1, "bank": 0} {
		session := "s-" + project
		p, err := w.Preflight(ctx, PreflightRequest{Query: "make the refund webhook idempotent", Files: []string{file}, SessionID: session, Project: project})
		if err != nil || len(p.Lessons) != want || (p.Block != "") != (want == 1) {
			t.Errorf("%s: preflight %+v, %v", project, p, err)
		}
		touch, err := w.Touch(ctx, TouchRequest{SessionID: session + "2", Project: project, Files: []string{file}})
		if err != nil || (touch.Text != "") != (want == 1) {
			t.Errorf("%s: touch %+v, %v", project, touch, err)
		}
		h, err := w.Heads(ctx, HeadsRequest{Project: project})
		if err != nil || h.Named != want {
			t.Errorf("%s: titles %+v, %v", project, h, err)
		}
		r, err := w.Retrieve(ctx, RetrieveRequest{Query: "refund webhook", Project: project})
		if err != nil || len(r.Lessons) != want {
			t.Errorf("%s: retrieve %+v, %v", project, r, err)
		}
		r, err = w.Retrieve(ctx, RetrieveRequest{Project: project})
		if err != nil || len(r.Lessons) != want {
			t.Errorf("%s: the list %+v, %v", project, r, err)
		}
	}
}

// TestPathsInAWorktree holds that a card for files of a repository speaks in all of its
// worktrees.
func TestPathsInAWorktree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := newWorkspace(t, map[string]string{"lessons/bot.md": "---\ntype: lesson\npaths: [bot/**]\n---\n# Bots need an allowlist\n\n## Prevention Checklist\n\n- [ ] The allowlist is checked\n"})
	runGit(t, w.dir, "init", "-q")
	runGit(t, w.dir, "commit", "-q", "--allow-empty", "-m", "Begin")
	tree := filepath.Join(t.TempDir(), "feature")
	runGit(t, w.dir, "worktree", "add", "-q", tree)
	for _, top := range []string{w.dir, tree} {
		got, err := w.Touch(ctx, TouchRequest{SessionID: top, Files: []string{filepath.Join(top, "bot", "handlers.py")}})
		if err != nil || !strings.Contains(got.Text, "Bots need an allowlist") {
			t.Errorf("in %s: %+v, %v", top, got, err)
		}
	}
}
