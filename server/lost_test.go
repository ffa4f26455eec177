package server

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestLessonsGoneWithARollback: what a revert or a hard reset takes along is told and comes back.
// Nothing is said of cards that a person deletes, of a checkout and of a soft reset.
func TestLessonsGoneWithARollback(t *testing.T) {
	repo := newRepository(t, "one")
	brain := filepath.Join(repo, ".brain")
	put := func(rel, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(brain, rel)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(brain, rel), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	commit := func() { t.Helper(); runGit(t, repo, "add", "-A"); runGit(t, repo, "commit", "-q", "-m", "More") }
	put("notes/kept.md", "# What stays\n")
	commit()
	put("lessons/first.md", refused)
	commit()
	w := newWorkspace(t, nil, watching, func(c *Config) { c.Brain, c.Workspaces = brain, []string{repo} })
	told := make(chan Lost, 10)
	t.Cleanup(w.Attach(Notify{Lost: func(l Lost) { told <- l }}))
	comesBack := func(what string, cards int) {
		t.Helper()
		select {
		case l := <-told:
			if l.Cards != cards {
				t.Fatalf("%s: %+v", what, l)
			}
			if done, err := w.Undo(ctx, UndoRequest{Path: l.Path}); err != nil || len(done.Cards) != cards {
				t.Fatalf("%s: %+v %v", what, done, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: nothing is said", what)
		}
	}
	// A checkout, a deletion and a soft reset say nothing: the first word is the revert's.
	runGit(t, repo, "switch", "-q", "-c", "old", "HEAD~1")
	runGit(t, repo, "switch", "-q", "main")
	runGit(t, repo, "rm", "-q", ".brain/lessons/first.md")
	commit2 := []string{"commit", "-q", "-m", "Delete it"}
	runGit(t, repo, commit2...)
	put("lessons/allow.md", allowlist)
	put("lessons/queue.md", refused)
	commit()
	runGit(t, repo, "reset", "-q", "--soft", "HEAD~1")
	commit()
	runGit(t, repo, "revert", "--no-edit", "HEAD")
	comesBack("revert", 2)
	for _, rel := range []string{"lessons/allow.md", "lessons/queue.md"} {
		src, err := os.ReadFile(filepath.Join(brain, rel))
		if want := map[string]string{"lessons/allow.md": allowlist, "lessons/queue.md": refused}[rel]; err != nil || string(src) != want {
			t.Errorf("%s came back as %q, %v", rel, src, err)
		}
	}
	commit()
	runGit(t, repo, "reset", "-q", "--hard", "HEAD~1")
	comesBack("reset", 2)
}
