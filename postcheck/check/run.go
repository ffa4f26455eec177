package check

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
)

// Line is a line of a file.
type Line struct {
	Text string
	N    int // 1-based line in the file after the change, 0 where unknown
}

// Edit is what happened to the lines of one file.
type Edit struct {
	File           string // slash path relative to the workspace
	Added, Removed []Line
	Seq            int // orders edits and commands
}

// Command is a shell line that ended.
type Command struct {
	Line   string
	Output string // the beginning or the end of it, as far as it is known
	Failed *bool  // nil where it is not known, or where a person or a time limit stopped it
	Seq    int    // orders edits and commands
}

// Deeds is what was done: in a turn, or by a patch.
type Deeds struct {
	Edits    []Edit
	Commands []Command
}

// Outcome is the result of a check.
type Outcome string

// The outcomes.
const (
	Kept   Outcome = "kept"
	Broken Outcome = "broken"
	Absent Outcome = "absent" // nothing happened that the check is about
)

// Result is the outcome of a check, and the place that breaks or keeps it as far as there is one.
type Result struct {
	Outcome Outcome
	File    string
	Line    Line
	Command string
	Cut     bool // not all was read: the context ended, or the text is too much for the pattern
}

const (
	maxText = 4 << 10 // bytes read of a line or a command; longer ones are generated
	perText = 16      // what each costs beside its bytes
	// maxWork bounds what one check costs, in bytes read by its pattern times its size.
	maxWork = 1 << 27
)

// Run runs the check on what was done.
func (c Check) Run(ctx context.Context, d Deeds) Result { return RunAll(ctx, []Check{c}, d)[0] }

// RunAll runs checks on what was done, faster than one by one, and keeps their order.
func RunAll(ctx context.Context, checks []Check, d Deeds) []Result {
	w := gather(d)
	out := make([]Result, len(checks))
	for i, c := range checks {
		out[i] = Result{Outcome: Absent, Cut: c.runs}
		if c.runs && ctx.Err() == nil {
			out[i] = c.run(ctx, w)
		}
	}
	return out
}

func (c Check) run(ctx context.Context, w *work) Result {
	in := w.in(c.paths)
	if len(in) == 0 && c.kind != command {
		return Result{Outcome: Absent}
	}
	switch c.kind {
	case touch:
		if also := w.in(c.also); len(also) > 0 {
			return Result{Outcome: Kept, File: also[0].name}
		}
		return Result{Outcome: Broken, File: in[0].name}
	case forbid:
		return c.find(ctx, in, Broken, Kept)
	case command:
		return c.find(ctx, w.commandsAfter(nil), Broken, Absent)
	case ran:
		return c.find(ctx, w.commandsAfter(in), Kept, Broken)
	}
	r := c.find(ctx, in, Kept, Broken)
	if r.File == "" && !r.Cut {
		r.File = in[0].name
	}
	return r
}

// find looks for the first line that matches, and returns the one outcome or the other.
func (c Check) find(ctx context.Context, in []*file, found, none Outcome) Result {
	left := maxWork / c.size
	for _, f := range in {
		for i, l := range f.lines {
			if i%256 == 0 && ctx.Err() != nil {
				return Result{Outcome: Absent, Cut: true}
			}
			if !strings.Contains(l.lower, c.needle) {
				continue
			}
			if left -= len(l.Text) + perText; left < 0 {
				return Result{Outcome: Absent, Cut: true}
			}
			if !c.re.MatchString(l.Text) {
				continue
			}
			if c.OfCommands() {
				return Result{Outcome: found, Command: l.Text}
			}
			return Result{Outcome: found, File: f.name, Line: l.Line}
		}
	}
	return Result{Outcome: none}
}

// text is an added line or a command.
type text struct {
	Line
	lower string // a needle is in lower case
}

func textOf(l Line) text {
	l.Text = l.Text[:min(len(l.Text), maxText)]
	return text{l, strings.ToLower(l.Text)}
}

// file is what came of the edits of one file.
type file struct {
	name  string
	lines []text // added, and not removed again by a later edit
	last  int    // Seq of the last edit
}

// work is what was done, file by file.
type work struct {
	files    []*file
	commands []Command
}

// gather brings the edits in order. A line that a later edit takes out again was not added.
func gather(d Deeds) *work {
	w := &work{commands: d.Commands}
	files := map[string]*file{}
	for _, e := range slices.SortedStableFunc(slices.Values(d.Edits), func(a, b Edit) int { return cmp.Compare(a.Seq, b.Seq) }) {
		f := files[e.File]
		if f == nil {
			f = &file{name: e.File}
			files[e.File], w.files = f, append(w.files, f)
		}
		f.last = e.Seq
		if len(f.lines) > 0 {
			gone := map[string]int{}
			for _, l := range e.Removed {
				gone[textOf(l).Text]++
			}
			f.lines = slices.DeleteFunc(f.lines, func(l text) bool { gone[l.Text]--; return gone[l.Text] >= 0 })
		}
		for _, l := range e.Added {
			f.lines = append(f.lines, textOf(l))
		}
	}
	return w
}

// commandsAfter returns, as lines, all commands, or those after the last edit of files that did not fail.
func (w *work) commandsAfter(edited []*file) []*file {
	out := &file{}
	for _, x := range w.commands {
		if edited == nil || (x.Failed == nil || !*x.Failed) && !slices.ContainsFunc(edited, func(f *file) bool { return f.last >= x.Seq }) {
			out.lines = append(out.lines, textOf(Line{Text: x.Line}))
		}
	}
	return []*file{out}
}

// in returns the files that globs name, all of them when there are no globs.
func (w *work) in(globs []string) []*file {
	return slices.DeleteFunc(slices.Clone(w.files), func(f *file) bool {
		_, ok := lessons.MatchPaths(globs, []string{f.name})
		return !ok && len(globs) > 0
	})
}
