// Package postcheck says of each item of a card's Prevention Checklist what a turn did with it: kept, broken, open, or not here.
//
// Deeds come before words. A check that the item carries (package check) decides alone where it runs. Else the turn is cut into places (reading.go): the
// sentences and code of the answer and, where the host tells of deeds, the lines that were added, the files' names and the commands. A card speaks of the
// turn where a file of its paths was touched, or one of its tags or its title stands in one place (reading.go), and an item is shown where most of its words stand in one place (item.go).
// What only the answer tells is said, never kept. Words never break an item: they can say "nothing shows it". A person sees the result and nothing is blocked.
package postcheck

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck/check"
)

// Turn is what is known of a turn.
type Turn struct {
	check.Deeds
	Earlier []check.Command // of the conversation, in the turns before
	Request string
	Answer  string
	Asked   bool                     // a person named the cards, which are then about it
	Watched bool                     // the host tells of edits and commands: what is not among the deeds was not done
	Reminds bool                     // names in code alone count, and a ban holds wherever its item says that it does: to remind of it, not to judge
	Text    func(file string) string // of an edited file, as it is now; "" where it is not known
	Differs func(file string) bool   // whether it is other than the last commit has it; nil where nobody can say
}

// State is the verdict on an item.
type State string

// The states.
const (
	Kept    State = "kept"
	Said    State = "said" // the answer says so, and no deed shows it
	Broken  State = "broken"
	Open    State = "open"     // the item applies, and nothing shows it
	NotHere State = "not-here" // nothing was done that it is about
)

// Source is what a verdict rests on.
type Source string

// The sources, the strongest first.
const (
	byCheck   Source = "check"
	byCommand Source = "command"
	byLine    Source = "line"
	ByAnswer  Source = "answer" // words alone, which is too little to accuse anybody
)

// Place is where a verdict can be seen: a line of a file, a command, or a sentence of the answer.
type Place struct {
	File     string
	Line     check.Line
	Command  string
	Sentence string
}

// source tells what a place is of.
func (p Place) source() Source {
	switch {
	case p.File != "" || p.Line.Text != "":
		return byLine
	case p.Command != "":
		return byCommand
	}
	return ByAnswer
}

// Verdict is the judgement of one item of a card after a turn.
type Verdict struct {
	Path, Title string // of the card
	Severity    lessons.Severity
	Item        lessons.Item
	State       State
	By          Source
	Place       Place
	Missing     []string // of an open item: its words, as written, that nothing shows
}

const (
	// fewBytes is the length up to which an answer that ends in a question, or begins with a refusal, is nothing else.
	fewBytes = 400
	// fewWords is how many words an answer must have to say anything: "Done." says nothing.
	fewWords = 3
	// maxThings bounds how many lines or names of files are looked at for one item.
	maxThings = 100
)

// Holds reports whether there is anything to judge in a turn: one that did nothing and only asks, refuses or is silent says nothing of any item.
func (t Turn) Holds() bool {
	if len(t.Edits)+len(t.Commands) > 0 {
		return true
	}
	a := strings.TrimSpace(t.Answer)
	return len(a) >= fewBytes || strings.Contains(a, "```") || !asks("asking").MatchString(a) && !asks("refusal").MatchString(a) && len(strings.Fields(a)) >= fewWords
}

// Judge returns a verdict for each item of the cards, in the cards' order.
func Judge(ctx context.Context, t Turn, cards []lessons.Card) []Verdict {
	if len(cards) == 0 {
		return nil
	}
	holds, r, asked := t.Holds(), read(t), readText(t.Request)
	code := t
	if !t.Watched && len(t.Edits) == 0 { // a chat: its code is what was done, for checks and names
		code.Edits = codeOf(t.Answer)
	}
	commands := code
	commands.Edits = nil
	results := code.try(ctx, cards)
	added := sync.OnceValue(func() *reading { return code.added(false) })
	var out []Verdict
	for _, c := range cards {
		here, scoped := about(code, c, r, asked)
		for _, it := range c.Items {
			v := Verdict{Path: c.Path, Title: c.Title, Severity: c.Severity, Item: it, State: NotHere}
			tried, has := results[it.Check]
			switch {
			case has && (t.Watched || tried.Outcome != check.Absent):
				v.take(tried)
			case !holds:
			case code.barsRun(it, &v), code.barsEdit(it, &v), code.inOrder(it, &v), code.noted(it, &v), code.formed(it, &v), code.together(it, &v):
			case (len(c.Paths) == 0 || scoped) && code.literals(c, scoped, added, &v):
			case len(c.Paths) > 0 && !scoped && len(t.Commands) > 0 && commands.literals(c, false, added, &v):
			case t.Reminds, !here && !t.Asked && !code.wrote(demandOf(cmp.Or(it.Marked, it.Text)).when):
			case t.Watched && len(t.Edits)+len(t.Commands) == 0 && r.code < fewLines: // nothing was done, and the answer is no work
			default:
				r.judge(t, !t.Asked && !scoped, &v)
			}
			out = append(out, v)
		}
	}
	return out
}

// fewLines is how many lines of code make an answer a piece of work.
const fewLines = 3

// try runs the checks that items carry, where the deeds are known. A check that has a problem does not run, nor one of commands on a chat: the item's words count.
func (t Turn) try(ctx context.Context, cards []lessons.Card) map[string]check.Result {
	if !t.Watched && len(t.Edits) == 0 {
		return nil
	}
	out := map[string]check.Result{}
	var texts []string
	var checks []check.Check
	for _, c := range cards {
		for _, it := range c.Items {
			if _, ok := out[it.Check]; ok || it.Check == "" {
				continue
			}
			if c, problems := check.Parse(it.Check); len(problems) == 0 && c.Runs() && (t.Watched || !c.OfCommands()) {
				out[it.Check] = check.Result{}
				texts, checks = append(texts, it.Check), append(checks, c)
			}
		}
	}
	for i, r := range check.RunAll(ctx, checks, t.Deeds) {
		out[texts[i]] = r
	}
	return out
}

// take makes a check's outcome the verdict.
func (v *Verdict) take(r check.Result) {
	v.By, v.Place = byCheck, Place{File: r.File, Line: r.Line, Command: r.Command}
	switch {
	case r.Outcome == check.Broken && r.Line.Text == "" && r.Command == "": // something is missing, which the next turn may bring
		v.State = Open
	case r.Outcome == check.Broken:
		v.State = Broken
	case r.Outcome == check.Kept && !r.Cut:
		v.State = Kept
	}
}
