package postcheck

import (
	"strings"

	"handrail/lessons/lazyregexp"
)

var (
	// lineRemark matches where a line of code turns into a comment. A flag (--force), a
	// directive (#include, #[test]) and a color (#fff) are none.
	lineRemark = lazyregexp.New(`(?:^\+?|\s)(?://|#+(?:\s|$|[^\x00-\x7f]|(?i:todo|fixme)\b)|--(?:\s+[^-\s]|$)|/\*|<!--)`)
	// doing matches a comment that tools obey: it does something, as code does.
	doing = lazyregexp.New(`(?i)^(?://|#+|--|/\*|<!--)\s*(?:nolint|noqa|noinspection|nosec|nosemgrep|no-?qa|type:\s?ignore|go:|\+build|eslint|ts-|@ts-|@no|tslint|biome-|deno-|prettier-|stylelint-|pylint:|ruff:|mypy:|pyright:|isort:|fmt:|flake8|pragma|istanbul|c8|v8|codecov|rubocop|shellcheck|hadolint|yamllint|markdownlint|checkov|tfsec|trivy|gitleaks|clang-|frozen_string|typed:|syntax=|swiftlint|ktlint|phpcs|@phpstan|phpstan-|@psalm|@vite|webpack|language=)`)
	// passing matches a command that hands on what stands behind "--".
	passing = lazyregexp.New(`^\s*(?:\$|>|sudo|git|kubectl|docker|npm|npx|pnpm|yarn|cargo|go|make|run:|-\s+run:|exec|ssh|xargs|timeout|env)\s`)
)

// remarkIn returns where the comment of a line of code begins: its length if there is none.
func remarkIn(line string) int {
	if !strings.ContainsAny(line, "#/-<") {
		return len(line)
	}
	for from := 0; ; {
		m := lineRemark.FindStringIndex(line[from:])
		if m == nil {
			return len(line)
		}
		at := from + m[0]
		for line[at] == '+' || line[at] == ' ' || line[at] == '\t' {
			at++
		}
		if !doing.MatchString(line[at:]) && (line[at] != '-' || !passing.MatchString(line)) {
			return at
		}
		from = min(at+2, len(line)) // behind a directive or a separator there may be a comment yet
	}
}

// note is a line of code with a comment.
type note struct {
	place int
	text  string // in lower case
}

// remarked reports whether a cue is about a comment: "// safety".
func (c cue) remarked() bool {
	for _, mark := range []string{"//", "# ", "-- ", "/*", "<!--"} {
		if strings.HasPrefix(c[0], mark) {
			return true
		}
	}
	return false
}

// findRemarks calls yield with the places of a cue that is about a comment.
func (s *stage) findRemarks(c cue, yield func(place, from int, as standing)) {
	for _, n := range s.remarks {
		if c.all(n.text) == nil {
			continue
		}
		as := said
		switch {
		case s.gone[n.place]:
			as = removed
		case s.off[n.place]:
			as = putOff
		}
		yield(n.place, s.starts[n.place], as)
	}
}
