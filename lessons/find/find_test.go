package find

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// run runs git in a folder, without the settings of whoever runs the tests.
func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func makeDir(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestBrain(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := makeDir(t, filepath.Join(base, "home"))
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	makeDir(t, filepath.Join(home, ".brain"))

	repo := makeDir(t, filepath.Join(home, "shop"))
	run(t, repo, "init", "-q")
	makeDir(t, filepath.Join(repo, ".brain"))
	if err := os.WriteFile(filepath.Join(repo, ".brain", "a.md"), []byte("# A\n"), 0o600); err != nil { // as in a team that commits its cards
		t.Fatal(err)
	}
	run(t, repo, "add", ".")
	run(t, repo, "commit", "-q", "-m", "begin")
	tree := filepath.Join(base, "shop-feature")
	run(t, repo, "worktree", "add", "-q", tree)
	if _, ok := In(tree); !ok {
		t.Fatal("the worktree has no copy of the brain, so the test would show nothing")
	}

	other := makeDir(t, filepath.Join(repo, "vendored"))
	run(t, other, "init", "-q")
	bare := makeDir(t, filepath.Join(home, "notes", "deep"))
	visible := makeDir(t, filepath.Join(base, "visible"))
	makeDir(t, filepath.Join(visible, "brain"))
	fresh := makeDir(t, filepath.Join(base, "fresh"))
	run(t, fresh, "init", "-q")
	run(t, fresh, "commit", "-q", "--allow-empty", "-m", "begin")
	freshTree := filepath.Join(base, "fresh-tree")
	run(t, fresh, "worktree", "add", "-q", freshTree)

	part := makeDir(t, filepath.Join(repo, "web", ".brain")) // of the main worktree alone
	shared := filepath.Join(repo, ".brain")
	for _, tt := range []struct{ name, folder, want, project string }{
		{"its own", repo, shared, "shop"},
		{"the repository's, from below", makeDir(t, filepath.Join(repo, "src", "api")), shared, "shop"},
		{"the main worktree's before a copy of it", tree, shared, "shop"},
		{"the same from below", makeDir(t, filepath.Join(tree, "src")), shared, "shop"},
		{"a part's own", makeDir(t, filepath.Join(repo, "web", "src")), part, "shop"},
		{"the same from a worktree", filepath.Join(tree, "web", "src"), part, "shop"},
		{"none of the repository around", other, "", "vendored"},
		{"none of the home folder", bare, "", "deep"},
		{"the home folder's own", home, filepath.Join(home, ".brain"), "home"},
		{"one that is not hidden", visible, filepath.Join(visible, "brain"), "visible"},
		{"a worktree of a repository without one", freshTree, "", "fresh"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Brain(tt.folder)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("Brain(%s) = %q, %v; want %q", tt.folder, got, ok, tt.want)
			}
			if got := Project(tt.folder); got != tt.project {
				t.Errorf("Project(%s) = %q, want %q", tt.folder, got, tt.project)
			}
		})
	}
	for file, want := range map[string]string{
		filepath.Join(tree, "src", "new.go"): filepath.Join(repo, "src", "new.go"),
		filepath.Join(repo, "src", "new.go"): filepath.Join(repo, "src", "new.go"),
		filepath.Join(visible, "a.go"):       filepath.Join(visible, "a.go"),
	} {
		if got := InMain(file); got != want {
			t.Errorf("InMain(%s) = %q, want %q", file, got, want)
		}
	}
	for folder, want := range map[string]string{
		freshTree:                 filepath.Join(fresh, ".brain"),
		fresh:                     filepath.Join(fresh, ".brain"),
		bare:                      filepath.Join(bare, ".brain"),
		tree:                      shared,
		visible:                   filepath.Join(visible, "brain"),
		filepath.Join(tree, "no"): filepath.Join(tree, "no", ".brain"),
	} {
		if got := New(folder); got != want {
			t.Errorf("New(%s) = %q, want %q", folder, got, want)
		}
	}
}
