package triggers

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	lru "github.com/hashicorp/golang-lru/v2"

	"handrail/lessons/lazyregexp"
	"handrail/lessons/terms"
)

const (
	// memory bounds the event signatures, sessions and test runs that are remembered.
	memory = 256
	// coolDown is how long after a candidate the same trigger stays silent in the same
	// session: one failure makes people write two or three messages.
	coolDown = time.Minute
	// maxTitle and maxQuote bound a candidate's texts, in characters.
	maxTitle = 80
	maxQuote = 1000
	// undoMemory is how long an undone edit counts as evidence: about one exchange with
	// an agent.
	undoMemory = 10 * time.Minute
	// maxFiles bounds the files a candidate names.
	maxFiles = 20
)

// Options are what a detector must know from outside.
type Options struct {
	// Dismissed reports whether a person has dismissed the candidate with this ID
	// before; it may be nil.
	Dismissed func(id string) bool
	// Failing are the test runs that a detector before this one waited for.
	Failing []Failing
	// Friction is what a detector before this one remembered of each conversation.
	Friction map[string]Friction
}

// Detector raises candidates from events. It is not safe for concurrent use.
type Detector struct {
	opt       Options
	redact    redactor
	seen      *lru.Cache[string, time.Time] // signatures of events that were judged
	raised    *lru.Cache[string, time.Time] // trigger and session → last candidate
	sessions  *lru.Cache[string, *session]
	failing   *lru.Cache[string, *failure] // test command and folder → its last failure
	dismissed *lru.Cache[string, bool]
	undone    []string  // files of the last undone edits, in any session: an editor's own
	undoneAt  time.Time // undo belongs to none
}

// session is what the detector remembers of a conversation.
type session struct {
	request string   // what the person asked before the last message
	edited  []string // files, last first
	failed  string   // last failing command and its excerpt

	friction Friction
}

// failure is a test run that failed and what was edited since.
type failure struct {
	command, excerpt string
	edited           []string
}

// NewDetector returns a detector that has seen nothing.
func NewDetector(opt Options) *Detector {
	d := &Detector{opt: opt, redact: newRedactor()}
	// The size is a constant above zero, the only thing New refuses.
	d.seen, _ = lru.New[string, time.Time](memory)
	d.raised, _ = lru.New[string, time.Time](memory)
	d.sessions, _ = lru.New[string, *session](memory)
	d.failing, _ = lru.New[string, *failure](memory)
	d.dismissed, _ = lru.New[string, bool](memory)
	d.remind(opt.Failing)
	for id, f := range opt.Friction {
		d.session(id).friction = f
	}
	return d
}

// Dismiss makes the candidate with this ID never come back.
func (d *Detector) Dismiss(id string) { d.dismissed.Add(id, true) }

// Observe takes note of an event and reports whether it raises a candidate.
func (d *Detector) Observe(e Event) (Candidate, bool) {
	at, id := e.meta()
	s := d.session(id)
	var c Candidate
	var ok bool
	switch e := e.(type) {
	case Message:
		c, ok = d.message(s, e)
	case Rollback:
		c, ok = d.wentBack(RolledBack, e.Text, e.Files), true
		c.Evidence = append(c.Evidence, s.context()...)
	case Rejected:
		c, ok = d.wentBack(TurnedDown, e.Text, e.Files), true
		c.Evidence = append(c.Evidence, s.context()...)
	case Command:
		if r, tests := testRun(e.Command, e.Dir); tests {
			c, ok = d.tested(s, r, e)
		} else if e.ExitCode != nil && *e.ExitCode != 0 && !Stopped(e.ExitCode) {
			s.failed = clipRunes(e.Command+"\n"+excerptOf(e.Output), maxQuote)
		}
	case TestRun:
		r, tests := testRun(e.Command, e.Dir)
		if !tests {
			r = reportedRun(Command(e))
		}
		c, ok = d.tested(s, r, Command(e))
	case Edit:
		d.edited(s, e.Files)
	case Step:
		c, ok = d.stepped(s, e)
	case Undo:
		for _, f := range e.Files {
			d.undone = remember(d.undone, f)
		}
		d.undoneAt = at
	}
	if !ok {
		return Candidate{}, false
	}
	if len(d.undone) > 0 && c.Trigger != Record && len(c.Rules) == 0 && at.Sub(d.undoneAt) < undoMemory {
		c.Evidence = append(c.Evidence, "undo: "+strings.Join(d.undone, ", "))
		d.undone = nil
	}
	c.At, c.SessionID = at, id
	d.tidy(&c)
	return c, d.admit(c, at, id)
}

// admit is the gate: no event twice, no second candidate of a kind within the cool-down,
// nothing a person dismissed.
func (d *Detector) admit(c Candidate, at time.Time, session string) bool {
	if d.dismissed.Contains(c.ID) || d.opt.Dismissed != nil && d.opt.Dismissed(c.ID) {
		return false
	}
	if last, ok := d.seen.Get(c.ID); ok && at.Sub(last) < 10*coolDown {
		return false
	}
	d.seen.Add(c.ID, at)
	key := string(c.Trigger) + "\x00" + session
	switch c.Trigger {
	case RedGreen:
		key += "\x00" + c.Evidence[0] // two tests mended in a minute are two lessons
	case Preference, Constraint, RetryLoop:
		key += "\x00" + c.Title // and so are two rules
	}
	// An explicit request is always answered.
	if last, ok := d.raised.Get(key); ok && c.Trigger != Record && at.Sub(last) < coolDown {
		return false
	}
	d.raised.Add(key, at)
	return true
}

func (d *Detector) session(id string) *session {
	if s, ok := d.sessions.Get(id); ok {
		return s
	}
	s := &session{}
	d.sessions.Add(id, s)
	return s
}

// message judges what a person wrote. One message raises one candidate at most: what went
// wrong goes before a rule, and a rule before a request that comes for the third time.
func (d *Detector) message(s *session, e Message) (Candidate, bool) {
	before := s.request
	again := s.asked(e)
	j := d.judge(e.Text)
	t, evidence := j.trigger, j.evidence
	if !slices.Contains(spoken[:], t) { // it is a request, whatever else it is
		s.request = clipRunes(strings.TrimSpace(e.Text), maxQuote)
	}
	switch t {
	case "":
		return d.repeated(s, e, again)
	case Preference, Constraint:
		return ruled(e, j), true
	}
	c := Candidate{Trigger: t, Files: e.Files, Evidence: []string{evidence}}
	quote := clipRunes(strings.TrimSpace(e.Text), maxQuote)
	c.Situation = quoteOf(quote)
	if before != "" {
		c.Situation = quoteOf(before) + "\n\n" + c.Situation
	}
	c.Rules = sentencesIn(j.rules)
	if t == Record && len(j.rules) > 0 {
		c.Kind = kindOf(ruleTrigger(j.rules))
	}
	c.Evidence = append(c.Evidence, s.context()...)
	if len(c.Files) == 0 {
		c.Files = slices.Clone(s.edited)
	}
	// A complaint's own words make a poor title: what it is about was said before. A
	// request to record often says itself what it is about, a correction what is right.
	said := ""
	switch lead, rest, found := strings.Cut(quote, evidence); {
	case found && t == Record:
		said = firstLine(strings.Trim(lead+" "+rest, edgeMarks))
	case t == Correction:
		said = rightOf(quote)
	}
	switch {
	case len(strings.Fields(said)) > 1:
		c.Title = said
	case s.failed != "" && (before == "" || t == Record):
		c.Title = firstLine(s.failed)
	case before != "":
		c.Title = firstLine(before)
	default:
		c.Title = firstLine(quote)
	}
	return c, true
}

// edgeMarks are cut off a title.
const edgeMarks = " \t\r\n:;,.!?~-–—…"

// objection is how a correction begins that says in the same breath what is right.
var objection = lazyregexp.New(`(?i)^(?:(?:no+|nope|nah|wrong|incorrect|actually|correction|sorry|hm+|wait|not quite|that'?s (?:wrong|not right|incorrect)|아니야|아니에요|아니요|아뇨|아니|아냐|아닌데요?|틀렸어요?|틀렸습니다|정정|땡|ㄴㄴ)[\s,.:;!~—–-]+)+`)

// rightOf returns the line of a correction that says what is right: the first with more
// than an objection in it.
func rightOf(text string) string {
	for line := range strings.Lines(text) {
		line = strings.Trim(firstLine(line), edgeMarks)
		if line = strings.Trim(objection.ReplaceAllString(line+" ", ""), edgeMarks); len(strings.Fields(line)) > 1 {
			return line
		}
	}
	return ""
}

// context is what the session holds that may explain a candidate.
func (s *session) context() []string {
	var out []string
	if s.failed != "" {
		out = append(out, s.failed)
	}
	if len(s.edited) > 0 {
		out = append(out, strings.Join(s.edited, ", "))
	}
	return out
}

// wentBack describes work that was undone.
func (d *Detector) wentBack(t Trigger, text string, files []string) Candidate {
	c := Candidate{Trigger: t, Files: files}
	names := make([]string, 0, len(files))
	for _, f := range files[:min(len(files), maxFiles)] {
		names = append(names, filepath.Base(f))
	}
	switch line := subjectOf(text); {
	case line != "":
		c.Title = line
	case len(names) > 0:
		c.Title = strings.Join(names, ", ")
	default:
		c.Title = string(t)
	}
	if text = strings.TrimSpace(text); text != "" {
		c.Situation = quoteOf(clipRunes(text, maxQuote))
		c.Evidence = append(c.Evidence, firstLine(text))
	}
	if len(files) > 0 {
		var b strings.Builder
		for _, f := range files[:min(len(files), maxFiles)] {
			fmt.Fprintf(&b, "- `%s`\n", f)
		}
		c.Situation = strings.TrimSpace(c.Situation + "\n\n" + b.String())
		c.Evidence = append(c.Evidence, strings.Join(names, ", "))
	}
	return c
}

// subjectOf returns what was undone: the subject of the reverted commit rather than
// git's word for the act.
func subjectOf(text string) string {
	line := firstLine(text)
	if s, ok := strings.CutPrefix(line, `revert: Revert "`); ok {
		return strings.TrimSuffix(s, `"`)
	}
	if strings.HasPrefix(line, "reset: ") {
		if _, rest, ok := strings.Cut(strings.TrimSpace(text), "\n"); ok {
			return firstLine(rest)
		}
	}
	return line
}

// tested watches for tests that go from red to green with edits between.
func (d *Detector) tested(s *session, r run, e Command) (Candidate, bool) {
	key := r.dir + "\x00" + r.command
	switch outcomeOf(r, e.ExitCode, e.Output) {
	case failed:
		f := &failure{command: r.command, excerpt: excerptOf(e.Output)}
		if old, ok := d.failing.Get(key); ok { // still red: what was tried counts too
			f.edited = old.edited
		}
		d.failing.Add(key, f)
		s.failed = clipRunes(r.command+"\n"+f.excerpt, maxQuote)
		return Candidate{}, false
	case passed:
		f, ok := d.failing.Get(key)
		if !ok || len(f.edited) == 0 {
			d.failing.Remove(key)
			return Candidate{}, false
		}
		d.failing.Remove(key)
		if strings.HasPrefix(s.failed, r.command+"\n") {
			s.failed = ""
		}
		c := Candidate{Trigger: RedGreen, Files: f.edited}
		c.Title = strings.TrimSpace(failureTitle(f.excerpt))
		if c.Title == "" {
			c.Title = f.command
		}
		c.Evidence = []string{f.command}
		c.Situation = "`" + f.command + "`"
		if f.excerpt != "" {
			c.Evidence = append(c.Evidence, f.excerpt)
			c.Situation += "\n\n" + fenced(f.excerpt)
		}
		names := make([]string, len(f.edited))
		for i, file := range f.edited {
			names[i] = filepath.Base(file)
			c.Situation += fmt.Sprintf("\n- `%s`", file)
		}
		c.Evidence = append(c.Evidence, strings.Join(names, ", "))
		return c, true
	}
	return Candidate{}, false
}

var (
	goTest    = lazyregexp.New(`^--- FAIL: (\S+) \([\d.]+s\)$`)
	goTestLog = lazyregexp.New(`^\s+\S+\.go:\d+: (.+)$`)
)

// failureTitle returns the line of an excerpt that names what failed.
func failureTitle(excerpt string) string {
	lines := strings.Split(excerpt, "\n")
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if m := goTest.FindStringSubmatch(l); m != nil { // the name alone says little
			if why := goTestLog.FindStringSubmatch(strings.Join(lines[i+1:min(i+2, len(lines))], "")); why != nil {
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

func (d *Detector) edited(s *session, files []string) {
	for _, f := range files {
		s.edited = remember(s.edited, f)
		for _, key := range d.failing.Keys() {
			if red, ok := d.failing.Peek(key); ok {
				red.edited = remember(red.edited, f)
			}
		}
	}
}

// remember puts a file in front of a bounded list.
func remember(list []string, file string) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(f string) bool { return f == file })
	list = slices.Insert(list, 0, file)
	return list[:min(len(list), maxFiles)]
}

// tidy takes secrets out of a candidate, bounds its texts and names it.
func (d *Detector) tidy(c *Candidate) {
	c.Situation = d.redact.clean(c.Situation)
	c.Title = clipRunes(strings.Join(strings.Fields(d.redact.clean(c.Title)), " "), maxTitle)
	kept := c.Evidence[:0:0]
	for _, e := range c.Evidence {
		if e = strings.TrimSpace(d.redact.clean(e)); e != "" && !slices.Contains(kept, e) {
			kept = append(kept, clipRunes(e, maxQuote))
		}
	}
	c.Evidence = kept
	for i, r := range c.Rules {
		c.Rules[i] = clipRunes(strings.Join(strings.Fields(d.redact.clean(r)), " "), maxRuleText)
	}
	c.Files = slices.Clone(c.Files[:min(len(c.Files), maxFiles)])
	sum := sha256.Sum256([]byte(string(c.Trigger) + "\x00" + terms.Key(c.Title) + "\x00" + terms.Key(clipRunes(c.Situation, maxQuote)) + "\x00" + strings.Join(c.Files, "\x00")))
	c.ID = hex.EncodeToString(sum[:8])
}

func firstLine(s string) string {
	for l := range strings.SplitSeq(s, "\n") {
		if l = strings.TrimFunc(l, func(r rune) bool { return unicode.IsSpace(r) || r == '>' || r == '#' }); l != "" {
			return l
		}
	}
	return ""
}

// clipRunes returns at most n characters of s, marked where it was cut.
func clipRunes(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:n-1])) + "…"
}
