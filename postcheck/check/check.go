// Package check runs the checks that a card carries: patterns over what was done, written in
// a fence `check` inside a checklist item (docs/verdicts.md).
//
// Start with [Parse], which reads a fence and tries its examples, and [RunAll], which holds
// checks against the edits and commands of a turn or of a patch. A check never runs a program,
// opens a file or takes long: its pattern is RE2, of bounded size, over bounded text.
package check

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/handrail-dev/handrail/lessons"
)

// The kinds of checks; the names are those of the keys.
const forbid, require, touch, ran, command = "forbid", "require", "touch", "ran", "command"

const (
	maxFence   = 8 << 10 // bytes; real ones are below 500
	maxPattern = 1000    // bytes; real ones are below 100
	// maxSize bounds the nodes of a pattern, repetitions multiplied: matching takes time by
	// their number, and ordinary patterns have below 100.
	maxSize = 1000
	// A glob with braces stands for many, and each of these is tried.
	maxGlobs, maxGlob, maxBraces, maxCommas = 16, 256, 2, 8
)

// Check is a check that was read. The zero Check never has anything to say.
type Check struct {
	kind            string
	re              *regexp.Regexp
	size            int      // of the pattern; time by the byte grows with it
	needle          string   // in lower case, in each text that matches
	paths, also     []string // of touch: when and also
	matches, passes lessons.Field
	runs            bool
}

// Runs reports whether the check is held against anything: it was read without a problem.
func (c Check) Runs() bool { return c.runs }

// OfCommands reports whether the check is about commands, so that it says nothing where they are not known.
func (c Check) OfCommands() bool { return c.kind == ran || c.kind == command }

// Forbids reports whether a single line or command can break the check, whatever else is done.
func (c Check) Forbids() bool { return c.kind == forbid || c.kind == command }

// Parse reads what a fence holds and tries its examples. The problems say what is wrong with
// it, with lines counted from 1 in src; a check that has any does not run.
func Parse(src string) (Check, []lessons.Problem) {
	r := reader{lines: strings.Count(src, "\n") + 1}
	fields, err := lessons.ReadFields(src[:min(len(src), maxFence)])
	var bad *lessons.FieldsError
	switch {
	case len(src) > maxFence:
		r.problem(1, lessons.CheckSyntax, fmt.Sprintf("it is longer than %d bytes", maxFence))
	case errors.As(err, &bad):
		r.problem(bad.Line, lessons.CheckSyntax, bad.Says)
	default:
		r.fence(fields)
	}
	if r.c.re != nil && len(r.problems) == 0 {
		r.examples(r.c.matches, lessons.CheckMisses, true)
		r.examples(r.c.passes, lessons.CheckHits, false)
	}
	r.c.runs = len(r.problems) == 0
	return r.c, r.problems
}

// reader reads one fence.
type reader struct {
	c        Check
	problems []lessons.Problem
	lines    int
}

// problem notes what is wrong at a line. YAML ends lines at a lone CR too, and so may count more.
func (r *reader) problem(line int, code lessons.ProblemCode, args ...string) {
	r.problems = append(r.problems, lessons.Problem{Line: min(line, r.lines), Code: code, Severity: lessons.Error, Args: args})
}

// examples tries examples, each of which must match or must not.
func (r *reader) examples(f lessons.Field, code lessons.ProblemCode, match bool) {
	for _, e := range f.Values {
		if r.c.re.MatchString(e) != match {
			r.problem(f.Line, code, e)
		}
	}
}

func (r *reader) fence(fields []lessons.Field) {
	c, line, kinds := &r.c, 1, 0
	for _, f := range fields {
		if slices.Contains([]string{forbid, require, touch, ran, command}, f.Name) {
			kinds, line, c.kind = kinds+1, f.Line, f.Name
			fields = append(slices.Clone(fields), f.Fields...) // when and also, of touch
		}
	}
	if kinds != 1 {
		r.problem(line, lessons.CheckKind)
		return
	}
	for _, f := range fields {
		switch {
		case f.Name == c.kind && c.kind != touch:
			r.pattern(f)
		case f.Name == c.kind:
		case f.Name == "when" && c.kind == touch, f.Name == "paths" && c.kind != touch && c.kind != command:
			c.paths = append(c.paths, r.globs(f)...)
		case f.Name == "also" && c.kind == touch:
			c.also = append(c.also, r.globs(f)...)
		case f.Name == "matches" && c.kind != touch:
			c.matches = f
		case f.Name == "passes" && c.kind != touch:
			c.passes = f
		default:
			r.problem(f.Line, lessons.CheckKey, f.Name)
		}
	}
	switch {
	case c.kind == touch && (c.paths == nil || c.also == nil):
		r.problem(line, lessons.CheckNeeds, "when, also")
	case c.kind == require && c.paths == nil:
		r.problem(line, lessons.CheckNeeds, "paths")
	case c.kind != touch && len(c.matches.Values) == 0:
		r.problem(line, lessons.CheckNeeds, "matches")
	}
}

// pattern reads the pattern of a check.
func (r *reader) pattern(f lessons.Field) {
	wrong := ""
	if len(f.Values) != 1 || f.Values[0] == "" || len(f.Values[0]) > maxPattern {
		wrong = fmt.Sprintf("one pattern of at most %d bytes is wanted", maxPattern)
	} else if tree, err := syntax.Parse(f.Values[0], syntax.Perl); err != nil {
		wrong = strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	} else if size := sizeOf(tree); size > maxSize {
		wrong = "it repeats too much"
	} else {
		r.c.size, r.c.re, r.c.needle = size, regexp.MustCompile(f.Values[0]), needleOf(tree)
	}
	if wrong != "" {
		r.problem(f.Line, lessons.CheckValue, f.Name, wrong)
	}
}

// globs reads globs. One that can match no file is a problem, for nobody would notice.
func (r *reader) globs(f lessons.Field) []string {
	if len(f.Values) == 0 || len(f.Values) > maxGlobs {
		r.problem(f.Line, lessons.CheckValue, f.Name, fmt.Sprintf("1 to %d globs are wanted", maxGlobs))
	}
	matches := false
	for _, value := range f.Values {
		g, except := strings.CutPrefix(value, "!")
		matches = matches || !except
		many := len(g) > maxGlob || strings.Count(g, "{") > maxBraces || strings.Count(g, ",") > maxCommas
		if many || g == "" || g[0] == '/' || g[0] == '!' || strings.HasPrefix(g, "./") || !doublestar.ValidatePattern(g) {
			r.problem(f.Line, lessons.CheckValue, f.Name, fmt.Sprintf("%q is no glob of files in the workspace, or stands for too many", value))
		}
	}
	if !matches && len(f.Values) > 0 {
		r.problem(f.Line, lessons.CheckValue, f.Name, "only ! globs, which match no file by themselves")
	}
	return f.Values
}

// sizeOf returns how many nodes a pattern has when its repetitions are written out.
func sizeOf(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += sizeOf(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(1, re.Min+1, re.Max)
	}
	return min(n, 1<<20) // nested repetitions must not run over
}

// needleOf returns a text, in lower case, that is in every text that matches, the longest that is easily found; "" when nothing is certain.
func needleOf(re *syntax.Regexp) (best string) {
	switch re.Op {
	case syntax.OpLiteral:
		// In any case the long s matches s, and other scripts have their own; the replacement character matches broken bytes.
		unsure := func(r rune) bool { return r == '\uFFFD' || re.Flags&syntax.FoldCase != 0 && (r >= 0x80 || r == 's') }
		for _, part := range strings.FieldsFunc(strings.ToLower(string(re.Rune)), unsure) {
			if len(part) > len(best) {
				best = part
			}
		}
	case syntax.OpCapture, syntax.OpPlus, syntax.OpConcat:
		for _, sub := range re.Sub {
			if n := needleOf(sub); len(n) > len(best) {
				best = n
			}
		}
	}
	return best
}
