package life

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
)

// Code is what of a repository a card names.
type Code struct {
	Files   []string // slash paths, as the card's paths are written
	Symbols []string
	Commits []string // as they are written: abbreviated
}

var (
	// quoted is a text in backticks.
	quoted = regexp.MustCompile("`([^`\n]{3,120})`")
	// fileName is a path with a folder and an extension, and symbol a name that no prose has: with an
	// underscore, a capital inside or a call's brackets.
	fileName = regexp.MustCompile(`^[\w.-]+(?:/[\w.-]+)+\.\w{1,5}$`)
	symbol   = regexp.MustCompile(`^[A-Za-z]\w*(?:_\w+|[a-z][A-Z]\w*|\(\))$`)
	commit   = regexp.MustCompile(`^[0-9a-f]{7,40}$`)
)

// CodeOf returns the files that a card's paths name without a wildcard, and the files, symbols and
// commits that its Fix has in backticks. What other sections quote may be just what must not be there.
func CodeOf(c lessons.Card) (out Code) {
	for _, p := range c.Paths {
		if !strings.ContainsAny(p, "*?[{!") && path.Ext(p) != "" {
			out.Files = append(out.Files, strings.TrimPrefix(p, "./"))
		}
	}
	for _, m := range quoted.FindAllStringSubmatch(c.Section(lessons.Fix).Text, -1) {
		switch {
		case fileName.MatchString(m[1]):
			out.Files = append(out.Files, m[1])
		case commit.MatchString(m[1]):
			out.Commits = append(out.Commits, m[1])
		case len(m[1]) > 5 && symbol.MatchString(m[1]):
			out.Symbols = append(out.Symbols, strings.TrimSuffix(m[1], "()"))
		}
	}
	slices.Sort(out.Files)
	out.Files = slices.Compact(out.Files)
	return out
}
