package main

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// older is the version that each form is upgraded from.
const older = "0.0.9"

// shown returns what a command prints, which must succeed.
func shown(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// demo walks through the whole loop with a program.
func demo(t *testing.T, program string) {
	t.Helper()
	shown(t, "../..", "go", "run", "./testdata/demo", "-quiet", "-bin", program)
}

// unpacked returns a folder with the programs of the older version.
func unpacked(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("tar", "-xzf", "-", "-C", dir)
	cmd.Stdin = strings.NewReader(string(packed(t, "v"+older)))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// daemon lets the daemon of a program run over a brain of the person, until the test ends.
func (p *person) daemon(program string) {
	p.t.Helper()
	brain := filepath.Join(p.t.TempDir(), ".brain")
	if err := os.Mkdir(brain, 0o755); err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(program, "daemon", "--brain", brain)
	for name, value := range p.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	ready, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		p.t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		_, err = ready.Read(make([]byte, 1))
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// says holds the version that a program says.
func (p *person) says(program, version string) {
	p.t.Helper()
	if out, ok := p.run("", program, "--version"); !ok || out != "handrail v"+version+"\n" {
		p.t.Errorf("%s says %q, want %s", program, out, version)
	}
}

// used connects an agent and disconnects it again, as a person does, and takes out what that left but the brain.
func (p *person) used(program ...string) {
	p.t.Helper()
	if out, ok := p.run("", slices.Concat(program, []string{"setup", "claude", "--yes"})...); !ok {
		p.t.Fatal(out)
	}
	if out, ok := p.run("", slices.Concat(program, []string{"uninstall", "--yes"})...); !ok {
		p.t.Fatal(out)
	}
	if err := os.RemoveAll(filepath.Join(p.home, ".brain")); err != nil {
		p.t.Fatal(err)
	}
}

// gone holds that the home folder is what it was.
func (p *person) gone(before map[string]string) {
	p.t.Helper()
	after := p.tree()
	for path := range before {
		if after[path] != before[path] {
			p.t.Errorf("%s is not what it was", path)
		}
		delete(after, path)
	}
	for path := range after {
		p.t.Errorf("left: %s", path)
	}
}

func current(t *testing.T) names {
	t.Helper()
	n, err := readNames("../..")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestReleaseSizes holds how large a program is, also packed by xz, and what may be downloaded.
func TestReleaseSizes(t *testing.T) {
	root := built(t)
	for pattern, most := range map[string]float64{
		".release/dist/handrail_*_*/handrail*": 31, ".release/dist/*.gz": 13, ".release/dist/*.zip": 13, ".release/dist/*.deb": 12,
		"vscode-extension/out/*.vsix": 14,
	} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) < 2 {
			t.Errorf("%s: %v, %v", pattern, found, err)
		}
		for _, name := range found {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if size := float64(info.Size()) / 1e6; size > most {
				t.Errorf("%s has %.1f MB, more than %.0f", filepath.Base(name), size, most)
			} else {
				t.Logf("%s: %.1f MB", filepath.Base(name), size)
			}
		}
	}
	program := filepath.Join(root, ".release/dist/handrail_linux_amd64_v1/handrail")
	if size := len(shown(t, root, "xz", "-9", "--stdout", program)); size > 10e6 {
		t.Errorf("packed, the program has %d bytes, more than 10 MB", size)
	} else {
		t.Logf("packed by xz: %.1f MB", float64(size)/1e6)
	}
}

// TestReleaseArchive unpacks this machine's archive, and that for Gemini CLI.
func TestReleaseArchive(t *testing.T) {
	dist, n := filepath.Join(built(t), ".release/dist"), current(t)
	for _, name := range []string{archive, geminiArchive()} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t, newSite(t))
			before := p.tree()
			bin := filepath.Join(p.home, "handrail")
			shown(t, p.home, "mkdir", bin)
			shown(t, bin, "tar", "-xf", filepath.Join(dist, name))
			p.says(filepath.Join(bin, "handrail"), n["version"])
			demo(t, filepath.Join(bin, "handrail"))
			p.used(filepath.Join(bin, "handrail"))
			files := []string{"handrail", "handrail-hook", "LICENSE"}
			if name == geminiArchive() {
				files = append(files, "gemini-extension.json", "hooks/hooks.json", "skills/record-a-lesson/SKILL.md")
			}
			for _, file := range files {
				if err := os.Remove(filepath.Join(bin, file)); err != nil {
					t.Error(err)
				}
			}
			if err := errors.Join(os.RemoveAll(filepath.Join(bin, "hooks")), os.RemoveAll(filepath.Join(bin, "skills")), os.Remove(bin)); err != nil {
				t.Error(err)
			}
			p.gone(before)
		})
	}
}

func geminiArchive() string {
	return strings.Replace(runtime.GOOS, "windows", "win32", 1) + "." + strings.Replace(runtime.GOARCH, "amd64", "x64", 1) + ".handrail.tar.gz"
}

// TestReleaseScript installs the release by install.sh from a server, over an older one whose daemon runs.
func TestReleaseScript(t *testing.T) {
	dist, n := filepath.Join(built(t), ".release/dist"), current(t)
	s := newSite(t)
	s.release(t, "/download/v"+older+"/", "v"+older)
	for _, name := range []string{archive, "checksums.txt"} {
		data, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil {
			t.Fatal(err)
		}
		s.files[latest+name] = data
	}
	p := newPerson(t, s, shells(t)[0]...)
	before, bin := p.tree(), filepath.Join(p.home, ".local", "bin")
	if out, ok := p.install("--version", older); !ok {
		t.Fatal(out)
	}
	p.daemon(filepath.Join(bin, "handrail"))
	out, ok := p.install()
	if has(t, out, "Installed handrail v"+n["version"], "It was handrail v"+older); !ok {
		t.Fatal(out)
	}
	p.says(filepath.Join(bin, "handrail"), n["version"])
	demo(t, filepath.Join(bin, "handrail"))
	p.used(filepath.Join(bin, "handrail"))
	if out, ok := p.install("--uninstall"); !ok {
		t.Fatal(out)
	}
	p.gone(before)
}

// TestReleaseDeb installs the package for Debian into a root of its own, over an older one whose daemon runs.
func TestReleaseDeb(t *testing.T) {
	dist, n := filepath.Join(built(t), ".release/dist"), current(t)
	if _, err := exec.LookPath("dpkg"); err != nil || os.Getuid() != 0 {
		t.Skip("dpkg and root are needed")
	}
	deb := filepath.Join(dist, "handrail_linux_"+runtime.GOARCH+".deb")
	was, old := t.TempDir(), filepath.Join(t.TempDir(), "old.deb")
	shown(t, was, "dpkg-deb", "-R", deb, ".")
	shown(t, was, "sed", "-i", "s/^Version: .*/Version: "+older+"/", "DEBIAN/control")
	shown(t, was, "sh", "-c", "cp "+unpacked(t)+"/* usr/bin/ && rm -f DEBIAN/md5sums")
	shown(t, was, "dpkg-deb", "-Znone", "-b", ".", old)

	p := newPerson(t, newSite(t))
	root := p.home
	shown(t, root, "sh", "-c", "mkdir -p var/lib/dpkg/info var/lib/dpkg/updates usr/bin usr/share && touch var/lib/dpkg/status usr/bin/other usr/share/other")
	before := p.tree()
	dpkg := func(args ...string) {
		shown(t, root, "dpkg", append([]string{"--root=" + root, "--log=/dev/null"}, args...)...)
	}
	program := filepath.Join(root, "usr", "bin", "handrail")
	dpkg("-i", old)
	p.says(program, older)
	p.daemon(program)
	dpkg("-i", deb)
	p.says(program, n["version"])
	demo(t, program)
	p.used(program)
	for _, shell := range []string{"bash-completion/completions/handrail", "zsh/vendor-completions/_handrail", "fish/vendor_completions.d/handrail.fish"} {
		if _, err := os.Stat(filepath.Join(root, "usr", "share", shell)); err != nil {
			t.Error(err)
		}
	}
	dpkg("--purge", "handrail")
	if err := os.RemoveAll(filepath.Join(root, "var")); err != nil { // dpkg's own notes
		t.Fatal(err)
	}
	maps.DeleteFunc(before, func(path, _ string) bool { return strings.HasPrefix(path, filepath.Join(root, "var")) })
	p.gone(before)
}

// registry serves packages as npm's registry does; the last version of each is the latest.
func (s *site) registry(t *testing.T, folders ...string) {
	t.Helper()
	packages := map[string]obj{}
	for _, folder := range folders {
		var manifest obj
		data, err := os.ReadFile(filepath.Join(folder, "package.json"))
		if err == nil {
			err = json.Unmarshal(data, &manifest)
		}
		if err != nil {
			t.Fatal(err)
		}
		name, version := manifest["name"].(string), manifest["version"].(string)
		if manifest["scripts"] != nil {
			t.Errorf("%s has scripts, which npm does not run", name)
		}
		to := t.TempDir()
		lines := strings.Fields(shown(t, folder, "npm", "pack", "--silent", "--pack-destination", to))
		tarball, err := os.ReadFile(filepath.Join(to, lines[len(lines)-1]))
		if err != nil {
			t.Fatal(err)
		}
		path, sum := "/tarballs/"+lines[len(lines)-1], sha512.Sum512(tarball)
		s.files[path] = tarball
		manifest["dist"] = obj{"tarball": s.URL + path, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		if packages[name] == nil {
			packages[name] = obj{"name": name, "versions": obj{}}
		}
		packages[name]["versions"].(obj)[version] = manifest
		packages[name]["dist-tags"] = obj{"latest": version}
	}
	for name, doc := range packages {
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		s.files["/"+name] = data
	}
}

// TestReleaseNPM installs from a registry of the test's own: over an older one whose daemon runs, by npx, without what is
// optional, and on a platform that has no build.
func TestReleaseNPM(t *testing.T) {
	n := current(t)
	programs, err := binaries(filepath.Join(built(t), ".release/dist"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range programs {
		programs[i].Path = filepath.Join(built(t), programs[i].Path)
	}
	was := maps.Clone(n)
	was["version"] = older
	old, unpacked := slices.Clone(programs), unpacked(t)
	for i := range old {
		if old[i].Goos == runtime.GOOS && old[i].Goarch == runtime.GOARCH {
			old[i].Path = filepath.Join(unpacked, old[i].Name)
		}
	}
	first, second := t.TempDir(), t.TempDir()
	if err := errors.Join(npm("../..", first, was, old), npm("../..", second, n, programs)); err != nil {
		t.Fatal(err)
	}
	here := strings.Replace(runtime.GOOS, "windows", "win32", 1) + "-" + strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	s := newSite(t)
	s.registry(t, filepath.Join(first, here), filepath.Join(first, "handrail"), filepath.Join(second, here), filepath.Join(second, "handrail"))

	p := newPerson(t, s)
	prefix := filepath.Join(p.home, "npm")
	maps.Copy(p.env, map[string]string{
		"npm_config_registry": s.URL, "npm_config_cache": t.TempDir(), "npm_config_prefix": prefix, "npm_config_update_notifier": "false",
		"npm_config_audit": "false", "npm_config_fund": "false",
	})
	before := p.tree()
	must := func(args ...string) string {
		t.Helper()
		out, ok := p.run("", args...)
		if !ok {
			t.Fatalf("%v\n%s", args, out)
		}
		return out
	}
	program := filepath.Join(prefix, "bin", "handrail")
	must("npm", "install", "-g", n["npm"]+"@"+older)
	p.says(program, older)
	p.daemon(program)
	must("npm", "install", "-g", n["npm"]+"@latest")
	p.says(program, n["version"])
	has(t, must(program, "upgrade", "--check"), "installed by npm", "npm install -g handrail@latest")
	demo(t, program)
	p.used(program)
	if out, ok := p.run("", program, "frobnicate"); ok || !strings.Contains(out, "There is no command") {
		t.Errorf("a failing call: %s", out)
	}

	must("npm", "uninstall", "-g", n["npm"])
	project := filepath.Join(p.home, "project") // with -g npm installs what is optional all the same
	must("npm", "--prefix", project, "install", "--omit=optional", n["npm"])
	out, ok := p.run("", filepath.Join(project, "node_modules", ".bin", "handrail"), "--version")
	if want := "handrail: The package " + n["scope"] + "/handrail-" + here + " is missing, as with --omit=optional;"; ok || !strings.HasPrefix(out, want) {
		t.Errorf("without what is optional: %q", out)
	}
	launch := filepath.Join(project, "node_modules", n["npm"], "launch.js")
	p.env["LANG"] = "ko_KR.UTF-8"
	out, ok = p.run("Object.defineProperty(process, 'platform', {value: 'aix'}); require('"+launch+"')('handrail')", "node", "-")
	if ok || !strings.HasPrefix(out, "handrail: aix ") || strings.Count(out, "\n") != 1 {
		t.Errorf("on another platform: %q", out)
	}
	p.env["LANG"] = "en_US.UTF-8"
	// npm leaves empty folders, and a project is the person's.
	if err := errors.Join(os.RemoveAll(prefix), os.RemoveAll(project)); err != nil {
		t.Fatal(err)
	}
	p.used("npx", "--yes", n["npm"])
	p.gone(before)
}

// TestReleaseExtension looks into the extensions: each holds its platform's programs, the universal one none.
func TestReleaseExtension(t *testing.T) {
	out, n := filepath.Join(built(t), "vscode-extension/out"), current(t)
	found, err := filepath.Glob(filepath.Join(out, "*.vsix"))
	if err != nil || len(found) != 9 {
		t.Fatalf("%v, %v", found, err)
	}
	for _, name := range found {
		dir := t.TempDir()
		shown(t, dir, "unzip", "-q", name)
		has(t, shown(t, dir, "cat", "extension.vsixmanifest"), `Version="`+n["version"]+`"`, `Publisher="`+n["publisher"]+`"`)
		programs, err := filepath.Glob(filepath.Join(dir, "extension", "bin", "handrail*"))
		if want := map[bool]int{true: 0, false: 2}[strings.Contains(name, "universal")]; err != nil || len(programs) != want {
			t.Errorf("%s holds %v", name, programs)
		}
		here := "-" + runtime.GOOS + "-" + strings.Replace(runtime.GOARCH, "amd64", "x64", 1) + "."
		if strings.Contains(name, here) || strings.Contains(strings.Replace(name, "alpine", "linux", 1), here) {
			p := newPerson(t, newSite(t))
			p.says(filepath.Join(dir, "extension", "bin", "handrail"), n["version"])
			demo(t, filepath.Join(dir, "extension", "bin", "handrail"))
		}
	}
}
