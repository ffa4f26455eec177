package server

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
