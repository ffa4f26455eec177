// Package main installs what a release offers as a person would, from a server of the test's own.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

var programs = []string{"handrail", "handrail-hook"}

// packed returns the archive that a release of a version has for this machine.
var packed = func() func(t *testing.T, version string) []byte {
	known := map[string][]byte{}
	return func(t *testing.T, version string) []byte {
		t.Helper()
		if known[version] == nil {
			known[version] = pack(t, version)
		}
		return known[version]
	}
}()

func pack(t *testing.T, version string) []byte {
	t.Helper()
	dir := t.TempDir()
	flags := "-s -w -X main.version=" + version
	build := exec.Command("go", "build", "-trimpath", "-ldflags", flags, "-o", dir+"/", "github.com/handrail-dev/handrail/server/cmd/...")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	var archive bytes.Buffer
	zip, err := gzip.NewWriterLevel(&archive, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	tape := tar.NewWriter(zip)
	if err := errors.Join(tape.AddFS(os.DirFS(dir)), tape.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}

// site serves files as a site of releases does.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string][]byte // by path
	short map[string]bool   // these break off half-way
	asked []string
}

func newSite(t *testing.T) *site {
	s := &site{files: map[string][]byte{}, short: map[string]bool{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, r.URL.Path)
		data, found := s.files[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		if s.short[r.URL.Path] {
			data = data[:len(data)/2]
		}
		_, _ = w.Write(data)
	}))
	t.Cleanup(s.Close)
	return s
}

const latest = "/latest/download/"

// archive is that of this machine.
var archive = "handrail_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"

// release puts a release of a version below a path.
func (s *site) release(t *testing.T, path, version string) {
	t.Helper()
	data := packed(t, version)
	s.files[path+archive] = data
	other := fmt.Sprintf("%064x  handrail_plan9_amd64.tar.gz\n", 0)
	s.files[path+"checksums.txt"] = fmt.Appendf(nil, "%s%x  %s\n", other, sha256.Sum256(data), archive)
}

// person is who installs: a home folder, a shell and its environment.
type person struct {
	t     *testing.T
	home  string
	shell []string
	env   map[string]string
}

func newPerson(t *testing.T, s *site, shell ...string) *person {
	p := &person{t: t, home: t.TempDir(), shell: shell, env: map[string]string{}}
	maps.Copy(p.env, map[string]string{
		"HOME": p.home, "PATH": os.Getenv("PATH"), "LANG": "en_US.UTF-8", "SHELL": "/bin/bash", "TMPDIR": t.TempDir(),
		"XDG_RUNTIME_DIR": t.TempDir(), "HANDRAIL_RELEASES": s.URL,
	})
	return p
}

// run runs a command in the home folder and returns its output and whether it succeeded.
func (p *person) run(in string, command ...string) (out string, ok bool) {
	p.t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Stdin = p.home, strings.NewReader(in)
	for name, value := range p.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	both, err := cmd.CombinedOutput()
	return string(both), err == nil
}

func script(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../.release/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// install runs the script as "curl … | sh -s -- ARGS" does.
func (p *person) install(args ...string) (out string, ok bool) {
	p.t.Helper()
	return p.run(script(p.t), slices.Concat(p.shell, []string{"-s", "--"}, args)...)
}

// tree returns the files and folders of the home folder with what they hold.
func (p *person) tree() map[string]string {
	p.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(p.home, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == p.home {
			return err
		}
		files[path] = "folder"
		if !entry.IsDir() {
			data, err := os.ReadFile(path)
			files[path] = fmt.Sprintf("%x", sha256.Sum256(data))
			return err
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return files
}

// shells returns the shells of this machine that may read the script.
func shells(t *testing.T) (found [][]string) {
	for _, shell := range [][]string{{"sh"}, {"dash"}, {"bash", "--posix"}, {"busybox", "sh"}} {
		if _, err := exec.LookPath(shell[0]); err == nil {
			found = append(found, shell)
		}
	}
	if len(found) == 0 || runtime.GOOS == "windows" {
		t.Skip("install.sh is for shells of Unix")
	}
	return found
}

func has(t *testing.T, out string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(out, w) {
			t.Errorf("%q is missing in:\n%s", w, out)
		}
	}
}

func TestInstall(t *testing.T) {
	for _, shell := range shells(t) {
		t.Run(strings.Join(shell, " "), func(t *testing.T) {
			s := newSite(t)
			s.release(t, latest, "v1.0.0")
			s.release(t, "/download/v1.1.0-rc.1/", "v1.1.0-rc.1")
			p := newPerson(t, s, shell...)
			before := p.tree()
			bin := filepath.Join(p.home, ".local", "bin")
			out, ok := p.install()
			has(t, out, "Installed handrail v1.0.0 from "+s.URL+"/latest/download, checksum verified:\n",
				"  "+bin+"/handrail\n", "  "+bin+"/handrail-hook\n",
				bin+" is not on your PATH. Add this line to ~/.profile:\n  export PATH=\"$HOME/.local/bin:$PATH\"\n",
				"\nnext: handrail setup\n")
			if !ok {
				t.Fatal(out)
			}
			for _, name := range programs {
				info, err := os.Stat(filepath.Join(bin, name))
				if err != nil || info.Mode().Perm() != 0o755 {
					t.Errorf("%s: %v, %v", name, info, err)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(bin, ".*")); len(left) > 0 {
				t.Errorf("left: %v", left)
			}

			// Another version, named without its v, in Korean, while the first one runs.
			handrail, brain := filepath.Join(bin, "handrail"), filepath.Join(p.home, "w", ".brain")
			if err := os.MkdirAll(brain, 0o755); err != nil {
				t.Fatal(err)
			}
			daemon := exec.Command(handrail, "daemon", "--brain", brain)
			for name, value := range p.env {
				daemon.Env = append(daemon.Env, name+"="+value)
			}
			ready, err := daemon.StdoutPipe()
			if err == nil {
				err = daemon.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = daemon.Process.Kill()
				_ = daemon.Wait()
			}()
			if _, err := ready.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			p.env["PATH"], p.env["LANG"] = bin+":"+p.env["PATH"], "ko_KR.UTF-8"
			out, ok = p.install("--version", "1.1.0-rc.1")
			has(t, out, "handrail v1.1.0-rc.1 설치함", "이전 버전: handrail v1.0.0", bin+"은 PATH에 있습니다.", "다음: handrail setup")
			if !ok {
				t.Fatal(out)
			}
			p.env["LANG"] = "en_US.UTF-8"
			if out, ok := p.run("", handrail, "--version"); !ok || out != "handrail v1.1.0-rc.1\n" {
				t.Error(out)
			}

			// Everything goes again, but the brain.
			if out, ok := p.run("", handrail, "setup", "claude", "--yes"); !ok {
				t.Fatal(out)
			}
			if err := os.RemoveAll(filepath.Join(p.home, ".brain")); err != nil { // that setup made
				t.Fatal(err)
			}
			out, ok = p.install("--uninstall")
			has(t, out, "removed: "+bin+"/handrail\n", "removed: "+bin+"/handrail-hook\n")
			if !ok {
				t.Fatal(out)
			}
			if err := os.RemoveAll(filepath.Join(p.home, "w")); err != nil {
				t.Fatal(err)
			}
			if after := p.tree(); !maps.Equal(after, before) {
				t.Errorf("left: %v", slices.Sorted(maps.Keys(after)))
			}
			if out, ok := p.install("--uninstall"); ok || out != "install.sh: There is no Handrail in "+bin+".\n" {
				t.Error(out)
			}
		})
	}
}

// TestRefusals holds that nothing changes where something is wrong, and that one sentence says what.
func TestRefusals(t *testing.T) {
	shell := shells(t)[0]
	full := newSite(t)
	full.release(t, latest, "v1.0.0")
	for name, test := range map[string]struct {
		change func(t *testing.T, s *site, p *person)
		args   []string
		want   string
	}{
		"half an archive": {
			change: func(_ *testing.T, s *site, _ *person) { s.short[latest+archive] = true },
			want:   "/latest/download/" + archive + " cannot be downloaded. Nothing was changed.",
		},
		"half an archive, as if whole": {
			change: func(_ *testing.T, s *site, _ *person) {
				s.files[latest+archive] = s.files[latest+archive][:len(s.files[latest+archive])/2]
			},
			want: archive + " has another checksum than the release says: the download may be cut off. Nothing was",
		},
		"another archive": {
			change: func(_ *testing.T, s *site, _ *person) { s.files[latest+archive] = []byte("something else") },
			want:   archive + " has another checksum than the release says",
		},
		"half the checksums": {
			change: func(_ *testing.T, s *site, _ *person) {
				sums := s.files[latest+"checksums.txt"]
				s.files[latest+"checksums.txt"] = sums[:len(sums)-len(archive)-20]
			},
			want: archive + " has another checksum than the release says",
		},
		"no checksums": {
			change: func(_ *testing.T, s *site, _ *person) { delete(s.files, latest+"checksums.txt") },
			want:   "/latest/download/checksums.txt cannot be downloaded.",
		},
		"what does not run": {
			change: func(_ *testing.T, s *site, _ *person) {
				text := []byte("no archive")
				s.files[latest+archive] = text
				s.files[latest+"checksums.txt"] = fmt.Appendf(nil, "%x *%s\n", sha256.Sum256(text), archive)
			},
			want: "The program of " + archive + " does not run here. Nothing was changed.",
		},
		"no such version":      {args: []string{"--version", "9.9.9"}, want: "/download/v9.9.9/checksums.txt cannot be"},
		"no version":           {args: []string{"--version", "../../x"}, want: "v../../x is no version."},
		"a version left out":   {args: []string{"--version"}, want: "Say which version, for example --version v1.2.3."},
		"an unknown option":    {args: []string{"--prefix"}, want: "There is no option --prefix; there are --version"},
		"nothing to uninstall": {args: []string{"--uninstall"}, want: "There is no Handrail in "},
		"another system": {
			change: func(t *testing.T, _ *site, p *person) {
				p.put(t, "uname", "#!/bin/sh\n[ $1 = -s ] && echo Plan9 || echo mips\n")
			},
			want: "There is no build for Plan9 on mips: build it from its source with \"make install\".",
		},
		"Windows' shell": {
			change: func(t *testing.T, _ *site, p *person) {
				p.put(t, "uname", "#!/bin/sh\necho MINGW64_NT-10.0\n")
			},
			want: "Under Windows run install.ps1 of the release in PowerShell.",
		},
		"nothing to download with": {
			change: func(t *testing.T, _ *site, p *person) {
				p.only(t, "uname", "mkdir", "mktemp", "rm", "rmdir")
			},
			want: "curl or wget is needed.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			maps.Copy(s.files, full.files)
			p := newPerson(t, s, shell...)
			if test.change != nil {
				test.change(t, s, p)
			}
			before := p.tree()
			out, ok := p.install(test.args...)
			one := strings.HasPrefix(out, "install.sh: ") && strings.Count(out, "\n") == 1
			if ok || !one || !strings.Contains(out, test.want) {
				t.Errorf("got %q, want %q", out, test.want)
			}
			if after := p.tree(); !maps.Equal(after, before) {
				t.Errorf("it changed: %v", slices.Sorted(maps.Keys(after)))
			}
		})
	}
}

// put puts a program before all others on the path.
func (p *person) put(t *testing.T, name, text string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	p.env["PATH"] = dir + ":" + p.env["PATH"]
}

// only leaves these programs alone on the path.
func (p *person) only(t *testing.T, names ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip("not to be had here: ", name)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	shell, err := exec.LookPath(p.shell[0])
	if err != nil {
		t.Fatal(err)
	}
	p.shell = append([]string{shell}, p.shell[1:]...)
	p.env["PATH"] = dir
}

// TestOtherTools installs with wget, and with each program that knows SHA-256.
func TestOtherTools(t *testing.T) {
	shell := shells(t)[0]
	s := newSite(t)
	s.release(t, latest, "v1.0.0")
	for _, tools := range [][]string{{"wget", "sha256sum"}, {"curl", "shasum", "perl"}, {"curl", "openssl"}} {
		t.Run(strings.Join(tools, " "), func(t *testing.T) {
			p := newPerson(t, s, shell...)
			p.only(t, append(tools, "uname", "mkdir", "mktemp", "rm", "rmdir", "tar", "gzip", "chmod", "mv")...)
			out, ok := p.install()
			if has(t, out, "Installed handrail v1.0.0"); !ok {
				t.Error(out)
			}
		})
	}
}

// TestHalfScript holds that a script that was cut off does nothing.
func TestHalfScript(t *testing.T) {
	shell := shells(t)[0]
	s := newSite(t)
	s.release(t, latest, "v1.0.0")
	p := newPerson(t, s, shell...)
	text := script(t)
	end := strings.LastIndex(text, "{ main")
	cuts := []int{end, end + 3, end + 6, end + 8, end + 11, len(text) - 3}
	for at := 200; at < end; at += 400 {
		cuts = append(cuts, at)
	}
	for _, at := range cuts {
		out, _ := p.run(text[:at], slices.Concat(shell, []string{"-s"})...)
		if left := p.tree(); len(left) > 0 || len(s.asked) > 0 {
			t.Fatalf("cut after %d of %d bytes it asked for %v and left %v:\n%s", at, len(text), s.asked, left, out)
		}
	}
	if out, ok := p.run(text, slices.Concat(shell, []string{"-s"})...); !ok {
		t.Fatal(out)
	}
}

// TestOtherFirst says so where another program comes first.
func TestOtherFirst(t *testing.T) {
	shell := shells(t)[0]
	s := newSite(t)
	s.release(t, latest, "v1.0.0")
	p := newPerson(t, s, shell...)
	bin := filepath.Join(p.home, ".local", "bin")
	p.env["PATH"] += ":" + bin
	p.put(t, "handrail", "#!/bin/sh\necho other\n")
	out, _ := p.install()
	other, _, _ := strings.Cut(p.env["PATH"], ":")
	has(t, out, bin+" is on your PATH, but "+other+"/handrail comes first.")
}
