package lessons

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestMain lets this binary play another process that writes to a brain.
func TestMain(m *testing.M) {
	if dir := os.Getenv("HANDRAIL_TEST_WRITER"); dir != "" {
		writer(dir, os.Getenv("HANDRAIL_TEST_JOB"))
		return
	}
	os.Exit(m.Run())
}

// writer is the other process: it bumps one card 200 times, or rewrites cards for ever.
func writer(dir, job string) {
	b, err := OpenBrain(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for i := 0; job == "rewrite" || i < 200; i++ {
		rel := "lessons/a.md"
		change := func(src []byte) ([]byte, error) { return Bump(src, Date{2026, 11, 21}) }
		if job == "rewrite" {
			rel = fmt.Sprintf("lessons/%d.md", i%10)
			change = func([]byte) ([]byte, error) { return version(i), nil }
		}
		if err := b.Edit(rel, change); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if i == 50 {
			fmt.Println("writing")
		}
	}
}

// version is a text whose two ends agree, so that a torn one shows.
func version(i int) []byte {
	return []byte(fmt.Sprintf("begin %d\n%send %d\n", i, strings.Repeat("line\n", 5000), i))
}

func other(t *testing.T, dir, job string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "HANDRAIL_TEST_WRITER="+dir, "HANDRAIL_TEST_JOB="+job)
	cmd.Stderr = os.Stderr
	return cmd
}

func newBrain(t *testing.T, files map[string]string) *Brain {
	t.Helper()
	dir := t.TempDir()
	for rel, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := OpenBrain(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func TestTwoProcessesLoseNoBump(t *testing.T) {
	b := newBrain(t, map[string]string{"lessons/a.md": "---\ntype: lesson\noccurrences: 1\n---\n# A\n"})
	one, two := other(t, b.Root(), "bump"), other(t, b.Root(), "bump")
	if err := errors.Join(one.Start(), two.Start()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(one.Wait(), two.Wait()); err != nil {
		t.Fatal(err)
	}
	src, err := b.Read("lessons/a.md")
	if err != nil {
		t.Fatal(err)
	}
	if c, _ := Parse("lessons/a.md", src); c.Occurrences != 401 {
		t.Errorf("occurrences %d after 400 bumps of a card seen once", c.Occurrences)
	}
}

func TestKillTearsNoFile(t *testing.T) {
	files := map[string]string{}
	for i := range 10 {
		files[fmt.Sprintf("lessons/%d.md", i)] = string(version(i))
	}
	b := newBrain(t, files)
	for range 5 {
		cmd := other(t, b.Root(), "rewrite")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil { // it is in the middle of its writes
			t.Fatal(err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		for rel := range files {
			src, err := b.Read(rel)
			if err != nil {
				t.Fatalf("lost: %v", err)
			}
			var n int
			if _, err := fmt.Sscanf(string(src), "begin %d", &n); err != nil || string(src) != string(version(n)) {
				t.Fatalf("%s is torn", rel)
			}
		}
	}
}

func TestOpenBrain(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Skip("no links here: ", err)
	}
	for path, want := range map[string]error{filepath.Join(dir, "none"): ErrNoBrain, file: ErrNotAFolder} {
		if _, err := OpenBrain(path); !errors.Is(err, want) {
			t.Errorf("OpenBrain(%s) = %v, want %v", path, err, want)
		}
	}
	if _, err := OpenBrain(loop); err == nil {
		t.Error("a loop of links was opened")
	}
	b, err := OpenBrain(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := os.Stat(filepath.Join(dir, ".handrail")); err == nil {
		t.Error("opening wrote into the brain")
	}
}

func TestRelStaysInside(t *testing.T) {
	b := newBrain(t, map[string]string{"lessons/a.md": "# A\n", "lessons/한글.md": "# B\n"})
	outside := filepath.Join(t.TempDir(), "out.md")
	if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(b.Root(), "lessons", "link.md")); err != nil {
		t.Skip("no links here: ", err)
	}
	for in, want := range map[string]string{
		"lessons/a.md":                             "lessons/a.md",
		`lessons\a.md`:                             "lessons/a.md",
		"./lessons/../lessons/a.md":                "lessons/a.md",
		filepath.Join(b.Root(), "lessons", "a.md"): "lessons/a.md",
		"lessons/새.md":                             "lessons/새.md", // not written yet
		"lessons/한글.md":                            "lessons/한글.md",
	} {
		if got, err := b.Rel(in); got != want || err != nil {
			t.Errorf("Rel(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for in, want := range map[string]error{
		"../out.md": ErrOutsideBrain, "lessons/../../out.md": ErrOutsideBrain, outside: ErrOutsideBrain, "/etc/passwd.md": ErrOutsideBrain, "lessons/link.md": ErrOutsideBrain,
		"": ErrBadPath, "a\x00.md": ErrBadPath, strings.Repeat("a", 300) + ".md": ErrBadPath, "lessons/a.txt": ErrBadPath, ".git/a.md": ErrBadPath, ".handrail/trash/a.md": ErrBadPath, "node_modules/a.md": ErrBadPath,
	} {
		if got, err := b.Rel(in); !errors.Is(err, want) {
			t.Errorf("Rel(%q) = %q, %v, want %v", in, got, err, want)
		}
	}
}

func TestWalk(t *testing.T) {
	b := newBrain(t, map[string]string{
		"a.md": "", "b.txt": "", "lessons/c.MD": "", ".hidden/d.md": "", "node_modules/e.md": "", ".private/f.md": "", "keep/g.markdown": "",
		strings.Repeat("d/", MaxDepth) + "deep.md": "", strings.Repeat("d/", MaxDepth+1) + "deeper.md": "",
		"big.md": strings.Repeat("x", MaxFile+1),
	})
	if err := os.Symlink(b.Root(), filepath.Join(b.Root(), "loop")); err != nil {
		t.Skip("no links here: ", err)
	}
	var got, skipped []string
	err := b.Walk(context.Background(), func(rel string, _ fs.FileInfo) error {
		got = append(got, rel)
		if !b.Counts(rel) {
			t.Errorf("Walk visits %s, which does not count", rel)
		}
		return nil
	}, func(rel string, err error) { skipped = append(skipped, rel) })
	if want := []string{"a.md", strings.Repeat("d/", MaxDepth) + "deep.md", "keep/g.markdown", "lessons/c.MD"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("Walk visits %v, %v, want %v", got, err, want)
	}
	if !slices.Equal(skipped, []string{"big.md", strings.Repeat("d/", MaxDepth) + "d"}) {
		t.Errorf("skipped %v, want the large file and the deep folder", skipped)
	}
}

func TestCreateNeverOverwrites(t *testing.T) {
	b := newBrain(t, nil)
	d := Draft{Title: "A: B"}
	first := b.NewPath(d)
	if err := b.Create(first, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := b.Create(first, []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create over a file: %v", err)
	}
	if second := b.NewPath(d); second != "lessons/a-b-2.md" {
		t.Errorf("the second path is %s", second)
	}
	if src, err := b.Read(first); err != nil || string(src) != "one" {
		t.Errorf("the first file holds %q, %v", src, err)
	}
	if src, err := os.ReadFile(filepath.Join(b.Root(), ".handrail", ".gitignore")); err != nil || string(src) != "*\n" {
		t.Errorf("Handrail's own files are not hidden from git: %q, %v", src, err)
	}
}

func TestEditKeepsModeAndLink(t *testing.T) {
	b := newBrain(t, map[string]string{"lessons/real.md": "---\noccurrences: 1\n---\n"})
	path := filepath.Join(b.Root(), "lessons", "real.md")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.md", filepath.Join(b.Root(), "lessons", "link.md")); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := b.Edit("lessons/link.md", func(src []byte) ([]byte, error) { return Bump(src, Date{2026, 1, 1}) }); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(filepath.Join(b.Root(), "lessons", "link.md")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info.Mode(), err)
	}
	if src, _ := b.Read("lessons/real.md"); !strings.Contains(string(src), "occurrences: 2") {
		t.Errorf("the file behind the link holds %q", src)
	}
}

// TestRemove: a file goes only while it holds the text that is kept elsewhere.
func TestRemove(t *testing.T) {
	b := newBrain(t, map[string]string{"lessons/a.md": "one"})
	if err := b.Remove("lessons/a.md", []byte("another")); !errors.Is(err, ErrBusy) {
		t.Errorf("a text that somebody saved meanwhile: %v", err)
	}
	if src, err := b.Read("lessons/a.md"); err != nil || string(src) != "one" {
		t.Errorf("it holds %q, %v", src, err)
	}
	if err := b.Remove("lessons/a.md", []byte("one")); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(b.Root(), "lessons")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	if err := b.Remove("lessons/a.md", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
}

func TestRelFollowsLinksIntoTheBrain(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"real/brain/lessons", "else"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(folder)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "real", "brain", "lessons", "a.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for to, from := range map[string]string{"real": "link", "real/brain": "straight", "real/brain/lessons/a.md": "else/card.md", "else": "real/brain/away"} {
		if err := os.Symlink(filepath.Join(dir, filepath.FromSlash(to)), filepath.Join(dir, filepath.FromSlash(from))); err != nil {
			t.Skip(err) // a system without links
		}
	}
	b, err := OpenBrain(filepath.Join(dir, "link", "brain"))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for in, want := range map[string]string{
		"link/brain/lessons/a.md": "lessons/a.md", "real/brain/lessons/a.md": "lessons/a.md", "straight/lessons/a.md": "lessons/a.md",
		"else/card.md": "lessons/a.md", "straight/lessons/new/b.md": "lessons/new/b.md",
		"else/b.md": "", "link/b.md": "", "link/brain/away/b.md": "", "nowhere/b.md": "",
	} {
		got, err := b.Rel(filepath.Join(dir, filepath.FromSlash(in)))
		if got != want || want == "" && !errors.Is(err, ErrOutsideBrain) {
			t.Errorf("%s is %q, %v, want %q", in, got, err, want)
		}
	}
}

func FuzzRel(f *testing.F) {
	for _, s := range []string{"lessons/a.md", "../a.md", "/a.md", `..\a.md`, "a\x00.md", "lessons/../../a.md", "C:\\a.md"} {
		f.Add(s)
	}
	b, err := OpenBrain(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = b.Close() }) // an open folder cannot be removed on Windows
	f.Fuzz(func(t *testing.T, p string) {
		rel, err := b.Rel(p)
		if err == nil && (!filepath.IsLocal(rel) || b.Hidden(rel) || !IsMarkdown(rel)) {
			t.Fatalf("Rel(%q) = %q", p, rel)
		}
	})
}

// TestOwnFolderIsALink: what a cloned repository has in place of Handrail's own folder is never written into.
func TestOwnFolderIsALink(t *testing.T) {
	for _, name := range []string{ownFolder} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			brain := filepath.Join(dir, "brain")
			if err := os.MkdirAll(filepath.Join(brain, "lessons"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(brain, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			for _, to := range []string{filepath.Join(brain, "lessons"), dir} {
				if err := os.Symlink(to, filepath.Join(brain, name)); err != nil {
					t.Skip("no links here:", err)
				}
				b, err := OpenBrain(brain)
				if err != nil {
					t.Fatal(err)
				}
				if err := b.Create("lessons/a.md", []byte("# A")); !errors.Is(err, ErrOutsideBrain) {
					t.Errorf("with a link to %s: %v", to, err)
				}
				_ = b.Close()
				if entries, _ := os.ReadDir(filepath.Join(brain, "lessons")); len(entries) > 0 {
					t.Errorf("%s was written", entries[0].Name())
				}
				if err := os.Remove(filepath.Join(brain, name)); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestEditKeepsWhatIsSavedMeanwhile: a text that a person saves between the look at a card and
// its change stays, in whichever way an editor saves.
func TestEditKeepsWhatIsSavedMeanwhile(t *testing.T) {
	for name, save := range map[string]func(file string) error{
		"in place": func(file string) error { return os.WriteFile(file, []byte("a person's"), 0o644) },
		"by a rename": func(file string) error {
			return errors.Join(os.WriteFile(file+"~", []byte("a person's"), 0o644), os.Rename(file+"~", file))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBrain(t, map[string]string{"a.md": "old"})
			err := b.Write(func(w Writer) error {
				return w.Edit("a.md", func([]byte) ([]byte, error) {
					return []byte("ours"), save(filepath.Join(b.Root(), "a.md"))
				})
			})
			got, rerr := b.Read("a.md")
			if !errors.Is(err, ErrBusy) || rerr != nil || string(got) != "a person's" {
				t.Errorf("%v; the card is %q, %v", err, got, rerr)
			}
			if left, _ := filepath.Glob(filepath.Join(b.Root(), ownFolder, tempPrefix+"*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestEditWhileAPersonSaves: of a person's saves under constant edits the last one stays, and no
// edit stands on another text than it was made of.
func TestEditWhileAPersonSaves(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("no two files are exchanged here in one step: a save within the microseconds before a rename is lost")
	}
	b := newBrain(t, map[string]string{"a.md": "0 0"})
	file := filepath.Join(b.Root(), "a.md")
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
				_ = b.Write(func(w Writer) error {
					return w.Edit("a.md", func(src []byte) ([]byte, error) { return append(slices.Clone(src), '+'), nil })
				})
			}
		}
	}()
	lost := 0
	for n := 1; n <= 200; n++ {
		text := fmt.Sprint("save ", n)
		if err := errors.Join(os.WriteFile(file+"~", []byte(text), 0o644), os.Rename(file+"~", file)); err != nil {
			t.Fatal(err)
		}
		if err := b.Write(func(Writer) error { return nil }); err != nil { // the edit under way has ended
			t.Fatal(err)
		}
		if got, err := b.Read("a.md"); err != nil || !strings.HasPrefix(string(got), text) {
			lost++
		}
	}
	close(stop)
	<-ended
	if lost > 0 {
		t.Errorf("%d of 200 saves were overwritten", lost)
	}
}

// Create is Writer.Create as the only write.
func (b *Brain) Create(rel string, src []byte) error {
	return b.Write(func(w Writer) error { return w.Create(rel, src) })
}

// Edit is Writer.Edit as the only write.
func (b *Brain) Edit(rel string, change func([]byte) ([]byte, error)) error {
	return b.Write(func(w Writer) error { return w.Edit(rel, change) })
}

// Remove is Writer.Remove as the only write.
func (b *Brain) Remove(rel string, text []byte) error {
	return b.Write(func(w Writer) error { return w.Remove(rel, text) })
}
