package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNames holds that every file says the names and the version that .release/names says.
func TestNames(t *testing.T) {
	if err := check("../.."); err != nil {
		t.Fatal(err)
	}
	if len(about) > 100 {
		t.Errorf("%q has %d characters, more than the registry of MCP takes", about, len(about))
	}
}

// TestFork renames a copy, as a fork does: nothing keeps an old name, what is renamed builds, and back again it is what it was.
func TestFork(t *testing.T) {
	root := t.TempDir()
	files, err := tracked("../..")
	if err != nil {
		t.Fatal(err)
	}
	before := map[string][]byte{}
	for _, name := range files {
		info, err := os.Lstat(filepath.Join("../..", name))
		if err != nil || !info.Mode().IsRegular() {
			continue // deleted, or a link
		}
		data, err := os.ReadFile(filepath.Join("../..", name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(root, name), data, info.Mode().Perm())
		}
		if err != nil {
			t.Fatal(err)
		}
		before[name] = data
	}
	inside := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	inside("git", "init", "-q")
	old, err := readNames(root)
	if err != nil {
		t.Fatal(err)
	}
	const ann = "ann" // by itself, lest this file be renamed, too
	fork := []string{
		"module=example.org/" + ann, "repository=https://example.org/" + ann, "homepage=https://example.org/" + ann + "/about",
		"publisher=" + ann, "scope=@" + ann, "npm=@" + ann + "/handrail", "mcp=org.example/" + ann, "version=3.2.1-rc.1",
	}
	if err := rename(root, fork); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, name := range old.places() {
			if bytes.Contains(data, []byte(name)) && !strings.HasSuffix(path, "_test.go") {
				t.Errorf("%s still says %s", path, name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	inside("go", "build", "-o", t.TempDir(), "./server/cmd/handrail-hook")
	if out := inside("go", "list", "-deps", "./testdata/release"); !strings.Contains(out, "example.org/"+ann+"/server/agents") {
		t.Errorf("the renamed packages: %s", out)
	}

	var back []string
	for key, value := range old {
		back = append(back, key+"="+value)
	}
	if err := rename(root, back); err != nil {
		t.Fatal(err)
	}
	for name, data := range before {
		if now, err := os.ReadFile(filepath.Join(root, name)); err != nil || !bytes.Equal(now, data) {
			t.Errorf("%s is not what it was: %v", name, err)
		}
	}
}

// TestWrongNames holds that a wrong name changes nothing.
func TestWrongNames(t *testing.T) {
	for change, want := range map[string]string{
		"version=1":                        `"1" is no version`,
		"module=example.org/x":             "go install finds the module only if",
		"colour=red":                       "the keys are",
		"repository=git@example.org:x.git": "is no repository",
	} {
		err := rename("../..", []string{change})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", change, err, want)
		}
	}
}
