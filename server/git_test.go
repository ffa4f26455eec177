package server

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestRollbacksRaiseCandidates(t *testing.T) {
	repo := newRepository(t, "one", "two", "three")
	file := filepath.Join(repo, "app.go")
	save := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var minutes atomic.Int64 // the clock runs fast, past the cool-down between candidates
	w := newWorkspace(t, nil, watching, func(c *Config) {
		c.Workspaces = []string{repo}
		c.Now = func() time.Time { return now().Add(time.Duration(minutes.Add(5)) * time.Minute) }
	})
	raised := make(chan Candidate, 100)
	t.Cleanup(w.Attach(Notify{Candidate: func(c Candidate) { raised <- c }}))
	next := func(what string) Candidate {
		t.Helper()
		select {
		case c := <-raised:
			return c
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s: no candidate", what)
			return Candidate{}
		}
	}
	// What is no rollback raises nothing: the first candidate is the revert's.
	runGit(t, repo, "commit", "-q", "--amend", "-m", "Make it three again")
	runGit(t, repo, "switch", "-q", "-c", "topic")
	runGit(t, repo, "switch", "-q", "main")
	runGit(t, repo, "reset", "-q", "--soft", "HEAD~1")
	runGit(t, repo, "commit", "-q", "-m", "Make it three, once more")
	runGit(t, repo, "revert", "--no-edit", "HEAD")
	if c := next("revert"); c.Trigger != "rollback" || c.Title != "Make it three, once more" || len(c.Evidence) == 0 {
		t.Errorf("revert: %+v", c)
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	// An agent's own work tree is followed too, from its first edit there.
	tree := filepath.Join(t.TempDir(), "tree")
	runGit(t, repo, "worktree", "add", "-q", tree)
	if err := os.WriteFile(filepath.Join(tree, "more.go"), []byte("more"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Observe(ctx, Event{Kind: EditEvent, Files: []string{filepath.Join(tree, "more.go")}, SessionID: "s0"}); err != nil {
		t.Fatal(err)
	}
	w.awaitRepository(t, tree)
	runGit(t, tree, "add", "-A")
	runGit(t, tree, "commit", "-q", "-m", "Work in a tree")
	runGit(t, tree, "revert", "--no-edit", "HEAD")
	if c := next("revert in a work tree"); c.Trigger != "rollback" || c.Title != "Work in a tree" {
		t.Errorf("revert in a work tree: %+v", c)
	}
	// A file that goes back to what it was before the agent's edit leaves no line in git's log.
	w2 := newWorkspace(t, nil, watching, func(c *Config) {
		c.Workspaces = []string{repo}
	})
	again := make(chan Candidate, 100)
	t.Cleanup(w2.Attach(Notify{Candidate: func(c Candidate) { again <- c }}))
	if _, err := w2.Preflight(ctx, PreflightRequest{Query: "change the app"}); err != nil {
		t.Fatal(err)
	}
	save("the agent's work")
	// A person's own file that goes back is no rollback; an agent's is.
	if _, err := w2.Observe(ctx, Event{Kind: EditEvent, Files: []string{file}}); err != nil {
		t.Fatal(err)
	}
	if w2.Git.Tracks(file) {
		t.Error("a person's edit is followed")
	}
	if _, err := w2.Observe(ctx, Event{Kind: EditEvent, Files: []string{file}, SessionID: "s1"}); err != nil {
		t.Fatal(err)
	}
	// To look whether an answer shows what a card asks for begins no turn: what the agent has
	// edited is still followed, and its session is where it was.
	p, err := w2.Preflight(ctx, PreflightRequest{Query: "the app is changed", SessionID: "s1", Aside: true})
	if err != nil {
		t.Fatal(err)
	}
	if !w2.Git.Tracks(file) || w2.State.TurnOf("s1") == p.AnswerID {
		t.Error("a look aside began a turn")
	}
	runGit(t, repo, "restore", "app.go")
	select {
	case c := <-again:
		if c.Trigger != "rollback" || !strings.Contains(c.Title, "app.go") {
			t.Errorf("restore: %+v", c)
		}
	case <-time.After(2 * time.Minute):
		t.Error("restore: no candidate")
	}
}

// TestRepositoryWithoutACommit: its log comes with the first commit, made by git alone, and is followed from its first line.
func TestRepositoryWithoutACommit(t *testing.T) {
	repo := newRepository(t)
	w := newWorkspace(t, nil, watching, func(c *Config) { c.Workspaces = []string{repo} })
	w.awaitRepository(t, repo)
	if entries, err := os.ReadDir(filepath.Join(repo, ".git", "logs")); err == nil {
		t.Fatalf("following made the folder of the log, with %v", entries)
	}
	raised := make(chan Candidate, 100)
	t.Cleanup(w.Attach(Notify{Candidate: func(c Candidate) { raised <- c }}))
	for _, text := range []string{"one", "two"} {
		if err := os.WriteFile(filepath.Join(repo, "app.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		runGit(t, repo, "add", "-A")
		runGit(t, repo, "commit", "-q", "-m", "Make it "+text)
	}
	runGit(t, repo, "revert", "--no-edit", "HEAD")
	select {
	case c := <-raised:
		if c.Trigger != "rollback" || c.Title != "Make it two" {
			t.Errorf("revert: %+v", c)
		}
	case <-time.After(2 * time.Minute):
		t.Error("revert: no candidate")
	}
}

// TestEditsBeforeTheLookAtATurnsStart: git tells what had been changed when a turn began
// while the agent is already at work. What it writes by then is not what the file held.
func TestEditsBeforeTheLookAtATurnsStart(t *testing.T) {
	repo := newRepository(t, "one")
	w := newWorkspace(t, nil, watching, func(c *Config) { c.Workspaces = []string{repo} })
	raised := make(chan Candidate, 100)
	t.Cleanup(w.Attach(Notify{Candidate: func(c Candidate) { raised <- c }}))
	file := filepath.Join(repo, "app.go")
	if err := os.WriteFile(file, []byte("the agent's work"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Preflight(ctx, PreflightRequest{Query: "change the app"}); err != nil {
		t.Fatal(err)
	}
	w.awaitGit(t, "the look at the turn's start", func() bool { hash, _ := w.Git.AtStart(file); return hash != "" })
	if _, err := w.Observe(ctx, Event{Kind: EditEvent, Files: []string{file}, SessionID: "s1"}); err != nil {
		t.Fatal(err)
	}
	runGit(t, repo, "restore", "app.go")
	select {
	case c := <-raised:
		if c.Trigger != "rollback" || !strings.Contains(c.Title, "app.go") {
			t.Errorf("restore: %+v", c)
		}
	case <-time.After(2 * time.Minute):
		t.Error("restore: no candidate")
	}
}

// newRepository returns a repository in which app.go was committed once for each text.
func newRepository(t *testing.T, texts ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	repo := t.TempDir()
	runGit(t, repo, "init", "-q", "-b", "main")
	for _, text := range texts {
		if err := os.WriteFile(filepath.Join(repo, "app.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		runGit(t, repo, "add", "-A")
		runGit(t, repo, "commit", "-q", "-m", "Make it "+text)
	}
	return repo
}

// awaitRepository waits until a work tree is followed.
func (w *workspace) awaitRepository(t *testing.T, tree string) {
	t.Helper()
	w.awaitGit(t, "the new work tree", func() bool {
		return slices.ContainsFunc(w.Git.Trees(), func(top string) bool { return filepath.Base(top) == filepath.Base(tree) })
	})
}

// awaitGit waits until something holds of what is followed. That is in another goroutine's
// hands and has no event of its own.
func (w *workspace) awaitGit(t *testing.T, what string, ok func() bool) {
	t.Helper()
	limit := time.After(2 * time.Minute)
	for tick := time.Tick(5 * time.Millisecond); ; {
		if ok() {
			return
		}
		select {
		case <-tick:
		case <-limit:
			t.Fatalf("%s: not noticed", what)
		}
	}
}

// TestACardOfARevertedCommitIsOutdated: a Fix that names a commit is none where the commit was taken back.
func TestACardOfARevertedCommitIsOutdated(t *testing.T) {
	repo := newRepository(t, "one", "two", "three")
	w := newWorkspace(t, nil)
	w.dir, w.cfg.Brain = repo, filepath.Join(repo, ".brain")
	for name, commit := range map[string]string{"kept": "HEAD~1", "reverted": "HEAD"} {
		hash, err := exec.Command("git", "-C", repo, "rev-parse", "--short=8", commit).Output()
		if err != nil {
			t.Fatal(err)
		}
		fix := "## Fix\n\nIt came with `" + strings.TrimSpace(string(hash)) + "`.\n\n## Prevention"
		w.put(t, "lessons/"+name+".md", strings.Replace(titled("last-seen: 2025-03-01\n", "The "+name+" one"), "## Prevention", fix, 1))
	}
	runGit(t, repo, "revert", "--no-edit", "HEAD")
	w.Close()
	w.open(t)
	tidied, err := w.Tidy(ctx, TidyRequest{})
	if err != nil || len(tidied.Outdated) != 1 || tidied.Outdated[0].Title != "The reverted one" || tidied.Outdated[0].Commit == "" {
		t.Errorf("%+v, %v", tidied.Outdated, err)
	}
}
