package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// binary is a program that goreleaser built.
type binary struct {
	Name, Path, Goos, Goarch, Type string
}

// binaries reads what goreleaser says it built.
func binaries(dist string) ([]binary, error) {
	data, err := os.ReadFile(filepath.Join(dist, "artifacts.json"))
	if err != nil {
		return nil, fmt.Errorf("read what was built: %w", err)
	}
	var all, found []binary
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("read what was built: %w", err)
	}
	for _, b := range all {
		if b.Type == "Binary" {
			found = append(found, b)
		}
	}
	if len(found) == 0 {
		return nil, errors.New("nothing was built")
	}
	return found, nil
}

// npm lays out the packages for npm in a folder: one with each platform's programs, and the one that depends on them and starts
// them. None has a script that runs at install, since npm and its like run none.
func npm(root, to string, n names, programs []binary) error {
	about := obj{
		"version": n["version"], "description": about, "license": "MIT", "homepage": n["homepage"],
		"repository": obj{"type": "git", "url": "git+" + n["repository"] + ".git"}, "bugs": obj{"url": n["repository"] + "/issues"},
	}
	platforms := obj{}
	for _, b := range programs {
		system := strings.Replace(b.Goos, "windows", "win32", 1)
		arch := strings.Replace(b.Goarch, "amd64", "x64", 1)
		name := n["scope"] + "/handrail-" + system + "-" + arch
		dir := filepath.Join(to, system+"-"+arch)
		if err := place(filepath.Join(dir, "bin", b.Name), b.Path, 0o755); err != nil {
			return err
		}
		platforms[name] = n["version"]
		manifest := obj{"name": name, "os": []string{system}, "cpu": []string{arch}, "preferUnplugged": true}
		if err := packageJSON(root, dir, about, manifest); err != nil {
			return err
		}
	}
	dir := filepath.Join(to, "handrail")
	commands := obj{}
	for _, name := range []string{"handrail", "handrail-hook"} {
		file := filepath.Join(dir, "bin", name+".js")
		commands[name] = "bin/" + name + ".js"
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		text := "#!/usr/bin/env node\nrequire('../launch.js')('" + name + "');\n"
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			return err
		}
	}
	err := errors.Join(place(filepath.Join(dir, "launch.js"), filepath.Join(root, ".release/npm/launch.js"), 0o644),
		place(filepath.Join(dir, "README.md"), filepath.Join(root, "README.md"), 0o644))
	if err != nil {
		return err
	}
	return packageJSON(root, dir, about, obj{
		"name": n["npm"], "mcpName": n["mcp"], "bin": commands, "engines": obj{"node": ">=18"},
		"keywords":             []string{"ai", "agents", "memory", "lessons", "mcp", "claude-code", "codex", "gemini-cli", "copilot"},
		"optionalDependencies": platforms,
	})
}

// packageJSON writes a package's manifest and its license.
func packageJSON(root, dir string, parts ...obj) error {
	all := obj{}
	for _, part := range parts {
		for key, value := range part {
			all[key] = value
		}
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, "package.json"), append(data, '\n'), 0o644),
		place(filepath.Join(dir, "LICENSE"), filepath.Join(root, "LICENSE"), 0o644))
}

// place copies a file.
func place(to, from string, mode os.FileMode) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, mode)
}
