package main

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestReadmes holds that README.ko.md is the equal of README.md: the same headings, rows, pages, figures and commands, but for the
// language of pictures and examples.
func TestReadmes(t *testing.T) {
	var shape [2]map[string][]string
	for i, name := range []string{"../../README.md", "../../README.ko.md"} {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		shape[i] = map[string][]string{}
		for what, find := range map[string]*regexp.Regexp{
			"headings": regexp.MustCompile(`(?m)^#+ `),
			"rows":     regexp.MustCompile(`(?m)^\| `),
			"items":    regexp.MustCompile(`(?m)^- `),
			"pages":    regexp.MustCompile(`\]\((?:docs/[a-z-]+(?:/README)?\.md|CONTRIBUTING\.md|https:)[^)]*\)`),
			"commands": regexp.MustCompile("`(?:handrail|make|npm|npx|claude|gemini|go|curl|irm) [^`]*`"),
			"figures":  regexp.MustCompile(`\d+(?:[.,]\d+)+|\.\d\d|\d+ (?:%|ms|MB)`),
		} {
			all := find.FindAllString(string(src), -1)
			slices.Sort(all) // a sentence has another order in the other language
			shape[i][what] = all
		}
	}
	for what, want := range shape[0] {
		if got := shape[1][what]; !slices.Equal(got, want) {
			t.Errorf("%s: README.md has\n%q\nand README.ko.md\n%q", what, want, got)
		}
	}
}
