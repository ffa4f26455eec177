package triggers

import (
	"slices"
	"strings"
	"unicode"
)

// Change is what happened to the lines of one file.
type Change struct {
	File    string   `json:"file"`
	Removed []string `json:"removed,omitempty"`
	Added   []string `json:"added,omitempty"`
	Lines   []int    `json:"lines,omitempty"` // of Added, in the file after the change: one for each, or none where they are not known
	Gone    bool     `json:"-"`               // a patch removes the file
}

// Line takes a line of a diff: "-" before what was removed, "+" before what was added.
func (c *Change) Line(l string) {
	switch {
	case len(c.Removed)+len(c.Added) >= maxLines:
	case strings.HasPrefix(l, "-"):
		c.Removed = append(c.Removed, l[1:])
	case strings.HasPrefix(l, "+"):
		c.Added, c.Lines = append(c.Added, l[1:]), nil // where it stands is not known
	}
}

// Between returns the change from one text of a file to another, without the lines that both begin and end with.
func Between(file, was, is string) Change {
	a, b := linesOf(was), linesOf(is)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return Change{File: file, Removed: a[:min(len(a), maxLines)], Added: b[:min(len(b), maxLines)]}
}

func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
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
	recent []made // the last ones
}

// made is a change, the turn in which it was made and what the person had asked for.
type made struct {
	Change
	turn    int
	request string
}

// line is one that was added to a file or removed from it.
type line struct {
	sum   uint32 // of the file and the line's text
	turn  int
	added bool
}

// lately returns the changes of the last turn that changed some files, of those files, and what had been asked for.
func (w *work) lately(files []string) (changes []Change, request string) {
	for _, m := range slices.Backward(w.recent) {
		if slices.Contains(files, m.File) {
			return w.in(m.turn, files), m.request
		}
	}
	return nil, ""
}

// edited notes a change and counts the lines of earlier turns that it rewrites, and those that it brings back.
func (w *work) edited(turn int, request string, c Change) (rewrote, returned int) {
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
	w.recent = append(w.recent, made{clipChange(c), turn, request})
	w.recent = w.recent[max(0, len(w.recent)-maxShown):]
	return rewrote, returned
}

// in returns the recent changes of a turn to some files, or to any when there are none named.
func (w *work) in(turn int, files []string) []Change {
	var out []Change
	for _, m := range w.recent {
		if m.turn == turn && (len(files) == 0 || slices.Contains(files, m.File)) {
			out = append(out, m.Change)
		}
	}
	return out
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
		lines = lines[:min(len(lines), left)]
		if len(lines) == 0 {
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
