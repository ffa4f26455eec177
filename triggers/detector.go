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

	"handrail/lessons"
	"handrail/lessons/lazyregexp"
	"handrail/lessons/terms"
	"handrail/triggers/heard"
	"handrail/triggers/leaks"
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
	// Worn notes that a file was changed after words that something was wrong, and returns in how many conversations it was; it may be nil.
	Worn func(file, session string) int
	// Failing are the test runs that a detector before this one waited for.
	Failing []Failing
	// Memory is what a detector before this one remembered of each conversation.
	Memory map[string]Memory
}

// Detector raises candidates from events. It is not safe for concurrent use.
type Detector struct {
	opt       Options
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
	turn    int             // messages so far
	request string          // what the person asked before the last message
	edited  []string        // files, last first
	lately  []string        // those edited since the last message
	failed  string          // last failing command and its excerpt
	test    string          // the test that failed there
	green   map[string]bool // test commands that passed here
	asking  string          // the candidate that the last message raised

	work     work
	hints    []Hint
	friction Friction
}

// failure is a test run that failed and what was edited since.
type failure struct {
	command, excerpt string
	edited           []string
	changes          []Change
}

// NewDetector returns a detector that has seen nothing.
func NewDetector(opt Options) *Detector {
	d := &Detector{opt: opt}
	// The size is a constant above zero, the only thing New refuses.
	d.seen, _ = lru.New[string, time.Time](memory)
	d.raised, _ = lru.New[string, time.Time](memory)
	d.sessions, _ = lru.New[string, *session](memory)
	d.failing, _ = lru.New[string, *failure](memory)
	d.dismissed, _ = lru.New[string, bool](memory)
	d.remind(opt.Failing)
	for id, m := range opt.Memory {
		s := d.session(id)
		s.friction, s.turn, s.hints = m.Friction, m.Turn, m.Hints
	}
	return d
}

// Dismiss makes the candidate with this ID never come back.
func (d *Detector) Dismiss(id string) { d.dismissed.Add(id, true) }

// Observe takes note of an event and returns what comes of it.
func (d *Detector) Observe(e Event) Seen {
	at, id := e.meta()
	s := d.session(id)
	var found []Candidate
	var seen Seen
	add := func(c Candidate, ok bool) {
		if ok {
			found = append(found, c)
		}
	}
	switch e := e.(type) {
	case Message:
		found, seen.Hint = d.message(s, e)
	case Rollback:
		add(d.rolledBack(s, e))
	case Rejected:
		c := d.wentBack(s, TurnedDown, e.Text, e.Files, nil)
		c.Evidence = append(c.Evidence, s.context()...)
		add(c, true)
	case Command:
		if r, tests := testRun(e.Command, e.Dir); tests {
			add(d.tested(s, r, e))
		} else if e.ExitCode != nil && *e.ExitCode != 0 && !Stopped(e.ExitCode) {
			s.failed, s.test = clipRunes(e.Command+"\n"+excerptOf(e.Output), maxQuote), ""
		}
	case TestRun:
		r, tests := testRun(e.Command, e.Dir)
		if !tests {
			r = reportedRun(Command(e))
		}
		add(d.tested(s, r, Command(e)))
	case Edit:
		add(d.edited(s, e))
		if s.asking != "" {
			if fix := diffOf(s.work.in(s.turn, nil)); fix != "" {
				seen.Mended = &Mended{ID: s.asking, Fix: leaks.Redact(fix)}
			}
		}
	case Step:
		add(d.stepped(s, e))
	case Undo:
		for _, f := range e.Files {
			d.undone = remember(d.undone, f)
		}
		d.undoneAt = at
	}
	for _, c := range found {
		if len(d.undone) > 0 && c.Trigger != Record && len(c.Rules) == 0 && at.Sub(d.undoneAt) < undoMemory {
			c.Evidence = append(c.Evidence, "undo: "+strings.Join(d.undone, ", "))
			d.undone = nil
		}
		c.At, c.SessionID = at, id
		d.tidy(&c)
		if !d.admit(c, at, id, len(found) > 1) {
			continue
		}
		if _, spoke := e.(Message); spoke && (c.Trigger == Complaint || c.Trigger == Correction) {
			s.asking = c.ID
		}
		seen.Candidates = append(seen.Candidates, c)
	}
	return seen
}

// admit is the gate: no event twice, no second complaint or correction of a conversation within the cool-down, nothing a person dismissed. What was asked for has no
// cool-down.
func (d *Detector) admit(c Candidate, at time.Time, session string, asked bool) bool {
	if d.dismissed.Contains(c.ID) || d.opt.Dismissed != nil && d.opt.Dismissed(c.ID) {
		return false
	}
	if last, ok := d.seen.Get(c.ID); ok && at.Sub(last) < 10*coolDown {
		return false
	}
	d.seen.Add(c.ID, at)
	if asked || c.Trigger != Complaint && c.Trigger != Correction && c.Trigger != Repeated {
		return true // each is another event: two rollbacks, two rules, two tests
	}
	key := string(c.Trigger) + "\x00" + session
	if last, ok := d.raised.Get(key); ok && at.Sub(last) < coolDown {
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

// Judge says what a message is, by itself and what is known of the conversation. What is quoted at length says nothing when it holds a secret.
func (d *Detector) Judge(text string, c heard.Context) heard.Judgement {
	j := heard.Judge(text, c)
	switch j.Kind {
	case heard.Correction, heard.Preference, heard.Constraint:
		if leaks.Found(text) {
			return heard.Judgement{}
		}
	}
	return j
}

// message judges what a person wrote. What is plain raises one candidate; a request for all lessons of the conversation one for each hint that waits.
func (d *Detector) message(s *session, e Message) (found []Candidate, hint *Hint) {
	before := s.request
	again := s.asked(e)
	s.turn++
	s.asking = ""
	defer func() { s.lately = nil }()
	j := d.Judge(e.Text, e.Context)
	if j.Strength != heard.Plain || j.Kind == heard.Preference || j.Kind == heard.Constraint { // it is a request, whatever else it is
		s.request = clipRunes(strings.TrimSpace(e.Text), maxQuote)
	}
	switch {
	case j.Kind == heard.Preference || j.Kind == heard.Constraint:
		return []Candidate{ruled(e, j)}, nil
	case j.Strength == heard.Hint:
		c, h, ok := d.hinted(s, e, j, before)
		if ok {
			return []Candidate{c}, nil
		}
		hint = h
	case j.Strength == heard.Plain:
		if j.Kind == heard.Record && wholeSession.MatchString(j.Evidence) {
			if all := d.draw(s, maxDrawn); len(all) > 0 {
				return all, nil
			}
		}
		c := d.spoken(s, said{
			trigger: Trigger(j.Kind), words: clipRunes(strings.TrimSpace(e.Text), maxQuote), why: j.Evidence, cue: j.Cue, before: before, files: e.Files, turn: s.turn,
		})
		if c.Rules = cleanRules(j.Rules); j.Kind == heard.Record && len(j.Rules) > 0 {
			c.Kind = kindOf(j.Rule)
		}
		return []Candidate{c}, nil
	}
	if c, ok := d.repeated(s, e, again); ok {
		return []Candidate{c}, nil
	}
	return nil, hint
}

// maxDrawn bounds the candidates that one request for all lessons makes.
const maxDrawn = 5

// wholeSession matches a request to record that names no mistake but the conversation.
var wholeSession = lazyregexp.New(`(?i)\b(?:all|every|the|these|our|this|today'?s?) .*(?:session|conversation|chat|today|thread)\b|(?:세션|대화|오늘|지금까지|여기까지)`)

// said is what a message says, with what stands around it.
type said struct {
	trigger         Trigger
	words, why, cue string
	before          string // the request before it
	files           []string
	turn            int
}

// spoken makes the candidate of a message.
func (d *Detector) spoken(s *session, m said) Candidate {
	c := Candidate{Trigger: m.trigger, Files: m.files, Evidence: []string{m.why}, Cue: m.cue, Korean: korean(m.words + m.before)}
	if len(c.Files) == 0 {
		c.Files = slices.Clone(s.edited)
	}
	c.Mistake = quoteOf(m.words)
	if m.before != "" {
		c.Situation = quoteOf(m.before)
	}
	if s.failed != "" {
		c.Mistake += "\n\n" + fenced(s.failed)
		c.Command, c.Test = firstLine(s.failed), s.test
	}
	if made := diffOf(s.work.in(m.turn-1, nil)); made != "" && m.trigger != Record { // what was said of it was made in the turn before
		c.Mistake += "\n\n" + made
	}
	c.Evidence = append(c.Evidence, s.context()...)
	// A complaint's own words make a poor title: what it is about was said before. A
	// request to record often says itself what it is about, a correction what is right.
	about := ""
	switch lead, rest, found := strings.Cut(strings.Join(strings.Fields(m.words), " "), m.why); {
	case found && m.trigger == Record:
		about = firstLine(strings.Trim(lead+" "+rest, edgeMarks))
		if rest := aboutWhat(m.why); rest != "" {
			about = rest
		}
	case m.trigger == Correction:
		about = rightOf(m.words)
	}
	switch {
	case len(strings.Fields(about)) > 1:
		c.Title = about
	case s.failed != "" && (m.before == "" || m.trigger == Record):
		c.Title = firstLine(s.failed)
	case m.before != "":
		c.Title = firstLine(m.before)
	default:
		c.Title = firstLine(m.words)
	}
	return c
}

// aboutWhat returns what a request to record says after its colon.
func aboutWhat(sentence string) string {
	if _, rest, ok := strings.Cut(sentence, ": "); ok {
		return strings.Trim(rest, edgeMarks)
	}
	return ""
}

// korean reports whether a text is in Korean.
func korean(text string) bool {
	n := 0
	for _, r := range text {
		if unicode.Is(unicode.Hangul, r) {
			n++
		}
	}
	return 4*n > utf8.RuneCountInString(text)
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

// rolledBack judges work that was undone. What is soft is only a sign.
func (d *Detector) rolledBack(s *session, e Rollback) (Candidate, bool) {
	if e.Soft {
		deed := firstLine(e.Text)
		for _, id := range d.sessions.Keys() { // git's log names no conversation
			if other, ok := d.sessions.Peek(id); ok && len(other.hints) > 0 {
				if c, ok := d.done(other, e.At, deed, e.Files); ok {
					return c, true
				}
			}
		}
		return Candidate{}, false
	}
	changes := e.Changes
	if len(changes) == 0 { // files that went back: what an agent had just made of them
		for _, id := range d.sessions.Keys() {
			if other, ok := d.sessions.Peek(id); ok {
				for _, c := range slices.Concat(other.work.in(other.turn-1, e.Files), other.work.in(other.turn, e.Files)) {
					changes = append(changes, Change{File: c.File, Removed: c.Added, Added: c.Removed})
				}
			}
		}
	}
	c := d.wentBack(s, RolledBack, e.Text, e.Files, changes)
	c.Evidence = append(c.Evidence, s.context()...)
	return c, true
}

// wentBack describes work that was undone.
func (d *Detector) wentBack(s *session, t Trigger, text string, files []string, changes []Change) Candidate {
	c := Candidate{Trigger: t, Files: files, Korean: korean(s.request)}
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
	if s.request != "" {
		c.Situation = quoteOf(s.request)
	}
	if text = strings.TrimSpace(text); text != "" {
		c.Mistake = quoteOf(clipRunes(text, maxQuote))
		c.Evidence = append(c.Evidence, firstLine(text))
	}
	if made := diffOf(changes); made != "" {
		c.Mistake += "\n\n" + made
	}
	if len(files) > 0 {
		c.Situation += "\n\n" + listOf(files)
		c.Evidence = append(c.Evidence, strings.Join(names, ", "))
	}
	return c
}

// listOf returns files as a list.
func listOf(files []string) string {
	var b strings.Builder
	for _, f := range files[:min(len(files), maxFiles)] {
		fmt.Fprintf(&b, "- `%s`\n", f)
	}
	return strings.TrimSpace(b.String())
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

// tested watches for tests that go from red to green with edits between, and for those that an edit broke.
func (d *Detector) tested(s *session, r run, e Command) (Candidate, bool) {
	key := r.dir + "\x00" + r.command
	switch outcomeOf(r, e.ExitCode, e.Output) {
	case failed:
		f := &failure{command: r.command, excerpt: excerptOf(e.Output)}
		if old, ok := d.failing.Get(key); ok { // still red: what was tried counts too
			f.edited, f.changes = old.edited, old.changes
		}
		d.failing.Add(key, f)
		s.failed, s.test = clipRunes(r.command+"\n"+f.excerpt, maxQuote), failedTest(f.excerpt)
		if s.green[key] && len(s.lately) > 0 {
			delete(s.green, key)
			return d.done(s, e.At, r.command+": passed before and fails now", s.lately)
		}
		return Candidate{}, false
	case passed:
		if s.green == nil || len(s.green) > memory {
			s.green = map[string]bool{}
		}
		s.green[key] = true
		f, ok := d.failing.Get(key)
		d.failing.Remove(key)
		if !ok || len(f.edited) == 0 {
			return Candidate{}, false
		}
		if strings.HasPrefix(s.failed, r.command+"\n") {
			s.failed, s.test = "", ""
		}
		c := Candidate{Trigger: RedGreen, Files: f.edited, Command: f.command, Test: failedTest(f.excerpt), Korean: korean(s.request)}
		c.Title = strings.TrimSpace(failureTitle(f.excerpt))
		if c.Title == "" {
			c.Title = f.command
		}
		c.Evidence = []string{f.command}
		if s.request != "" {
			c.Situation = quoteOf(s.request) + "\n\n"
		}
		c.Situation += "`" + f.command + "`\n\n" + listOf(f.edited)
		if f.excerpt != "" {
			c.Evidence = append(c.Evidence, f.excerpt)
			c.Mistake = fenced(f.excerpt)
		}
		c.Fix = diffOf(f.changes)
		names := make([]string, len(f.edited))
		for i, file := range f.edited {
			names[i] = filepath.Base(file)
		}
		c.Evidence = append(c.Evidence, strings.Join(names, ", "))
		return c, true
	}
	return Candidate{}, false
}

var (
	goTest    = lazyregexp.New(`^--- FAIL: (\S+) \([\d.]+s\)$`)
	testName  = lazyregexp.New(`^--- FAIL: (\S+)|^(?:FAILED|FAIL:?|●|✕|×) +(.+?)(?: - .*)?$|^test (\S+) \.\.\. FAILED`)
	goTestLog = lazyregexp.New(`^\s+\S+\.go:\d+: (.+)$`)
)

// failedTest returns the name of the test that an excerpt says has failed, "" when it names none.
func failedTest(excerpt string) string {
	for line := range strings.Lines(excerpt) {
		if m := testName.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
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

// edited follows which files and lines a conversation changes. Lines that it wrote and now rewrites, or took out and now brings back, are a sign.
func (d *Detector) edited(s *session, e Edit) (Candidate, bool) {
	for _, f := range e.Files {
		s.edited, s.lately = remember(s.edited, f), remember(s.lately, f)
		for _, key := range d.failing.Keys() {
			if red, ok := d.failing.Peek(key); ok {
				red.edited = remember(red.edited, f)
			}
		}
	}
	if c, ok := d.worn(s, e); ok {
		return c, true
	}
	var again, back []string
	rewrote, returned := 0, 0
	for _, c := range e.Changes {
		for _, key := range d.failing.Keys() {
			if red, ok := d.failing.Peek(key); ok && len(red.changes) < maxFiles {
				red.changes = append(red.changes, clipChange(c))
			}
		}
		if e.SessionID == "" {
			continue
		}
		r, b := s.work.edited(s.turn, c)
		if rewrote += r; r >= rewritten {
			again = append(again, c.File)
		}
		if returned += b; b >= rewritten {
			back = append(back, c.File)
		}
	}
	switch {
	case len(back) > 0:
		return d.done(s, e.At, returnedDeed(back, returned), back)
	case len(again) > 0:
		return d.done(s, e.At, rewroteDeed(again, rewrote), again)
	}
	return Candidate{}, false
}

// wornIn is in how many conversations a file must have been mended to say something, and wornFew how many files the agent changes at most.
const wornIn, wornFew = 3, 3

// worn looks for a file that is mended in conversation after conversation.
func (d *Detector) worn(s *session, e Edit) (Candidate, bool) {
	hinted := slices.ContainsFunc(s.hints, func(h Hint) bool { return h.Turn == s.turn && h.Deed == "" && h.Trigger != Record })
	if d.opt.Worn == nil || e.SessionID == "" || !hinted && s.asking == "" {
		return Candidate{}, false
	}
	for _, f := range e.Files {
		if n := d.opt.Worn(f, e.SessionID); n >= wornIn && hinted && len(s.lately) <= wornFew {
			return d.done(s, e.At, wornDeed(f, n), []string{f})
		}
	}
	return Candidate{}, false
}

// remember puts a file in front of a bounded list.
func remember(list []string, file string) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(f string) bool { return f == file })
	list = slices.Insert(list, 0, file)
	return list[:min(len(list), maxFiles)]
}

// tidy takes secrets out of a candidate, bounds its texts and names it.
func (d *Detector) tidy(c *Candidate) {
	for _, text := range []*string{&c.Situation, &c.Mistake, &c.Fix, &c.Command, &c.Test, &c.Cue} {
		*text = strings.TrimSpace(leaks.Redact(*text))
	}
	c.Title = clipRunes(strings.Join(strings.Fields(leaks.Redact(c.Title)), " "), maxTitle)
	kept := c.Evidence[:0:0]
	for _, e := range c.Evidence {
		if e = strings.TrimSpace(leaks.Redact(e)); e != "" && !slices.Contains(kept, e) {
			kept = append(kept, clipRunes(e, maxQuote))
		}
	}
	c.Evidence = kept
	for i, r := range c.Rules {
		c.Rules[i] = clipRunes(strings.Join(strings.Fields(leaks.Redact(r)), " "), maxRuleText)
	}
	c.Files = slices.Clone(c.Files[:min(len(c.Files), maxFiles)])
	sum := sha256.Sum256([]byte(string(c.Trigger) + "\x00" + terms.Key(c.Title) + "\x00" + terms.Key(clipRunes(c.Situation+c.Mistake, 2*maxQuote)) + "\x00" + strings.Join(c.Files, "\x00")))
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

// ruled describes a message that lays rules down. What was done before has no part in it.
func ruled(e Message, j heard.Judgement) Candidate {
	rules := cleanRules(j.Rules)
	return Candidate{
		Trigger: Trigger(j.Kind), Kind: kindOf(j.Kind), Rules: rules, Files: e.Files, Cue: j.Cue, Korean: korean(e.Text),
		Title: strings.Trim(firstLine(rules[0]), edgeMarks), Evidence: slices.Clone(rules), Situation: quoteOf(clipRunes(strings.TrimSpace(e.Text), maxQuote)),
	}
}

// maxRuleText bounds each rule, in characters.
const maxRuleText = 300

func cleanRules(rules []string) []string {
	var out []string
	for _, r := range rules {
		out = append(out, strings.TrimSpace(r))
	}
	return out
}

// kindOf returns the kind of card that a rule makes.
func kindOf(k heard.Kind) lessons.Kind {
	if k == heard.Constraint {
		return lessons.Policy
	}
	return lessons.Preference
}
