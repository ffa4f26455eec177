package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/handrail-dev/handrail/triggers"
)

// host returns a Host whose goroutines have ended when the test has.
func host(t *testing.T) Host {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	t.Cleanup(func() { cancel(); wg.Wait() })
	return Host{ctx, wg.Go, slog.New(slog.DiscardHandler)}
}

func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	cmd := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// TestFunnel: what comes within a moment is read in one go, without end only so long; who
// waits is not kept waiting.
func TestFunnel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := NewFunnel()
		began := time.Now()
		var got []string
		read := func(paths []string) { got = append(got, fmt.Sprint(time.Since(began).Milliseconds(), paths)) }
		go f.Run(ctx, read)
		f.Add("b")
		f.Add("a", "b")
		time.Sleep(time.Second) //nolint:forbidigo // the bubble's clock
		for range 12 {
			f.Add("c")
			time.Sleep(10 * time.Millisecond) //nolint:forbidigo // the bubble's clock
		}
		time.Sleep(time.Second) //nolint:forbidigo // the bubble's clock
		f.Add("d")
		f.Add()
		if err := f.Settle(ctx, ctx); err != nil {
			t.Error(err)
		}
		if want := []string{"15 [a b]", "1100 [c]", "1125 [c]", "2120 []"}; !slices.Equal(got, want) {
			t.Errorf("read %v, not %v", got, want)
		}
		cancel()
		if err := f.Settle(t.Context(), ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("after its end: %v", err)
		}
	})
}

// TestFolder: files in folders that are new, or were moved, are told by the name they have.
func TestFolder(t *testing.T) {
	root := t.TempDir()
	told := make(chan string, 1000)
	Folder(host(t), root, func(path string) bool { return filepath.Base(path) == "hidden" }, func(paths ...string) { told <- strings.Join(paths, "") })
	await := func(want string) {
		t.Helper()
		limit := time.After(2 * time.Minute)
		for {
			select {
			case path := <-told:
				if path == want {
					return
				}
				if strings.Contains(path, "hidden") {
					t.Errorf("told %s", path)
				}
			case <-limit:
				t.Fatalf("%s is not told", want)
			}
		}
	}
	write := func(rel string) {
		t.Helper()
		path := filepath.Join(root, rel)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(rel), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	await("") // it watches
	write("hidden/a.md")
	write("a/a.md")
	await(filepath.Join(root, "a")) // it is watched
	write("a/b.md")
	await(filepath.Join(root, "a", "b.md"))
	if err := os.Rename(filepath.Join(root, "a"), filepath.Join(root, "b")); err != nil {
		t.Fatal(err)
	}
	await(filepath.Join(root, "b"))
	write("b/c.md")
	await(filepath.Join(root, "b", "c.md"))
}

// TestFollow: a revert in a repository that is followed is told with its lines.
func TestFollow(t *testing.T) {
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
	told := make(chan triggers.Event, 10)
	var g Git
	g.Follow(repos) // not started: nothing happens
	g.Edited("s", repos)
	g.StartTurn("s")
	g.Start(host(t), time.Now, func(e triggers.Event) { told <- e })
	g.Follow(repos)
	if trees := g.Trees(); len(trees) != 2 {
		t.Fatalf("%v are followed", trees)
	}
	runGit(t, repos[1], "revert", "--no-edit", "HEAD")
	select {
	case e := <-told:
		if !strings.Contains(e.Text, "Make 1 two") || len(e.Files) != 1 || filepath.Base(e.Files[0]) != "app.go" || !filepath.IsAbs(e.Files[0]) || len(e.Changes) != 1 {
			t.Errorf("told %+v", e)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the revert is not told")
	}
}

// TestTookBackFromTheSecond: a file that two conversations edited went back from what the second made of it, of which the
// system told before its host did.
func TestTookBackFromTheSecond(t *testing.T) {
	repo := t.TempDir()
	runGit(t, repo, "init", "-q")
	told := make(chan triggers.Event, 10)
	var g Git
	g.Start(host(t), time.Now, func(e triggers.Event) { told <- e })
	g.Follow([]string{repo})
	file := filepath.Join(repo, "a")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("one\n")
	runGit(t, repo, "add", "-A")
	for _, session := range []string{"first", "second"} {
		g.CallBegun(session, "1")
		write(session + "\n")
		g.changed(file)
		g.checkReturned()
		g.Edited(session, []string{file})
		g.CallEnded(session, "1")
	}
	write("first\n")
	select {
	case e := <-told:
		if e.ByAgent || len(e.Changes) != 1 || !slices.Equal(e.Changes[0].Removed, []string{"second"}) {
			t.Errorf("%+v", e)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("not noticed")
	}
}

// TestChangedLately: a commit of many files says of few that they changed, and the newest are among them.
func TestChangedLately(t *testing.T) {
	repo := t.TempDir()
	runGit(t, repo, "init", "-q", "-b", "main")
	for i := range 3 * maxLately {
		if err := os.WriteFile(filepath.Join(repo, fmt.Sprintf("f%d.go", i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"Import", "Work"} {
		if err := os.WriteFile(filepath.Join(repo, "z"+name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		runGit(t, repo, "add", "-A")
		runGit(t, repo, "commit", "-q", "-m", name)
	}
	files := new(Git).ChangedLately(t.Context(), repo)
	if len(files) > maxLately || !slices.Contains(files, "zWork") || !slices.Contains(files, "f0.go") {
		t.Errorf("%d files changed lately: %v", len(files), files)
	}
}

// TestWhoTookItBack: an agent whose call is under way did it, or one whose host tells only of a call's end when that comes next; else a person.
func TestWhoTookItBack(t *testing.T) {
	repo := t.TempDir()
	runGit(t, repo, "init", "-q")
	told := make(chan triggers.Event, 10)
	var g Git
	g.Start(host(t), time.Now, func(e triggers.Event) { told <- e })
	g.Follow([]string{repo})
	for name, act := range map[string]func(back func()){
		"agent":      func(back func()) { g.CallBegun("tells", "1"); back() },
		"late agent": func(back func()) { back(); g.CallEnded("quiet", "1") },
		"person":     func(back func()) { g.CallBegun("tells", "2"); g.CallEnded("tells", "2"); back() },
	} {
		g.StartTurn("tells")
		session := "tells"
		if name == "late agent" {
			session = "quiet"
		}
		file := filepath.Join(repo, name)
		write := func(text string) {
			t.Helper()
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write("one\n")
		runGit(t, repo, "add", "-A")
		write("two\n")
		g.Edited(session, []string{file})
		act(func() { write("one\n") })
		select {
		case e := <-told:
			if e.ByAgent != (name != "person") || e.ByAgent && e.SessionID != session || !slices.Equal(e.Files, []string{file}) || len(e.Changes) != 1 || !slices.Equal(e.Changes[0].Removed, []string{"two"}) {
				t.Errorf("%s: %+v", name, e)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s: not noticed", name)
		}
	}
}

// TestEndsAtAnyMoment: a watch that is given up while its folders are being added, at first
// or later, ends. On Windows fsnotify alone does not.
func TestEndsAtAnyMoment(t *testing.T) {
	for n := range 40 {
		dir := t.TempDir()
		folders := func(name string) {
			for i := range 50 {
				if err := os.Mkdir(filepath.Join(dir, fmt.Sprint(name, i)), 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}
		folders("old")
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		told := make(chan string, 1000)
		Folder(Host{ctx, wg.Go, slog.New(slog.DiscardHandler)}, dir, func(string) bool { return false }, func(paths ...string) { told <- strings.Join(paths, "") })
		if n%2 == 0 {
			for <-told != "" { // until all are watched
			}
			folders("new")
			<-told
		}
		cancel()
		wg.Wait()
	}
}
