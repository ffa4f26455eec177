package triggers

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"handrail/lessons/lazyregexp"
)

// Change is what happened to the lines of one file.
type Change struct {
	File    string   `json:"file"`
	Removed []string `json:"removed,omitempty"`
	Added   []string `json:"added,omitempty"`
	Lines   []int    `json:"lines,omitempty"` // of Added, in the file after the change: one for each, or none where they are not known
}

// Line takes a line of a diff: "-" before what was removed, "+" before what was added.
func (c *Change) Line(l string) {
	if len(c.Removed)+len(c.Added) < maxLines {
		c.take(l)
	}
}

func (c *Change) take(l string) {
	switch {
	case strings.HasPrefix(l, "-"):
		c.Removed = append(c.Removed, l[1:])
	case strings.HasPrefix(l, "+"):
		c.Added, c.Lines = append(c.Added, l[1:]), nil // where it stands is not known
	}
}

const (
	// maxLines bounds the lines of a conversation that are remembered, and those of one edit.
	maxLines = 2000
	// maxShown bounds the lines of a change that a candidate shows, and maxLine each of them, in characters.
	maxShown = 40
	maxLine  = 200
	// rewritten is how many lines must be rewritten, or come back, for it to say something.
	rewritten = 3
	// minLine is how many letters and digits a line needs to be told from others.
	minLine = 6
)

// work remembers which lines a conversation changed in which turn.
type work struct {
	lines  []line
	recent []Change // of this turn and the one before
	turns  []int    // of each of them
}

// line is one that was added to a file or removed from it.
type line struct {
	sum   uint32 // of the file and the line's text
	turn  int
	added bool
}

// edited notes a change and counts the lines of earlier turns that it rewrites, and those that it brings back.
func (w *work) edited(turn int, c Change) (rewrote, returned int) {
	add := func(text string, added bool) {
		sum, ok := sumLine(c.File, text)
		if !ok {
			return
		}
		if slices.ContainsFunc(w.lines, func(l line) bool { return l.sum == sum && l.turn < turn && l.added != added }) {
			if added {
				returned++
			} else {
				rewrote++
			}
		}
		w.lines = append(w.lines, line{sum, turn, added})
	}
	for _, l := range c.Removed[:min(len(c.Removed), maxLines)] {
		if !slices.Contains(c.Added, l) {
			add(l, false)
		}
	}
	for _, l := range c.Added[:min(len(c.Added), maxLines)] {
		if !slices.Contains(c.Removed, l) {
			add(l, true)
		}
	}
	w.lines = w.lines[max(0, len(w.lines)-maxLines):]
	for len(w.turns) > 0 && w.turns[0] < turn-1 || len(w.turns) >= maxShown {
		w.recent, w.turns = w.recent[1:], w.turns[1:]
	}
	w.recent, w.turns = append(w.recent, clipChange(c)), append(w.turns, turn)
	return rewrote, returned
}

// in returns the recent changes of a turn to some files, or to any when there are none named.
func (w *work) in(turn int, files []string) []Change {
	var out []Change
	for i, c := range w.recent {
		if w.turns[i] == turn && (len(files) == 0 || slices.Contains(files, c.File)) {
			out = append(out, c)
		}
	}
	return out
}

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
	inHunk, counted := false, false
	name := "" // of a file that has no lines so far
	flush := func() {
		if all && name != "" {
			out = append(out, Change{File: name})
		}
		name = ""
	}
	for l, rest := "", patch; rest != ""; {
		l, rest, _ = strings.Cut(rest, "\n")
		l = strings.TrimSuffix(l, "\r")
		if counted && (old <= 0 && added <= 0 || l != "" && !strings.Contains(" +-\\", l[:1])) {
			inHunk, counted = false, false
		}
		switch {
		case counted:
			c := &out[len(out)-1]
			room := len(c.Removed)+len(c.Added) < limit
			switch {
			case strings.HasPrefix(l, "+"):
				if room && len(c.Lines) == len(c.Added) {
					c.Lines = append(c.Lines, at)
				}
				if room {
					c.Added = append(c.Added, l[1:])
				}
				added, at = added-1, at+1
			case strings.HasPrefix(l, "-"):
				if room {
					c.Removed = append(c.Removed, l[1:])
				}
				old--
			case strings.HasPrefix(l, `\`): // no end of line at the end of the file
			default:
				old, added, at = old-1, added-1, at+1
			}
		case strings.HasPrefix(l, "diff --git "):
			flush()
			name, inHunk = gitName(l), false
		case strings.HasPrefix(l, "rename to "):
			name = unquoted(l[len("rename to "):])
		case strings.HasPrefix(l, "--- ") && strings.HasPrefix(rest, "+++ "):
			var next string
			next, rest, _ = strings.Cut(rest, "\n")
			file := patchName(strings.TrimSuffix(next, "\r"))
			if file == "" {
				file = patchName(l)
			}
			name = ""
			out, inHunk = append(out, Change{File: file}), false
		case strings.HasPrefix(l, "@@"):
			inHunk = true
			if m := hunkHead.FindStringSubmatch(l); m != nil && len(out) > 0 && name == "" {
				count := func(s string) int {
					if n, err := strconv.Atoi(s); err == nil {
						return n
					}
					return 1 // left out
				}
				old, at, added, counted = count(m[1]), count(m[2]), count(m[3]), true
			}
		case inHunk && len(out) > 0:
			if c := &out[len(out)-1]; len(c.Removed)+len(c.Added) < limit {
				c.take(l)
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

func sumLine(file, text string) (uint32, bool) {
	text = strings.TrimSpace(text)
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return sumOf(file + "\x00" + text), n >= minLine
}

// clipChange keeps of a change what a candidate may show.
func clipChange(c Change) Change {
	clip := func(list []string) []string {
		out := make([]string, 0, min(len(list), maxShown))
		for _, l := range list[:min(len(list), maxShown)] {
			out = append(out, clipRunes(l, maxLine))
		}
		return out
	}
	return Change{File: c.File, Removed: clip(c.Removed), Added: clip(c.Added)}
}

// diffOf returns changes as a block of markdown, at most maxShown lines of them.
func diffOf(changes []Change) string {
	var b strings.Builder
	left := maxShown
	for _, c := range changes {
		var lines []string
		for _, l := range c.Removed {
			if strings.TrimSpace(l) != "" && !slices.Contains(c.Added, l) {
				lines = append(lines, "-"+l)
			}
		}
		for _, l := range c.Added {
			if strings.TrimSpace(l) != "" && !slices.Contains(c.Removed, l) {
				lines = append(lines, "+"+l)
			}
		}
		if lines = lines[:min(len(lines), left)]; len(lines) == 0 {
			continue
		}
		left -= len(lines)
		b.WriteString("# " + c.File + "\n" + strings.ReplaceAll(strings.Join(lines, "\n"), "```", "'''") + "\n")
	}
	if b.Len() == 0 {
		return ""
	}
	return "```diff\n" + b.String() + "```"
}
