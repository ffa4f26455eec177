package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var updatePage = flag.Bool("update-page", false, "write the commands to docs/cli.md")

// TestPageOfCommandsIsFresh holds that docs/cli.md lists the commands as they are.
func TestPageOfCommandsIsFresh(t *testing.T) {
	const name, begin, end = "../../../docs/cli.md", "from the program -->\n", "<!-- end -->"
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(src), begin)
	_, tail, ends := strings.Cut(rest, end)
	if !found || !ends {
		t.Fatalf("%s has no place for the commands", name)
	}
	want := head + begin + pageOfCommands() + end + tail
	if *updatePage {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(src) {
		t.Errorf("%s is stale; run make generate", name)
	}
}

// pageOfCommands is the table of all commands that are not hidden, with those below them.
func pageOfCommands() string {
	var b strings.Builder
	root := (&app{in: strings.NewReader(""), out: io.Discard, err: io.Discard}).root()
	row := func(c *cobra.Command) {
		use := strings.TrimPrefix(strings.TrimSuffix(c.UseLine(), " [flags]"), "handrail ")
		fmt.Fprintf(&b, "| `%s` | %s.%s |\n", strings.ReplaceAll(use, "|", `\|`), c.Short, flagsOf(c, use))
	}
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "\n| %s | |\n|---|---|\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range root.Commands() {
			if c.GroupID != g.ID || !c.IsAvailableCommand() {
				continue
			}
			row(c)
			for _, below := range c.Commands() {
				if below.IsAvailableCommand() {
					row(below)
				}
			}
		}
	}
	return b.String() + "\n"
}

// flagsOf names the flags of a command that its call does not; their help says what they are for.
func flagsOf(c *cobra.Command, use string) string {
	var b strings.Builder
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" && !strings.Contains(use, "--"+f.Name) {
			fmt.Fprintf(&b, " `--%s`", f.Name)
		}
	})
	return b.String()
}
