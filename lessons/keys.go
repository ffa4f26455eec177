package lessons

import (
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons/terms"
)

// Keys returns the keys of a card's frontmatter, in the order that help lists them.
func Keys() []string {
	return []string{
		"type", "title", "applies-to", "tags", "paths", "project", "severity", "source", "occurrences",
		"last-seen", "status", "archived-at", "quarantine-reason", "guard", "verified",
	}
}

// meant returns the key that a card lacks and that an unknown key is one or two letters from, ""
// where there is none. In keys of four letters only one may differ: "time" is not "type".
func meant(key string, has []string) string {
	best, least := "", 3
	for _, k := range Keys() {
		d := terms.Distance(strings.ReplaceAll(key, "_", "-"), k)
		if d < least && (d < 2 || len(k) > 4) && !slices.Contains(has, k) {
			best, least = k, d
		}
	}
	return best
}
