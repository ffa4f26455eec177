//go:build unix

package agents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOnlyRegularFilesAreReplaced holds that whatever else stands in a settings file's, a
// program's or a plugin's place is refused and stays: pipes stand for devices, which no test
// may touch.
func TestOnlyRegularFilesAreReplaced(t *testing.T) {
	pipe := func(t *testing.T, name string) {
		t.Helper()
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(t *testing.T, to, name string) {
		t.Helper()
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	for what, put := range map[string]func(t *testing.T, name string){
		"a pipe":   pipe,
		"a folder": func(t *testing.T, name string) { t.Helper(); _ = os.MkdirAll(filepath.Join(name, "x"), 0o755) },
		"a link to a pipe": func(t *testing.T, name string) {
			t.Helper()
			pipe(t, name+".pipe")
			link(t, name+".pipe", name)
		},
		"a link to a folder": func(t *testing.T, name string) { t.Helper(); link(t, t.TempDir(), name) },
		"a link to nothing":  func(t *testing.T, name string) { t.Helper(); link(t, name+".gone", name) },
		"a link to itself":   func(t *testing.T, name string) { t.Helper(); link(t, name, name) },
		"a link over a link": func(t *testing.T, name string) {
			t.Helper()
			pipe(t, name+".p")
			link(t, name+".p", name+".l")
			link(t, name+".l", name)
		},
	} {
		t.Run(what, func(t *testing.T) {
			m := testMachine(t)
			name := filepath.Join(m.Home, ".claude", "settings.json")
			for _, at := range []string{name, m.Binary} {
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			// First planned over a file, then over what took its place since.
			if err := os.WriteFile(name, []byte("{}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			early, err := m.Install(agent(t, "claude"), false)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
			for _, at := range []string{name, m.Binary} {
				put(t, at)
			}
			before := modes(t, name, m.Binary)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			calls := map[string]func() error{
				"plan":           func() error { _, err := m.Install(agent(t, "claude"), false); return err },
				"plan a removal": func() error { _, err := m.Uninstall(agent(t, "claude")); return err },
				"apply":          early.Apply,
				"copy":           func() error { return m.CopyPrograms(self) },
			}
			for call, do := range calls {
				var at *fs.PathError
				if err := do(); !errors.Is(err, ErrNotAFile) || !errors.As(err, &at) {
					t.Errorf("%s: %v", call, err)
				}
			}
			if !m.Stale(self) {
				t.Error("what is no program counts as one")
			}
			if after := modes(t, name, m.Binary); after != before {
				t.Errorf("%v became %v", before, after)
			}
		})
	}
}

func modes(t *testing.T, names ...string) (out [2]fs.FileMode) {
	t.Helper()
	for i, name := range names {
		info, err := os.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = info.Mode()
	}
	return out
}

// TestALinkToAnothersFileIsRefused needs a file of another user, which only root can make.
func TestALinkToAnothersFileIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	m := testMachine(t)
	theirs := filepath.Join(m.Home, "theirs.json")
	link := filepath.Join(m.Home, ".claude", "settings.json")
	err := errors.Join(os.WriteFile(theirs, []byte("{}\n"), 0o600), os.Chown(theirs, 12345, 12345), os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(theirs, link))
	if err != nil {
		t.Skip(err)
	}
	if _, err := m.Install(agent(t, "claude"), false); !errors.Is(err, ErrNotAFile) {
		t.Errorf("planned: %v", err)
	}
	if src, _ := os.ReadFile(theirs); string(src) != "{}\n" {
		t.Errorf("it is now %s", src)
	}
}
