package triggers

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// rolledBack judges work that was undone. At the person's word it raises a candidate whoever did it, and so does what a person did. What an agent
// did on its own, and what is soft, is only a sign.
func (d *Detector) rolledBack(s *session, e Event) []Candidate {
	for _, other := range d.sessions.Values() { // git's log names no conversation
		if other.asksUndo() && (other == s || e.SessionID == "" && other.changed(e.Files)) {
			_, request := other.work.lately(e.Files)
			return other.undone(e, request, d.takenBack(e))
		}
	}
	deed := cmp.Or(firstLine(e.Text), namesOf(e.Files)+WentBack)
	switch {
	case e.ByAgent:
		return s.done(deed, e.Files)
	case e.Soft:
		for _, other := range d.sessions.Values() {
			if len(other.Hints) > 0 {
				if c := other.done(deed, e.Files); c != nil {
					return c
				}
			}
		}
		return nil
	}
	changes := d.takenBack(e)
	for _, other := range d.sessions.Values() {
		if other.changed(e.Files) {
			s = other
		}
	}
	_, request := s.work.lately(e.Files)
	return s.wentBack(RolledBack, e, cmp.Or(request, s.request), changes)
}

// takenBack returns the lines that an event undid: those it tells of, else what an agent had made of its files.
func (d *Detector) takenBack(e Event) []Change {
	changes := e.Changes
	if len(changes) == 0 {
		for _, other := range d.sessions.Values() {
			made, _ := other.work.lately(e.Files)
			for _, c := range made {
				changes = append(changes, Change{File: c.File, Removed: c.Added, Added: c.Removed})
			}
		}
	}
	return changes
}

// asksUndo reports whether the person has asked in this turn that something be undone, and it is yet to come.
func (s *session) asksUndo() bool { return s.undo.turn > 0 && s.undo.turn == s.Turn }

// undone describes work that was undone at the person's word: what had been asked, the word, and the lines. One candidate comes of one word, none
// where the message was one itself.
func (s *session) undone(e Event, request string, changes []Change) []Candidate {
	word := s.undo
	s.undo = undo{}
	s.Hints = slices.DeleteFunc(s.Hints, func(h Hint) bool { return h.Turn == s.Turn })
	if s.asking != "" {
		return nil
	}
	c := s.wentBack(RolledBack, e, cmp.Or(request, word.of), changes)
	c[0].Mistake = quoteOf(word.words) + "\n\n" + strings.TrimSpace(c[0].Mistake)
	c[0].Evidence = slices.Insert(c[0].Evidence, 0, firstLine(word.words))
	return c
}

// changed reports whether a conversation changed one of some files.
func (s *session) changed(files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool { return slices.Contains(s.edited, f) })
}

// wentBack describes work that was undone, and what had been asked for.
func (s *session) wentBack(t Trigger, e Event, request string, changes []Change) []Candidate {
	names, text := namesOf(e.Files), strings.TrimSpace(e.Text)
	c := Candidate{Trigger: t, Title: cmp.Or(subjectOf(text), names, string(t)), Files: e.Files, Korean: korean(request)}
	if request != "" {
		c.Situation = quoteOf(request)
	}
	if text != "" {
		c.Mistake = quoteOf(clipRunes(text, maxQuote))
		c.Evidence = append(c.Evidence, firstLine(text))
	}
	if made := diffOf(changes); made != "" {
		c.Mistake += "\n\n" + made
	}
	if len(e.Files) > 0 {
		c.Situation += "\n\n" + listOf(e.Files)
		c.Evidence = append(c.Evidence, names)
	}
	c.Evidence = append(c.Evidence, s.context()...)
	return []Candidate{c}
}

// subjectOf returns what was undone: the subject of the reverted commit rather than git's word for the act.
func subjectOf(text string) string {
	line := firstLine(text)
	if s, ok := strings.CutPrefix(line, `revert: Revert "`); ok {
		return strings.TrimSuffix(s, `"`)
	}
	if strings.HasPrefix(line, "reset: ") {
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			return firstLine(rest)
		}
	}
	return line
}

// tested watches for tests that go from red to green with edits between, and for those that an edit broke.
func (d *Detector) tested(s *session, r shell.TestRun, e Event) []Candidate {
	key := keyOf(r.Dir, r.Command)
	before, red := d.failing.Get(key)
	switch {
	case r.Failed == nil:
		return nil
	case *r.Failed:
		f := &failure{Failing: Failing{Dir: r.Dir, Command: r.Command}, session: e.SessionID, run: newFailedRun(r.Command, e.Output)}
		if red { // still: what was tried counts too
			f.Edited, f.changes = before.Edited, before.changes
		}
		d.failing.Add(key, f)
		s.failed = f.run
		if s.green[key] && len(s.lately) > 0 {
			delete(s.green, key)
			return s.done(r.Command+FailsNow, s.lately)
		}
		return nil
	}
	if s.green == nil || len(s.green) > memory {
		s.green = map[string]bool{}
	}
	s.green[key] = true
	d.failing.Remove(key)
	if red {
		before.mendedBy(e.Changes)
	}
	if !red || len(before.Edited) == 0 {
		return nil
	}
	if s.failed != nil && s.failed.command == r.Command {
		s.failed = nil
	}
	return []Candidate{s.mended(before)}
}

// failedRun is a command that failed. What it printed is read when it is asked for, which is seldom.
type failedRun struct {
	command string
	excerpt func() string // without secrets
}

// maxUnread bounds an output that is kept to be read later, in bytes.
const maxUnread = 64 << 10

func newFailedRun(command, output string) *failedRun {
	r := &failedRun{command, sync.OnceValue(func() string { return shell.Excerpt(leaks.Redact(output)) })}
	if len(output) > maxUnread {
		r.excerpt()
	}
	return r
}

// shown is the command and what of its output says what failed.
func (r *failedRun) shown() string { return clipRunes(r.command+"\n"+r.excerpt(), maxQuote) }

// mendedBy notes what a look at the work tree tells of the way from red to green: the lines that are there now, rather than each edit on the way.
func (f *failure) mendedBy(changes []Change) {
	for _, c := range changes {
		f.Edited = remember(f.Edited, c.File)
		f.changes = slices.DeleteFunc(slices.Clone(f.changes), func(o Change) bool { return o.File == c.File })
	}
	for _, c := range changes[:min(len(changes), maxFiles)] {
		f.changes = append(f.changes, clipChange(c))
	}
}

// mended describes tests that failed and pass after some edits.
func (s *session) mended(f *failure) Candidate {
	excerpt := f.run.excerpt()
	c := Candidate{
		Trigger: RedGreen, Title: cmp.Or(failureTitle(excerpt), f.Command), Files: f.Edited, Command: f.Command, Test: failedTest(excerpt), Korean: korean(s.request),
		Situation: "`" + f.Command + "`\n\n" + listOf(f.Edited), Fix: diffOf(f.changes), Evidence: []string{f.Command},
	}
	if s.request != "" {
		c.Situation = quoteOf(s.request) + "\n\n" + c.Situation
	}
	if excerpt != "" {
		c.Evidence = append(c.Evidence, excerpt)
		c.Mistake = fenced(excerpt)
	}
	c.Evidence = append(c.Evidence, namesOf(f.Edited))
	return c
}

var (
	goTest    = lazyregexp.New(`^--- FAIL: (\S+) \([\d.]+s\)$`)
	testName  = lazyregexp.New(`^--- FAIL: (\S+)|^(?:FAILED|FAIL:?|●|✕|×) +(.+?)(?: - .*)?$|^test (\S+) \.\.\. FAILED`)
	goTestLog = lazyregexp.New(`^\s+\S+\.go:\d+: (.+)$`)
)

// failedTest returns the name of the test that an excerpt says has failed, "" when it names none.
func failedTest(excerpt string) string {
	for line := range strings.Lines(excerpt) {
		if m := testName().FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			return strings.TrimSpace(m[1] + m[2] + m[3])
		}
	}
	return ""
}

// failureTitle returns the line of an excerpt that names what failed.
func failureTitle(excerpt string) string {
	lines := strings.Split(excerpt, "\n")
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if m := goTest().FindStringSubmatch(l); m != nil { // the name alone says little
			if why := goTestLog().FindStringSubmatch(strings.Join(lines[i+1:min(i+2, len(lines))], "")); why != nil {
				return m[1] + ": " + why[1]
			}
			return m[1]
		}
		l = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(l, "--- FAIL:"), "E  "))
		if l != "" && l != "FAIL" && !strings.HasPrefix(l, "FAIL\t") {
			return l
		}
	}
	return ""
}

// edited follows which files and lines a conversation changes. Lines that it wrote and now rewrites, or took out and now brings back, are a sign.
func (d *Detector) edited(s *session, e Event) []Candidate {
	for _, f := range e.Files {
		s.edited, s.lately = remember(s.edited, f), remember(s.lately, f)
	}
	for _, red := range d.failing.Values() {
		if red.session != "" && e.SessionID != "" && red.session != e.SessionID {
			continue // another conversation's work
		}
		for _, f := range e.Files {
			red.Edited = remember(red.Edited, f)
		}
		for _, c := range e.Changes[:min(len(e.Changes), maxFiles-len(red.changes))] {
			red.changes = append(red.changes, clipChange(c))
		}
	}
	if e.SessionID == "" {
		return nil
	}
	var again, back []string
	rewrote, returned := 0, 0
	_, request := s.work.lately(e.Files)
	for _, c := range e.Changes {
		r, b := s.work.edited(s.Turn, s.request, c)
		if rewrote += r; r >= rewritten {
			again = append(again, c.File)
		}
		if returned += b; b >= rewritten {
			back = append(back, c.File)
		}
	}
	switch {
	case s.asksUndo() && rewrote+returned > 0:
		return s.undone(e, request, e.Changes)
	case len(back) > 0:
		return s.done(fmt.Sprint(strings.Join(back, ", "), ": ", returned, CameBack), back)
	case len(again) > 0:
		return s.done(fmt.Sprint(strings.Join(again, ", "), ": ", rewrote, Rewritten), again)
	}
	return nil
}

// Entry is one line of the log git keeps of HEAD (.git/logs/HEAD).
type Entry struct {
	Old, New string // commit names; zeros when there was none
	Message  string // such as "reset: moving to HEAD~1"
}

var hash = lazyregexp.New(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// ParseReflog reads one line; ok is false when it is not of git's form.
func ParseReflog(line []byte) (e Entry, ok bool) {
	head, msg, found := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte("\t"))
	fields := bytes.Fields(head)
	if !found || len(fields) < 3 || !hash().Match(fields[0]) || !hash().Match(fields[1]) {
		return Entry{}, false
	}
	return Entry{Old: string(fields[0]), New: string(fields[1]), Message: strings.ToValidUTF8(string(msg), "\uFFFD")}, true
}

// Verdict says whether a log line is a rollback, or what else has to be known.
type Verdict int

// The verdicts.
const (
	No    Verdict = iota // nothing, or what only the files can tell: a reset to the same commit, a stash
	Yes                  // a revert
	Moved                // a reset: a rollback where no ref holds Old and the files went back too (not --soft)
)

// Verdict judges the line by what git writes for each operation (git 2.39; the words are not translated). Amending,
// merging, picking, switching, rebasing and making a work tree are no rollbacks.
func (e Entry) Verdict() Verdict {
	op, _, _ := strings.Cut(e.Message, ":")
	switch {
	case strings.HasPrefix(e.Message, `revert: Revert "Revert "`), strings.HasPrefix(e.Message, `revert: Reapply "`):
		return No // taking a rollback back
	case op == "revert":
		return Yes
	case op != "reset" || strings.Trim(e.Old, "0") == "" || e.Old == e.New:
		return No
	}
	return Moved
}
