package main

import (
	"archive/zip"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// proxy makes a proxy of modules that has the module in these versions, and returns its address.
func proxy(t *testing.T, root string, n names, versions ...string) string {
	t.Helper()
	files, err := tracked(root)
	if err != nil {
		t.Fatal(err)
	}
	var others []string // folders that are modules of their own
	for _, name := range files {
		if path.Base(name) == "go.mod" && name != "go.mod" {
			others = append(others, path.Dir(name)+"/")
		}
	}
	dir := t.TempDir()
	at := filepath.Join(dir, filepath.FromSlash(n["module"]), "@v")
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	err = errors.Join(err, os.MkdirAll(at, 0o755))
	for _, v := range versions {
		err = errors.Join(err,
			os.WriteFile(filepath.Join(at, v+".mod"), mod, 0o644),
			os.WriteFile(filepath.Join(at, v+".info"), []byte(`{"Version":"`+v+`","Time":"2026-01-02T03:04:05Z"}`), 0o644))
		file, created := os.Create(filepath.Join(at, v+".zip"))
		if created != nil {
			t.Fatal(created)
		}
		z := zip.NewWriter(file)
	each:
		for _, name := range files {
			for _, other := range others {
				if strings.HasPrefix(name, other) {
					continue each
				}
			}
			info, stat := os.Lstat(filepath.Join(root, name))
			if stat != nil || !info.Mode().IsRegular() {
				continue // deleted, or a link, which no module has
			}
			data, read := os.ReadFile(filepath.Join(root, name))
			w, create := z.Create(n["module"] + "@" + v + "/" + name)
			if create == nil {
				_, create = w.Write(data)
			}
			err = errors.Join(err, read, create)
		}
		err = errors.Join(err, z.Close(), file.Close())
	}
	err = errors.Join(err, os.WriteFile(filepath.Join(at, "list"), []byte(strings.Join(versions, "\n")+"\n"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	return "file://" + filepath.ToSlash(dir)
}

// TestGoInstall installs by "go install MODULE/server/cmd/...@latest", over an older one. The module comes from a proxy and its
// dependencies from what is on the disk.
func TestGoInstall(t *testing.T) {
	built(t)
	n := current(t)
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules, cache, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	p := newPerson(t, newSite(t))
	bin := filepath.Join(p.home, "go", "bin")
	maps.Copy(p.env, map[string]string{
		"GOPROXY": proxy(t, "../..", n, "v"+older, "v"+n["version"]) + ",file://" + filepath.ToSlash(filepath.Join(modules, "cache", "download")),
		"GOSUMDB": "off", "GOFLAGS": "-trimpath -modcacherw", "GOMODCACHE": t.TempDir(), "GOCACHE": cache, "GOENV": "off", "CGO_ENABLED": "0",
	})
	notes := "XDG_CONFIG_HOME=" + t.TempDir() // Go's own
	p.life(func(version string) string {
		program := filepath.Join(bin, "handrail")
		if version == older {
			p.must(p.run("", "env", notes, "go", "install", n["module"]+"/server/cmd/...@v"+older))
		} else {
			p.must(p.run("", "env", notes, "go", "install", n["module"]+"/server/cmd/...@latest"))
			p.upgrade(program, "go install", "go install "+n["module"]+"/server/cmd/...@latest")
		}
		return program
	}, func() {
		shown(t, p.home, "rm", filepath.Join(bin, "handrail"), filepath.Join(bin, "handrail-hook"))
		shown(t, p.home, "rmdir", bin, filepath.Dir(bin))
	})
}

// built returns the folder of a whole release, which "make release-dry" names: what needs one, or takes as long, is tried there.
func built(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("HANDRAIL_RELEASE")
	if dir == "" {
		t.Skip("HANDRAIL_RELEASE names no folder of a release; make release-dry does")
	}
	return dir
}
