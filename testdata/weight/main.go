// Command weight counts what there is to learn and to carry: lines of product Go by package, the program's size, modules,
// commands, settings, lines of the shim and words of documentation. It compares the counts with testdata/weight/figures and
// fails when one grew: a change that adds weight says so in that file (-update) and gives the reason in its commit.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// figures is the file that holds the counts a change is compared with.
const figures = "testdata/weight/figures"

func main() {
	update := flag.Bool("update", false, "write the counts to "+figures)
	flag.Parse()
	if err := run(*update); err != nil {
		fmt.Fprintln(os.Stderr, "weight:", err)
		os.Exit(1)
	}
}

func run(update bool) error {
	now := counts{}
	for _, count := range []func(counts) error{product, shim, program, words} {
		if err := count(now); err != nil {
			return err
		}
	}
	if update {
		return os.WriteFile(figures, now.text(), 0o644)
	}
	before, err := read()
	if err != nil {
		return err
	}
	var grew []string
	for _, name := range now.names() {
		was, known := before[name]
		mark := ""
		if now[name] != was || !known {
			mark = fmt.Sprintf("  (%+d)", now[name]-was)
		}
		if now[name] > was {
			grew = append(grew, fmt.Sprintf("%s: %d, was %d", name, now[name], was))
		}
		fmt.Printf("%7d  %s%s\n", now[name], name, mark)
	}
	if len(grew) > 0 {
		return fmt.Errorf("it grew:\n  %s\ntake something out, or run \"make weight UPDATE=-update\" and give the reason in the commit",
			strings.Join(grew, "\n  "))
	}
	return nil
}

// counts holds a count for each name.
type counts map[string]int

func (c counts) names() []string {
	names := make([]string, 0, len(c))
	for name := range c {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (c counts) text() []byte {
	var b bytes.Buffer
	for _, name := range c.names() {
		fmt.Fprintf(&b, "%d %s\n", c[name], name)
	}
	return b.Bytes()
}

func read() (counts, error) {
	data, err := os.ReadFile(figures)
	if err != nil {
		return nil, fmt.Errorf("reading the figures: %w", err)
	}
	before := counts{}
	for line := range strings.Lines(string(data)) {
		number, name, found := strings.Cut(strings.TrimSpace(line), " ")
		count, err := strconv.Atoi(number)
		if !found || err != nil {
			return nil, fmt.Errorf("%s: %q is not a count and a name", figures, line)
		}
		before[name] = count
	}
	return before, nil
}

// product counts the lines of Go that are no tests, of each package and of all.
func product(c counts) error {
	return walk(".", ".go", func(path string, data []byte) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		lines := bytes.Count(data, []byte("\n"))
		c["go lines, "+filepath.ToSlash(filepath.Dir(path))] += lines
		c["go lines, all"] += lines
	})
}

// shim counts the lines of TypeScript that a person wrote, and what the manifest shows.
func shim(c counts) error {
	err := walk("vscode-extension/src", ".ts", func(path string, data []byte) {
		if !strings.HasSuffix(path, ".gen.ts") {
			c["shim lines"] += bytes.Count(data, []byte("\n"))
		}
	})
	if err != nil {
		return err
	}
	data, err := os.ReadFile("vscode-extension/package.json")
	if err != nil {
		return fmt.Errorf("reading the manifest: %w", err)
	}
	var manifest struct {
		Contributes struct {
			Commands      []struct{ Command string }
			Menus         map[string][]struct{ When string }
			Configuration json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return fmt.Errorf("vscode-extension/package.json: %w", err)
	}
	all := len(manifest.Contributes.Commands)
	c["vscode commands"], c["vscode commands in the palette"] = all, all
	for _, entry := range manifest.Contributes.Menus["commandPalette"] {
		if entry.When == "false" {
			c["vscode commands in the palette"]--
		}
	}
	type group struct{ Properties map[string]json.RawMessage }
	var groups []group
	if json.Unmarshal(manifest.Contributes.Configuration, &groups) != nil {
		var one group
		if err := json.Unmarshal(manifest.Contributes.Configuration, &one); err != nil {
			return fmt.Errorf("vscode-extension/package.json: configuration: %w", err)
		}
		groups = []group{one}
	}
	for _, group := range groups {
		c["vscode settings"] += len(group.Properties)
	}
	return nil
}

// program builds the program for one fixed system, so that every machine counts the same, and asks it for its commands.
func program(c counts) error {
	folder, err := os.MkdirTemp("", "weight")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	exe := filepath.Join(folder, "handrail")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", exe, "./server/cmd/handrail")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the program: %w\n%s", err, out)
	}
	info, err := os.Stat(exe)
	if err != nil {
		return err
	}
	c["program, tenths of a MB"] = int((info.Size() + 99_999) / 100_000)

	modules, err := exec.Command("go", "version", "-m", exe).Output()
	if err != nil {
		return fmt.Errorf("listing the program's modules: %w", err)
	}
	c["modules"] = bytes.Count(modules, []byte("\n\tdep\t"))

	// What a shell would complete is what is not hidden.
	shown, err := exec.Command("go", "run", "./server/cmd/handrail", "__complete", "").Output()
	if err != nil {
		return fmt.Errorf("listing the commands: %w", err)
	}
	for line := range strings.Lines(string(shown)) {
		name, _, _ := strings.Cut(line, "\t")
		if !strings.HasPrefix(name, ":") && name != "help" && name != "completion" {
			c["commands"]++
		}
	}
	return nil
}

// words counts the words of what a person may read. README.ko.md is README.md once more, and TestReadmes holds that it is.
func words(c counts) error {
	for _, root := range []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "vscode-extension/README.md"} {
		err := walk(root, ".md", func(_ string, data []byte) { c["words of documentation"] += len(bytes.Fields(data)) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// walk hands on every file below root with this ending, without tests' data, what was built and what starts with a dot.
func walk(root, ending string, use func(path string, data []byte)) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("counting: %w", err)
		}
		name := entry.Name()
		if entry.IsDir() {
			skip := slices.Contains([]string{"testdata", "node_modules", "out", "dist", "bin"}, name)
			if skip || name != "." && strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ending) {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("counting: %w", err)
		}
		use(path, data)
		return nil
	})
}
