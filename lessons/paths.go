package lessons

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// MatchPaths returns the longest glob that holds one of files, slash paths relative to the
// folder that holds the brain. A glob that begins with "!" takes its files out, wherever it
// stands in the list, and holds none itself; one that ends with a slash stands for all that
// is in the folder.
func MatchPaths(globs, files []string) (glob string, ok bool) {
	for _, g := range globs {
		if strings.HasPrefix(g, "!") || len(g) <= len(glob) {
			continue
		}
		for _, f := range files {
			if holds(g, f) && !excludes(globs, f) {
				glob = g
				break
			}
		}
	}
	return glob, glob != ""
}

func excludes(globs []string, file string) bool {
	for _, g := range globs {
		if not, ok := strings.CutPrefix(g, "!"); ok && holds(not, file) {
			return true
		}
	}
	return false
}

func holds(glob, file string) bool {
	if strings.HasSuffix(glob, "/") {
		glob += "**"
	}
	ok, err := doublestar.Match(glob, file)
	return ok && err == nil
}
