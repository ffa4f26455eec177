// Package proof tells what the commands of a session proved, and which claims of an answer
// nothing supports. It reads shell lines, what they printed and how they ended; it runs
// nothing and opens no file.
//
// Start with [Gather] for evidence and [Doubts] for claims without any. A shell line is cut
// into commands, and each asked what it proves and how it ended, in shell.go; what an answer
// claims is in claims.go, and the words of both are in patterns.txt. A doubt is an accusation:
// wherever a run, a message or another tool could stand behind a claim, there is none.
package proof

import (
	"cmp"
	"slices"

	"handrail/postcheck/check"
)

// Kind is what a command proves.
type Kind string

// The kinds.
const (
	Tests  Kind = "tests"
	Build  Kind = "build" // compilers and type checkers
	Lint   Kind = "lint"
	Run    Kind = "run" // a program or a script, which may have done anything
	Commit Kind = "commit"
	Push   Kind = "push"
)

// claimed are the kinds whose success an answer can claim, kinds all of them; a command that is of another kind is no mere run.
var (
	claimed = []Kind{Build, Lint, Tests, Commit, Push}
	kinds   = append(slices.Clone(claimed), Run)
)

// Evidence is the last command of a kind.
type Evidence struct {
	Kind    Kind
	Command string // without what stands before and after it on its line
	Failed  *bool  // nil when unknown
	Stale   bool   // code was edited after it
}

// Why a claim is doubted.
const (
	NeverRun  = "never-run"
	HasFailed = "failed"
)

// Doubt is a claim that nothing in the session supports.
type Doubt struct {
	Claim   Claim
	Why     string // NeverRun or HasFailed
	Command string // that failed
}

// step is one command of a session.
type step struct {
	part
	from   check.Command
	failed func(Kind) *bool
}

// stepsOf cuts the lines of a session into commands, in order.
func stepsOf(commands []check.Command) []step {
	commands = slices.Clone(commands)
	slices.SortStableFunc(commands, func(a, b check.Command) int { return cmp.Compare(a.Seq, b.Seq) })
	var out []step
	for _, c := range commands {
		c.Output = plain(c.Output)
		parts := split(c.Line)
		for i, p := range parts {
			out = append(out, step{p, c, func(k Kind) *bool { return ended(k, parts, i, c) }})
		}
	}
	return out
}

// Gather returns the last command of each kind, in the order in which they ran.
func Gather(edits []check.Edit, commands []check.Command) []Evidence {
	steps := stepsOf(commands)
	var out []Evidence
	for at, s := range slices.Backward(steps) {
		for _, k := range slices.Backward(s.kinds) {
			if slices.ContainsFunc(out, func(e Evidence) bool { return e.Kind == k }) {
				continue
			}
			stale := slices.ContainsFunc(edits, func(e check.Edit) bool { return e.Seq > s.from.Seq && isCode(e.File) }) ||
				slices.ContainsFunc(steps[at+1:], func(s step) bool { return s.edits })
			out = append(out, Evidence{k, s.text, s.failed(k), stale})
		}
	}
	slices.Reverse(out)
	return out
}

// backs tells what could stand behind a claim beside a command of its own kind: a compiler
// runs before the tests, a hook before a commit, a script does anything. What is not named
// here is never said to be never run: an editor lints, and a program runs without commands.
var backs = map[Kind][]Kind{
	Tests:  {Run, Commit, Push},
	Build:  {Tests, Lint, Run, Commit, Push},
	Commit: {Push, Run},
	Push:   {Run},
}

// Doubts returns the claims of an answer that no command of the session supports, or that
// the last such run contradicts. The answer is the last message of a turn, session all
// commands up to it, those of earlier turns too, and pasted what the person wrote: a result
// they report is support. A session without commands proves nothing either way.
func Doubts(answer string, session []check.Command, pasted string) []Doubt {
	said, admitted := claimsOf(answer)
	if len(said) == 0 || len(session) == 0 {
		return nil
	}
	reported, _ := claimsOf(pasted)
	steps := stepsOf(session)
	var out []Doubt
	for _, c := range said {
		failed, shown := printed(c.Kind, plain(pasted))
		if admitted[c.Kind] || shown && !failed || slices.ContainsFunc(reported, func(r Claim) bool { return r.Kind == c.Kind }) {
			continue
		}
		if d, sure := doubt(c, steps); sure {
			out = append(out, d)
		}
	}
	return out
}

// doubt looks for what stands behind a claim, last first, and reports whether it is sure
// that nothing does.
func doubt(c Claim, steps []step) (d Doubt, sure bool) {
	for _, s := range slices.Backward(steps) {
		switch {
		case slices.Contains(s.kinds, c.Kind):
			sure = contradicts(s, c) && !slices.ContainsFunc(steps, func(s step) bool { return supports(s, c) })
			return Doubt{c, HasFailed, s.text}, sure
		case s.opaque, slices.ContainsFunc(s.kinds, func(k Kind) bool { return slices.Contains(backs[c.Kind], k) }):
			return Doubt{}, false // it may have done the same
		}
	}
	return Doubt{Claim: c, Why: NeverRun}, backs[c.Kind] != nil
}

// contradicts reports whether a failed command says the opposite of a claim: it must say so
// itself, and a claim of one package, file or suite says nothing of all.
func contradicts(s step, c Claim) bool {
	failed := s.failed(c.Kind)
	if failed == nil || !*failed || is("idle", s.from.Output) || !universal(c) {
		return false
	}
	failedSo, shown := printed(c.Kind, s.from.Output)
	return s.from.Output == "" || shown && failedSo
}

// supports reports whether a step is what a claim means although the last of its kind
// failed: a run of as many tests, a commit or a push of something else.
func supports(s step, c Claim) bool {
	if !slices.Contains(s.kinds, c.Kind) {
		return false
	}
	if c.Kind == Commit || c.Kind == Push {
		failed := s.failed(c.Kind)
		return failed == nil || !*failed
	}
	n := re("number").FindString(c.Text)
	return n != "" && slices.Contains(re("number").FindAllString(s.from.Output, -1), n)
}
