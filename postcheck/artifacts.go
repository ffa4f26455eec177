package postcheck

import (
	"path"
	"regexp"
	"strings"

	"handrail/postcheck/check"
)

// artifact is something that a turn leaves beside the code it changes, and that checklists ask for: where the deeds are known, it is there or it is missing.
type artifact struct {
	asked *regexp.Regexp // in the item
	made  *regexp.Regexp // a file's path, or a command
}

var artifacts = []artifact{
	{regexp.MustCompile(`(?i)\b(?:tests?|tested)\b|테스트`), regexp.MustCompile(`(?i)(?:^|[/_.-])(?:tests?|specs?|__tests__)(?:[/_.-]|$)|\btest\b`)},
	{regexp.MustCompile(`(?i)\bbenchmarks?\b|벤치마크`), regexp.MustCompile(`(?i)bench|_test\.`)},
	{regexp.MustCompile(`(?i)\bchange ?logs?\b|\brelease notes?\b|변경 ?(?:이력|로그)|릴리스 ?노트`), regexp.MustCompile(`(?i)changelog|changes|history|release|news|\.changeset/`)},
	{regexp.MustCompile(`(?i)\breadme\b|\bdocument(?:ed|ation)\b|\bdocs?\b|\bdoc comments?\b|문서`), regexp.MustCompile(`(?i)readme|docs?/|\.(?:md|mdx|rst|adoc)$|(?:^|/)doc\.go$`)},
}

// conditional matches items that ask for something only in a case: of a new thing, or when something changes.
var conditional = regexp.MustCompile(`(?i)^(?:an?|the|each|every|any|all)?\s*new\b|^(?:when|if|before|after|once)\b|\b(?:when|if|whenever) (?:it|they|the|a|an)\b|^(?:새|신규) |(?:때|경우|하면)(?:는|에는)?[ ,]`)

// lacks reports whether an item asks for an artifact that code which was edited lacks.
func lacks(item string, d check.Deeds) bool {
	if conditional.MatchString(item) {
		return false
	}
	code := false
	for _, e := range d.Edits {
		code = code || len(e.Added)+len(e.Removed) > 0 && !prose[strings.ToLower(path.Ext(e.File))]
	}
	if !code {
		return false
	}
	for _, a := range artifacts {
		if a.asked.MatchString(item) {
			for _, e := range d.Edits {
				if a.made.MatchString(e.File) {
					return false
				}
			}
			return true
		}
	}
	return false
}

// prose are the endings of files that hold no code.
var prose = map[string]bool{".md": true, ".mdx": true, ".mdc": true, ".txt": true, ".rst": true, ".adoc": true, ".json": true, ".yaml": true, ".yml": true, ".toml": true, ".lock": true, ".sum": true, ".mod": true}
