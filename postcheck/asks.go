package postcheck

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/postcheck/check"
	"github.com/handrail-dev/handrail/postcheck/proof"
)

//go:embed asks.txt
var asksText string

var asks = lazyregexp.Named(asksText + formsText)

// demand is what an item asks for that deeds show and words do not.
type demand struct {
	runs    []shell.Kind // what is to be run or to be green: tests, a build, a linter
	command string       // or any other command that is to be run
	beside  string       // what is to be written beside the code: "test", "log", "doc" or ""
	tests   bool         // it speaks of tests: words do not keep it
	early   bool         // it may be run before the last edit
	when    string       // what is to have changed before
	some    bool         // it asks only in some case, so that nothing of it is missing
	whole   bool         // one run of a few tests is too little
}

// demandOf reads an item.
func demandOf(item string) demand {
	is := func(name string) bool { return asks(name).MatchString(item) }
	if !is("any") {
		return demand{}
	}
	d := demand{tests: is("names-test"), whole: is("whole"), early: is("early"), some: is("case") && !is("always")}
	if m := asks("when-changed").FindStringSubmatch(item); m != nil {
		d.when, d.some = cmp.Or(m[1:]...), false
	}
	blank := func(code string) string { return strings.Repeat("_", len(code)) }
	bare := asks("command").ReplaceAllStringFunc(item, blank)
	for _, k := range []shell.Kind{shell.Tests, shell.Build, shell.Lint} {
		if asked(bare, string(k)) {
			d.runs = append(d.runs, k)
		}
	}
	for _, at := range spans(item, bare) {
		text := strings.Trim(item[at[0]:at[1]], "`")
		before, after := item[:at[0]], item[at[1]:]
		made := asks("made-with").MatchString(before) && asks("is-command").MatchString(text)
		wanted := made || asks("before").MatchString(before) || asks("after").MatchString(after)
		if text == "" || !wanted || denies(before, after) {
			continue
		}
		kinds := slices.DeleteFunc(shell.KindsOf(text), func(k shell.Kind) bool {
			return k != shell.Tests && k != shell.Build && k != shell.Lint || slices.Contains(d.runs, k)
		})
		d.runs = append(d.runs, kinds...)
		if len(d.runs) == 0 && (item[at[0]] == '`' || d.when != "" && (made || asks("after").MatchString(after)) && asks("is-command").MatchString(text)) && asks("plain").MatchString(text) {
			d.command = shell.Read(text, "", nil).Commands[0].Text // without a wrapper
		}
	}
	for _, what := range []string{"test", "log", "doc"} {
		if d.beside == "" && asked(item, "want-"+what) {
			d.beside = what
		}
	}
	d.tests = d.tests || d.beside == "test"
	return d
}

// spans returns where commands may stand in an item: in backticks, behind a verb, and what is no Hangul.
func spans(item, bare string) [][]int {
	out := asks("command").FindAllStringIndex(item, -1)
	for _, at := range asks("verb").FindAllStringIndex(bare, -1) {
		if rest := asks("clause").FindString(item[at[1]:]); rest != "" {
			out = append(out, []int{at[1], at[1] + len(rest)})
		}
	}
	return append(out, asks("words").FindAllStringIndex(bare, -1)...)
}

// asked reports whether a pattern is in an item, and not denied.
func asked(item, pattern string) bool {
	at := asks(pattern).FindStringIndex(item)
	return at != nil && !denies(item[:at[0]], item[at[1]:])
}

func denies(before, after string) bool {
	return asks("never").MatchString(before) || asks("never-ko").MatchString(after)
}

// changesCode reports whether code was edited.
func changesCode(edits []check.Edit) bool {
	return slices.ContainsFunc(edits, func(e check.Edit) bool {
		return len(e.Added)+len(e.Removed) > 0 && !asks("no-code-file").MatchString(e.File)
	})
}

// lacks reports whether code was edited and what is to be written beside it was not.
func (d demand) lacks(edits []check.Edit) bool {
	return d.beside != "" && !d.some && changesCode(edits) &&
		!slices.ContainsFunc(edits, func(e check.Edit) bool { return asks("made-" + d.beside).MatchString(e.File) })
}

// changed reports whether edits speak of something: all of them do of code.
func (t Turn) changed(what string) bool {
	r, of := t.added(true), slices.DeleteFunc(understand(what), func(u unit) bool { return u.mass < 1 })
	return len(of) == 0 || slices.ContainsFunc(of, func(u unit) bool { return r.has(u) || u.names[0] == concept+"code" })
}

// wrote reports whether a file that a clause names was edited.
func (t Turn) wrote(clause string) bool {
	return slices.ContainsFunc(asks("file").FindAllString(clause, -1), func(name string) bool {
		name = strings.Trim(name, "`")
		return strings.ContainsAny(name, "./") && slices.ContainsFunc(t.Edits, func(e check.Edit) bool {
			_, ok := lessons.MatchPaths([]string{name, "**/" + name}, []string{e.File})
			return ok
		})
	})
}

// ran judges an item that asks for runs, by the commands of a turn alone.
func (d demand) ran(t Turn) (s State, at Place) {
	s = Kept
	for _, k := range d.runs {
		is := func(c shell.Command) bool { return slices.Contains(c.Kinds, k) }
		last, ok := proof.Latest(k, is, t.Edits, t.Commands)
		s, at = d.judge(t, last, ok, s, at)
	}
	if d.command != "" {
		is := func(c shell.Command) bool { return isRun(c.Text, d.command) }
		last, ok := proof.Latest(shell.Run, is, t.Edits, t.Commands)
		last.Stale = last.Stale && !d.early
		if _, written := t.where(literal{text: d.command, re: finderOf(d.command)}); !ok && written { // in a script or a Dockerfile, which runs it
			return NotHere, Place{}
		}
		s, at = d.judge(t, last, ok, s, at)
	}
	return s, at
}

// isTest reports whether a file holds tests; a pipeline that is called so holds none.
func isTest(file string) bool {
	return asks("made-test").MatchString(file) && !asks("pipeline").MatchString(file)
}

// isRun reports whether a command is one that an item names, with any options, or makes its target among others.
func isRun(command, wanted string) bool {
	if wrapper := asks("wrapper"); wrapper.MatchString(command) != wrapper.MatchString(wanted) {
		command, wanted = wrapper.ReplaceAllString(command, ""), wrapper.ReplaceAllString(wanted, "")
	}
	command = asks("tool-options").ReplaceAllString(command, "$1 ")
	tool, target, _ := strings.Cut(wanted, " ")
	words, at := strings.Fields(command), 0
	if asks("makes").MatchString(tool) && strings.HasPrefix(command, tool+" ") && slices.Contains(words, target) {
		return true
	}
	for w := range strings.FieldsSeq(wanted) {
		if option := func(x string) bool { return x == w || strings.HasPrefix(x, w+"=") }; w[0] == '-' && slices.ContainsFunc(words, option) {
			continue
		}
		n := slices.Index(words[at:], w)
		if n < 0 || slices.ContainsFunc(words[at:at+n], func(x string) bool { return at == 0 || x[0] != '-' }) { // only options stand between
			return false
		}
		at += n + 1
	}
	return at > 0
}

// mayRun reports whether a command may have run what an item asks for: no other verb of the same tool has.
func (d demand) mayRun(command string) bool {
	tool, _, verb := strings.Cut(d.command, " ")
	return asks("any-run").MatchString(command) && (!verb || tool == "npm" || asks("makes").MatchString(tool) || !isRun(command, tool))
}

// judge joins the verdict on one run with those before it: an open one is that of all, then one of which nothing is
// known.
func (d demand) judge(t Turn, last proof.Evidence, ok bool, s State, at Place) (State, Place) {
	here, fresh := Place{Command: last.Command}, ok && !last.Stale
	passed := fresh && last.Failed != nil && !*last.Failed
	switch {
	case s == Open, passed && s == NotHere:
		return s, at
	case fresh && last.Failed == nil, passed && d.whole && asks("some").MatchString(last.Command):
		return NotHere, Place{}
	case passed:
		return Kept, here
	case d.some, !ok && !changesCode(t.Edits), proof.Maybe(t.Edits, t.Commands, d.mayRun):
		return NotHere, Place{}
	}
	return Open, here
}
