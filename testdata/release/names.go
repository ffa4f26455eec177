package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// namesFile holds the names, a key and a value a line.
const namesFile = ".release/names"

// names is what .release/names says.
type names map[string]string

// forms says what a name must look like, and so which keys there are.
var forms = map[string]*regexp.Regexp{
	"module":     regexp.MustCompile(`^[a-z0-9.-]+\.[a-z]+/[A-Za-z0-9._/-]+$`),
	"repository": regexp.MustCompile(`^https://[^\s#]+$`),
	"homepage":   regexp.MustCompile(`^https://\S+$`),
	"publisher":  regexp.MustCompile(`^[A-Za-z0-9-]+$`),
	"scope":      regexp.MustCompile(`^@[a-z0-9-]+$`),
	"npm":        regexp.MustCompile(`^(@[a-z0-9-]+/)?[a-z0-9-]+$`),
	"mcp":        regexp.MustCompile(`^[A-Za-z0-9.-]+/[A-Za-z0-9._-]+$`),
	"version":    regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`),
}

func readNames(root string) (names, error) {
	data, err := os.ReadFile(filepath.Join(root, namesFile))
	if err != nil {
		return nil, fmt.Errorf("read the names: %w", err)
	}
	n := names{}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] != "#" {
			n[f[0]] = f[1]
		}
	}
	return n, n.valid()
}

func (n names) valid() error {
	var wrong []error
	for _, key := range slices.Sorted(maps.Keys(forms)) {
		if !forms[key].MatchString(n[key]) {
			wrong = append(wrong, fmt.Errorf("%s: %q is no %s", namesFile, n[key], key))
		}
	}
	if len(n) != len(forms) {
		wrong = append(wrong, fmt.Errorf("%s: the keys are %v", namesFile, slices.Sorted(maps.Keys(forms))))
	}
	if n["repository"] != "https://"+n["module"] {
		wrong = append(wrong, fmt.Errorf("%s: go install finds the module only if its path is the repository's", namesFile))
	}
	return errors.Join(wrong...)
}

// owner is whose account the repository is in.
func (n names) owner() string { return path.Base(path.Dir(n["module"])) }

// places says in which texts a name stands, from the longest to the shortest, so that none is taken for a part of another.
func (n names) places() []string {
	return []string{
		n["homepage"], n["repository"], n["mcp"], n["module"],
		n["scope"] + "/", "owner: " + n.owner() + ",", `"publisher": "` + n["publisher"] + `"`, n["publisher"] + ".handrail",
	}
}

// versioned are the files in which the version stands, and how often.
var versioned = map[string]int{"vscode-extension/package.json": 1, "vscode-extension/package-lock.json": 2}

// rename changes names, given as KEY=VALUE, in all files below root, and writes the manifests anew.
func rename(root string, changes []string) error {
	was, err := readNames(root)
	if err != nil {
		return err
	}
	now := maps.Clone(was)
	for _, change := range changes {
		key, value, _ := strings.Cut(change, "=")
		if _, known := was[key]; !known {
			return fmt.Errorf("%q: the keys are %v", change, slices.Sorted(maps.Keys(was)))
		}
		now[key] = value
	}
	if err := now.valid(); err != nil {
		return err
	}
	var pairs []string
	for i, old := range was.places() {
		pairs = append(pairs, old, now.places()[i])
	}
	replacer := strings.NewReplacer(pairs...)
	files, err := tracked(root)
	if err != nil {
		return err
	}
	for _, name := range files {
		file := filepath.Join(root, name)
		data, err := os.ReadFile(file)
		if err != nil || bytes.IndexByte(data, 0) >= 0 {
			continue // a link that leads nowhere, a picture
		}
		text := string(data)
		if name == namesFile {
			for key, value := range now {
				text = regexp.MustCompile(`(?m)^(`+key+` +)\S+$`).ReplaceAllString(text, "${1}"+value)
			}
		} else {
			text = replacer.Replace(text)
			text = strings.Replace(text, `"version": "`+was["version"]+`"`, `"version": "`+now["version"]+`"`, versioned[name])
		}
		if text == string(data) {
			continue
		}
		info, err := os.Stat(file)
		if err == nil {
			err = os.WriteFile(file, []byte(text), info.Mode().Perm())
		}
		if err != nil {
			return fmt.Errorf("rename: %w", err)
		}
	}
	if err := writeManifests(root, now); err != nil {
		return err
	}
	return check(root)
}

// tracked returns the files of the repository, or of a copy of one: those that git would take in.
func tracked(root string) ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the files: %w", err)
	}
	return slices.DeleteFunc(strings.Split(string(out), "\x00"), func(name string) bool { return name == "" }), nil
}

// check returns what disagrees with .release/names.
func check(root string) error {
	n, err := readNames(root)
	if err != nil {
		return err
	}
	var wrong []error
	holds := func(name string, times int, text string) {
		data, err := os.ReadFile(filepath.Join(root, name))
		if count := strings.Count(string(data), text); err != nil || count < times {
			wrong = append(wrong, fmt.Errorf("%s: %q stands there %d times, want %d", name, text, count, times))
		}
	}
	version := `"version": "` + n["version"] + `"`
	for name, times := range versioned {
		holds(name, times, version)
	}
	holds("go.mod", 1, "module "+n["module"]+"\n")
	holds("testdata/bench/go.mod", 1, n["module"])
	holds(".golangci.yml", 1, "module-path: "+n["module"]+"\n")
	holds("vscode-extension/package.json", 1, `"publisher": "`+n["publisher"]+`"`)
	holds("vscode-extension/package.json", 1, `"homepage": "`+n["homepage"]+`"`)
	holds("vscode-extension/package.json", 1, `"url": "`+n["repository"]+`.git"`)
	holds("vscode-extension/package.json", 1, `"url": "`+n["repository"]+`/issues"`)
	holds("docs/extension-api.md", 1, "'"+n["publisher"]+".handrail'")
	holds(".release/hook.sh", 1, missing+n["repository"]+"#install")
	for _, script := range []string{".release/install.sh", ".release/install.ps1", "server/cmd/handrail/cmd_version.go"} {
		holds(script, 1, n["repository"]+"/releases")
	}
	holds(".release/goreleaser.yaml", 3, "owner: "+n.owner()+",")
	holds(".release/goreleaser.yaml", 1, "homepage: &homepage "+n["homepage"])
	manifests, err := manifests(root, n)
	if err != nil {
		return err
	}
	for name, text := range manifests {
		if data, err := os.ReadFile(filepath.Join(root, name)); err != nil || !bytes.Equal(data, text) {
			wrong = append(wrong, fmt.Errorf("%s is not what .release/names makes of it: go run ./testdata/release manifests", name))
		}
	}
	for _, dir := range manifestDirs {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			name, err := filepath.Rel(root, path)
			if manifests[filepath.ToSlash(name)] == nil {
				wrong = append(wrong, fmt.Errorf("%s belongs to no manifest", name))
			}
			return err
		})
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}
