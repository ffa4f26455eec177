// Package proof tells what the commands of a session proved, and which claims of an answer
// nothing supports. It reads shell lines, what they printed and how they ended; it runs
// nothing and opens no file.
//
// Start with [Gather] for evidence and [Doubts] for claims without any. What a command proves and how it ended is the business of lessons/shell; what an
// answer claims is in claims.go, and its words are in patterns.txt. A doubt is an accusation: wherever a run, a message or another tool could stand behind a
// claim, there is none.
package proof

import (
	"cmp"
	"slices"

	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/postcheck/check"
)

// claimed are the kinds whose success an answer can claim.
var claimed = []shell.Kind{shell.Build, shell.Lint, shell.Tests, shell.Commit, shell.Push}

// Evidence is the last command of a kind.
type Evidence struct {
	Kind    shell.Kind
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
	shell.Command
	line shell.Line
	at   int // in the line
	seq  int
}

func (s step) failed(k shell.Kind) *bool { return s.line.Ended(s.at, k) }

func (s step) proves(k shell.Kind) bool { return slices.Contains(s.Kinds, k) }

// stepsOf cuts the lines of a session into commands, in order.
func stepsOf(commands []check.Command) []step {
	commands = slices.Clone(commands)
	slices.SortStableFunc(commands, func(a, b check.Command) int { return cmp.Compare(a.Seq, b.Seq) })
	var out []step
	for _, c := range commands {
		line := shell.Read(c.Line, c.Output, c.Failed)
		for i, command := range line.Commands {
			out = append(out, step{command, line, i, c.Seq})
		}
	}
	return out
}

// Gather returns the last command of each kind, in the order in which they ran.
func Gather(edits []check.Edit, commands []check.Command) []Evidence {
	steps := stepsOf(commands)
	var out []Evidence
	for at, s := range slices.Backward(steps) {
		for _, k := range slices.Backward(s.Kinds) {
			if !slices.ContainsFunc(out, func(e Evidence) bool { return e.Kind == k }) {
				out = append(out, Evidence{k, s.Text, s.failed(k), stale(edits, steps, at)})
			}
		}
	}
	slices.Reverse(out)
	return out
}

// stale reports whether code was edited after a step.
func stale(edits []check.Edit, steps []step, at int) bool {
	later := func(e check.Edit) bool { return e.Seq > steps[at].seq && shell.IsCode(e.File) }
	return slices.ContainsFunc(edits, later) || slices.ContainsFunc(steps[at+1:], func(s step) bool { return s.Edits })
}

// Latest returns the last command that is of some sort, as one of a kind; ok is false where there is none.
func Latest(
	k shell.Kind, is func(shell.Command) bool, edits []check.Edit, commands []check.Command,
) (e Evidence, ok bool) {
	steps := stepsOf(commands)
	for at, s := range slices.Backward(steps) {
		if is(s.Command) {
			return Evidence{k, s.Text, s.failed(k), stale(edits, steps, at)}, true
		}
	}
	return e, false
}

// Maybe reports whether a program that is not known here, or a script, ran after the last edit of code and may have
// done what is looked for, going by its words.
func Maybe(edits []check.Edit, commands []check.Command, may func(command string) bool) bool {
	steps := stepsOf(commands)
	for at, s := range slices.Backward(steps) {
		if stale(edits, steps, at) {
			return false
		}
		if (s.Opaque || slices.Contains(s.Kinds, shell.Run)) && may(s.Text) {
			return true
		}
	}
	return false
}

// backs tells what could stand behind a claim beside a command of its own kind: a compiler
// runs before the tests, a hook before a commit, a script does anything. What is not named
// here is never said to be never run: an editor lints, and a program runs without commands.
var backs = map[shell.Kind][]shell.Kind{
	shell.Tests:  {shell.Run, shell.Commit, shell.Push},
	shell.Build:  {shell.Tests, shell.Lint, shell.Run, shell.Commit, shell.Push},
	shell.Commit: {shell.Push, shell.Run},
	shell.Push:   {shell.Run},
}

// Doubts returns the claims of an answer that no command of the session supports, or that
// the last such run contradicts. The answer is the last message of a turn, session all
// commands up to it, those of earlier turns too, and pasted what the person wrote: a result
// they report is support. Where session is not all that ran, nothing is said to be never run.
func Doubts(answer string, session []check.Command, all bool, pasted string) []Doubt {
	said, admitted := claimsOf(answer)
	if len(said) == 0 {
		return nil
	}
	reported, _ := claimsOf(pasted)
	shown := shell.Read("", pasted, nil)
	steps := stepsOf(session)
	var out []Doubt
	for _, c := range said {
		failed, ended := shown.Printed(c.Kind)
		if admitted[c.Kind] || ended && !failed || slices.ContainsFunc(reported, func(r Claim) bool { return r.Kind == c.Kind }) {
			continue
		}
		if d, sure := doubt(c, steps); sure && (all || d.Why != NeverRun) {
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
		case s.proves(c.Kind):
			sure = contradicts(s, c) && !slices.ContainsFunc(steps, func(s step) bool { return supports(s, c) })
			return Doubt{c, HasFailed, s.Text}, sure
		case s.Opaque, slices.ContainsFunc(s.Kinds, func(k shell.Kind) bool { return slices.Contains(backs[c.Kind], k) }):
			return Doubt{}, false // it may have done the same
		}
	}
	return Doubt{Claim: c, Why: NeverRun}, backs[c.Kind] != nil
}

// contradicts reports whether a failed command says the opposite of a claim: it must say so
// itself, and a claim of one package, file or suite says nothing of all.
func contradicts(s step, c Claim) bool {
	failed := s.failed(c.Kind)
	if failed == nil || !*failed || s.line.Idle() || !universal(c) {
		return false
	}
	failedSo, shown := s.line.Printed(c.Kind)
	return s.line.Output == "" || shown && failedSo
}

// supports reports whether a step is what a claim means although the last of its kind
// failed: a run of as many tests, a commit or a push of something else.
func supports(s step, c Claim) bool {
	if !s.proves(c.Kind) {
		return false
	}
	if c.Kind == shell.Commit || c.Kind == shell.Push {
		failed := s.failed(c.Kind)
		return failed == nil || !*failed
	}
	n := re("number").FindString(c.Text)
	return n != "" && slices.Contains(re("number").FindAllString(s.line.Output, -1), n)
}
