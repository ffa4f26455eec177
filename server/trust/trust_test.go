package trust

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/side"
)

// repo is a repository whose commits are by whoever is named.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "none"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	r := repo{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	r.git("config", "user.email", "me@example.org")
	r.git("config", "user.name", "Me")
	return r
}

func (r repo) git(args ...string) {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func (r repo) write(rel, text string) {
	r.t.Helper()
	name := filepath.Join(r.dir, rel)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r repo) commit(who string) {
	r.t.Helper()
	r.git("add", "-A")
	r.git("-c", "user.email="+strings.ToLower(who)+"@example.org", "-c", "user.name="+who, "commit", "-q", "-m", "by "+who)
}

// asked returns the authors of files in brain/, "" for one's own and "none" for no commit.
func (r repo) asked(files ...string) map[string]string {
	r.t.Helper()
	got, err := Authors(r.t.Context(), Question{Dir: filepath.Join(r.dir, "brain"), Files: files})
	if err != nil {
		r.t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		a, ok := got[f]
		switch {
		case !ok:
			out[f] = "none"
		case a.Own:
			out[f] = ""
		default:
			out[f] = a.Name
		}
	}
	return out
}

func TestAuthors(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(r repo)
		want map[string]string
	}{
		{"the last commit counts", func(r repo) {
			r.write("brain/a.md", "1")
			r.write("brain/b.md", "1")
			r.commit("Mallory")
			r.write("brain/a.md", "2")
			r.commit("Me")
		}, map[string]string{"a.md": "", "b.md": "Mallory"}},
		{"no commit yet", func(r repo) { r.write("brain/a.md", "1"); r.git("add", "-A") }, map[string]string{"a.md": "none"}},
		{"new, staged, ignored", func(r repo) {
			r.write("brain/a.md", "1")
			r.write(".gitignore", "c.md\n")
			r.commit("Mallory")
			r.write("brain/b.md", "1")
			r.git("add", "brain/b.md")
			r.write("brain/c.md", "1")
		}, map[string]string{"a.md": "Mallory", "b.md": "none", "c.md": "none"}},
		{"changed and not committed", func(r repo) { r.write("brain/a.md", "1"); r.commit("Mallory"); r.write("brain/a.md", "2") }, map[string]string{"a.md": "Mallory"}},
		{"a rebase that stopped", func(r repo) {
			r.write("brain/a.md", "1")
			r.commit("Me")
			r.git("checkout", "-q", "-b", "theirs")
			r.write("brain/a.md", "2")
			r.write("brain/new.md", "2")
			r.commit("Mallory")
			r.git("checkout", "-q", "main")
			r.write("brain/a.md", "3")
			r.commit("Me")
			cmd := exec.Command("git", "rebase", "-q", "main", "theirs")
			cmd.Dir = r.dir
			if out, err := cmd.CombinedOutput(); err == nil {
				r.t.Fatalf("the rebase did not stop\n%s", out)
			}
		}, map[string]string{"a.md": "Mallory", "new.md": "Mallory"}},
		{"a merge of mine makes nothing mine", func(r repo) {
			r.write("brain/a.md", "1")
			r.commit("Me")
			r.git("checkout", "-q", "-b", "theirs")
			r.write("brain/b.md", "1")
			r.commit("Mallory")
			r.git("checkout", "-q", "main")
			r.write("x", "1")
			r.commit("Me")
			r.git("merge", "-q", "--no-edit", "theirs")
		}, map[string]string{"a.md": "", "b.md": "Mallory"}},
		{"what a merge of theirs adds is theirs", func(r repo) {
			r.write("brain/a.md", "1")
			r.commit("Me")
			r.git("checkout", "-q", "-b", "side")
			r.write("x", "1")
			r.commit("Me")
			r.git("checkout", "-q", "main")
			r.write("y", "1")
			r.commit("Me")
			r.git("merge", "-q", "--no-commit", "side")
			r.write("brain/a.md", "2")
			r.commit("Mallory")
		}, map[string]string{"a.md": "Mallory"}},
		{"what git merges of theirs with mine is not mine", func(r repo) {
			r.write("brain/a.md", "1\n\n\n\n\n2\n")
			r.write("brain/b.md", "1\n\n\n\n\n2\n")
			r.commit("Me")
			r.git("checkout", "-q", "-b", "theirs")
			r.write("brain/a.md", "1\n\n\n\n\nevil\n")
			r.commit("Mallory")
			r.write("brain/b.md", "1\n\n\n\n\n3\n")
			r.commit("Me")
			r.git("checkout", "-q", "main")
			r.write("brain/a.md", "0\n\n\n\n\n2\n")
			r.write("brain/b.md", "0\n\n\n\n\n2\n")
			r.commit("Me")
			r.git("merge", "-q", "--no-edit", "theirs")
		}, map[string]string{"a.md": "Mallory", "b.md": ""}},
		{"a merge that is not done makes nothing mine", func(r repo) {
			r.write("brain/a.md", "1")
			r.write("x", "1")
			r.commit("Me")
			r.git("checkout", "-q", "-b", "theirs")
			r.write("brain/a.md", "evil")
			r.write("brain/b.md", "evil")
			r.write("x", "2")
			r.commit("Mallory")
			r.git("checkout", "-q", "main")
			r.write("x", "3")
			r.write("brain/c.md", "1")
			r.commit("Me")
			if exec.Command("git", "-C", r.dir, "merge", "-q", "theirs").Run() == nil {
				r.t.Fatal("x has no conflict")
			}
		}, map[string]string{"a.md": "Mallory", "b.md": "Mallory", "c.md": ""}},
		{"names are no orders", func(r repo) {
			for _, n := range []string{"brain/가 나.md", "brain/-n.md", "brain/:(top)x.md", "brain/*.md", "brain/sub/a.md"} {
				r.write(n, "1")
			}
			r.commit("Mallory")
			r.write("brain/b.md", "1")
			r.commit("Me")
		}, map[string]string{"가 나.md": "Mallory", "-n.md": "Mallory", ":(top)x.md": "Mallory", "*.md": "Mallory", "sub/a.md": "Mallory", "b.md": ""}},
		{"their mailmap renames nobody", func(r repo) {
			r.write("brain/a.md", "1")
			r.write(".mailmap", "Me <me@example.org> <mallory@example.org>\n")
			r.commit("Mallory")
		}, map[string]string{"a.md": "Mallory"}},
		{"without an identity nothing is mine", func(r repo) {
			r.write("brain/a.md", "1")
			r.commit("Me")
			r.git("config", "--unset", "user.email")
		}, map[string]string{"a.md": "Me"}},
		{"addresses are compared without case", func(r repo) {
			r.write("brain/a.md", "1")
			r.commit("Me")
			r.git("config", "user.email", "ME@Example.org")
		}, map[string]string{"a.md": ""}},
		{"a folder that is called .git and is none", func(r repo) {
			r.write("brain/a.md", "1")
			if err := os.RemoveAll(filepath.Join(r.dir, ".git")); err != nil {
				r.t.Fatal(err)
			}
			r.write(".git/HEAD", "")
		}, map[string]string{"a.md": "none"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRepo(t)
			tt.do(r)
			var files []string
			for f := range tt.want {
				files = append(files, f)
			}
			if diff := cmp.Diff(tt.want, r.asked(files...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAuthorsOfMany reads the history as a whole.
func TestAuthorsOfMany(t *testing.T) {
	r := newRepo(t)
	want, files := map[string]string{}, []string{}
	for i := range 60 {
		name := fmt.Sprintf("lessons/%d.md", i)
		r.write("brain/"+name, "1")
		want[name], files = "Mallory", append(files, name)
	}
	r.commit("Mallory")
	r.write("brain/lessons/7.md", "2")
	want["lessons/7.md"] = ""
	r.commit("Me")
	if diff := cmp.Diff(want, r.asked(files...)); diff != "" {
		t.Error(diff)
	}
}

// TestAuthorsUnknown: where git does not answer, nothing is said to be anybody's.
func TestAuthorsUnknown(t *testing.T) {
	r := newRepo(t)
	r.write("brain/a.md", "1")
	r.commit("Me")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := Authors(ctx, Question{Dir: filepath.Join(r.dir, "brain"), Files: []string{"a.md"}}); err == nil {
		t.Errorf("got %v, want an error", got)
	}
}

// TestAuthorsOfAnotherRepository: neither the environment nor a file of the repository has git look elsewhere.
func TestAuthorsOfAnotherRepository(t *testing.T) {
	t.Run("the environment of a hook of git", func(t *testing.T) {
		r := newRepo(t)
		r.write("brain/a.md", "1")
		r.commit("Mallory")
		t.Setenv("GIT_DIR", ".git")
		if got := r.asked("a.md"); got["a.md"] != "Mallory" {
			t.Errorf("by %q, want Mallory", got["a.md"])
		}
	})
	t.Run("a bare repository among the cards", func(t *testing.T) {
		r := newRepo(t)
		r.write("brain/a.md", "1")
		r.write("brain/HEAD", "ref: refs/heads/main\n")
		r.write("brain/config", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
		r.write("brain/objects/keep", "")
		r.write("brain/refs/keep", "")
		r.commit("Mallory")
		got, err := Authors(t.Context(), Question{Dir: filepath.Join(r.dir, "brain"), Files: []string{"a.md"}})
		if a, ok := got["a.md"]; err == nil && (!ok || a.Own) {
			t.Errorf("got %v, want Mallory or an error", got)
		}
	})
}

// TestAuthorsWhereHistoryIsCut: the first commit of a shallow clone has the files of all before it.
func TestAuthorsWhereHistoryIsCut(t *testing.T) {
	r := newRepo(t)
	r.write("brain/a.md", "1")
	r.commit("Mallory")
	r.write("brain/b.md", "1")
	r.commit("Me")
	r.write("brain/c.md", "1")
	r.commit("Me")
	clone := repo{t, filepath.Join(t.TempDir(), "clone")}
	r.git("clone", "-q", "--depth", "2", "file://"+filepath.ToSlash(r.dir), clone.dir)
	clone.git("config", "user.email", "me@example.org")
	if diff := cmp.Diff(map[string]string{"a.md": "?", "b.md": "?", "c.md": ""}, clone.asked("a.md", "b.md", "c.md")); diff != "" {
		t.Error(diff)
	}
}

func TestBook(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	one, two := Open(dir), Open(dir)
	if g := one.Get().Ground; g != Unknown {
		t.Errorf("a new brain is %q", g)
	}
	var wg sync.WaitGroup
	for i := range 40 { // two processes at once lose nothing
		book := one
		if i%2 == 1 {
			book = two
		}
		wg.Go(func() {
			if err := book.Update(func(r *Record) { r.Ground = Agreed; r.Texts[fmt.Sprint(i)] = side.Sum([]byte("x")) }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, book := range []*Book{one, two, Open(dir)} {
		if r := book.Get(); r.Ground != Agreed || len(r.Texts) != 40 {
			t.Errorf("%q with %d texts, want agreed with 40", r.Ground, len(r.Texts))
		}
	}
	list, err := All(filepath.Dir(dir))
	if err != nil || len(list) != 1 || list[0].Ground != Agreed {
		t.Errorf("All: %v, %v", list, err)
	}
	if err := os.WriteFile(filepath.Join(dir, find.RecordFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if g := one.Get().Ground; g != Unknown { // damaged: the person is asked again
		t.Errorf("a damaged record says %q", g)
	}
}
