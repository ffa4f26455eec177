package triggers

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// ParsePatch returns the changes that a unified diff describes, at most maxLines lines of a
// file; what is no patch describes none.
func ParsePatch(patch string) []Change { return parsePatch(patch, maxLines, false) }

// ReadPatch is ParsePatch for all lines, and for files without any: those that only move,
// are made or deleted empty, or hold no text.
func ReadPatch(patch string) []Change { return parsePatch(patch, math.MaxInt, true) }

// hunkHead is where a hunk begins: how many lines it has of the file before the change, where
// it starts in the one after, and how many it has of that.
var hunkHead = lazyregexp.New(`^@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@`)

func parsePatch(patch string, limit int, all bool) []Change {
	var out []Change
	old, added, at := 0, 0, 0 // lines to come of the hunk, before and after the change, and the number of the next
	name := ""                // of a file that has no lines so far
	flush := func() {
		if all && name != "" {
			out = append(out, Change{File: name})
		}
		name = ""
	}
	for l, rest := "", patch; rest != ""; {
		l, rest, _ = strings.Cut(rest, "\n")
		l = strings.TrimSuffix(l, "\r")
		if l != "" && !strings.Contains(" +-\\", l[:1]) { // the patch was cut short
			old, added = 0, 0
		}
		switch {
		case old > 0 || added > 0:
			c := &out[len(out)-1]
			room := len(c.Removed)+len(c.Added) < limit
			switch {
			case strings.HasPrefix(l, `\`): // no end of line at the end of the file
				continue
			case !strings.HasPrefix(l, "+"):
				old--
			case room:
				c.Added, c.Lines = append(c.Added, l[1:]), append(c.Lines, at)
			}
			if strings.HasPrefix(l, "-") {
				if room {
					c.Removed = append(c.Removed, l[1:])
				}
				continue
			}
			added, at = added-1, at+1
		case strings.HasPrefix(l, "diff --git "):
			flush()
			name = gitName(l)
		case strings.HasPrefix(l, "rename from ") && all: // it is gone by this name
			out, name = append(out, Change{File: unquoted(l[len("rename from "):]), Gone: true}), ""
		case strings.HasPrefix(l, "rename to "):
			name = unquoted(l[len("rename to "):])
		case strings.HasPrefix(l, "--- ") && strings.HasPrefix(rest, "+++ "):
			var next string
			next, rest, _ = strings.Cut(rest, "\n")
			name = ""
			is := patchName(strings.TrimSuffix(next, "\r"))
			out = append(out, Change{File: cmp.Or(is, patchName(l)), Gone: is == ""})
		case len(out) > 0 && name == "":
			if m := hunkHead().FindStringSubmatch(l); m != nil {
				count := func(s string) int {
					n, _ := strconv.Atoi(cmp.Or(s, "1"))
					return n
				}
				old, at, added = count(m[1]), count(m[2]), count(m[3])
			}
		}
	}
	flush()
	return out
}

// gitName returns the file that the first line of git's about it names, as far as that is
// told by both names being the same.
func gitName(l string) string {
	names := l[len("diff --git "):]
	if n := len(names) / 2; len(names)%2 == 1 && names[n] == ' ' {
		if a, b := patchName("--- "+names[:n]), patchName("+++ "+names[n+1:]); a == b {
			return a
		}
	}
	return ""
}

// patchName returns the file that a line of a patch names, "" for none.
func patchName(l string) string {
	name, _, _ := strings.Cut(l[4:], "\t")
	name = unquoted(name)
	if name == "/dev/null" {
		return ""
	}
	if strings.HasPrefix(name, "a/") || strings.HasPrefix(name, "b/") {
		name = name[2:]
	}
	return name
}

// unquoted returns a name that git has written as C does, with its bytes in octal.
func unquoted(name string) string {
	name = strings.TrimSpace(name)
	if plain, err := strconv.Unquote(name); err == nil && strings.HasPrefix(name, `"`) {
		return plain
	}
	return strings.Trim(name, `"`)
}
