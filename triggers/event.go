// Package triggers knows which events deserve the question "record this?": complaints that something fails again, explicit requests to record,
// corrections of what an agent said, standing rules, rollbacks, rejected changes, and tests that go from red to green.
// It never raises a candidate on plain success.
//
// Start with [Detector.Observe]. What is plain is a candidate at once; what may be one is a [Hint], kept with its conversation and shown to nobody until
// something about the same agrees (hints.go). What a message says is the business of the package heard, what a command does and how it ended that of
// lessons/shell. Messages are in messages.go, edits, rollbacks and tests in deeds.go, lines that are rewritten in lines.go, what
// git's log says in rollback.go. The package reads no files and no clock but the events' own, and writes nothing: a candidate is a question to a person.
package triggers

import (
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/triggers/heard"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// EventKind names what happened.
type EventKind string

// The kinds of Event.
const (
	Message  EventKind = "message"  // a person wrote to an agent
	Rollback EventKind = "rollback" // work was undone: a revert, a hard reset, files back at what they held before an agent changed them
	Rejected EventKind = "rejected" // a person turned a change down
	TestRun  EventKind = "test"     // tests ended, such as an editor's test task, whatever their command is
	Command  EventKind = "command"  // a command line ended; it may have run tests
	Edit     EventKind = "edit"     // files were changed; with a session: by an agent, and followed to see whether it is rolled back
	Call     EventKind = "call"     // an agent asks to edit files or run a command; an event with the same CallID ends it
	Answer   EventKind = "answer"   // an agent answers the last message
	Begin    EventKind = "session"  // a conversation begins, or begins anew
	Tools    EventKind = "tools"    // an agent has our tools: Agent is what it calls itself
	Tool     EventKind = "tool"     // an agent used a tool that neither edits nor runs a command
)

// Kinds are all of them.
var Kinds = []EventKind{Message, Rollback, Rejected, TestRun, Command, Edit, Tool, Call, Answer, Begin, Tools}

// Event is something that an editor, a hook or a watcher saw.
type Event struct {
	Kind      EventKind `json:"kind"`
	At        time.Time `json:"at,omitzero"` // RFC 3339; of an editor's now when absent
	SessionID string    `json:"sessionId,omitempty"`
	CallID    string    `json:"-"` // Call, and the Command, TestRun or Edit that ends it
	Agent     string    `json:"-"` // Message: the host; Tools: the client
	Beside    bool      `json:"-"` // another brain hears of it too, and asks the person
	Late      bool      `json:"-"` // Message: what came after it may have been heard before it

	Text    string   `json:"text,omitempty"`               // Message: what the person wrote; Answer: how it begins; Rollback, Rejected: what git or the person says of it
	Files   []string `json:"files,omitempty" names:"file"` // it is about: absolute paths where a surface reports them, the names that cards give them for a Detector
	Changes []Change `json:"changes,omitempty"`            // Edit, Rollback: what happened to the lines, as far as it is known

	Command  string `json:"command,omitempty"`          // Command, TestRun, Call: as typed
	Dir      string `json:"cwd,omitempty" names:"file"` // Command, TestRun: working directory; Message: the conversation's, whose repository is followed
	ExitCode *int   `json:"exitCode,omitempty"`         // Command, TestRun: nil when unknown
	Output   string `json:"output,omitempty"`           // Command, TestRun: what it printed

	// Of a Command, TestRun, Edit or Tool in a conversation:
	Tool        string `json:"tool,omitempty"`        // its name
	Failed      bool   `json:"failed,omitempty"`      // it did; a command's ExitCode says so too
	Interrupted bool   `json:"interrupted,omitempty"` // somebody ended it: it says nothing about the tool

	Soft    bool          `json:"-"` // Rollback: a soft reset, a stash: more often a step of the work than its end
	ByAgent bool          `json:"-"` // Rollback: the agent of SessionID did it, not a person
	Context heard.Context `json:"-"` // Message: what is known of the conversation
}

// HasFailed tells whether a tool or command failed, nil where that is not known or somebody ended it.
func (e Event) HasFailed() *bool {
	switch {
	case e.Interrupted || shell.Stopped(e.ExitCode):
	case e.Failed:
		return new(true)
	case e.ExitCode != nil:
		return new(*e.ExitCode != 0)
	}
	return nil
}

// Tests returns the run of tests that an event is about, its command without secrets; ok is false where it ran none.
func (e Event) Tests() (r shell.TestRun, ok bool) {
	if e.Kind != Command && e.Kind != TestRun {
		return r, false
	}
	line := shell.Read(e.Command, e.Output, e.HasFailed())
	r, ok = line.Tests(e.Dir)
	if !ok && e.Kind == TestRun { // whoever reports it knows better than the list of runners
		r = shell.TestRun{Command: strings.Join(strings.Fields(e.Command), " "), Dir: e.Dir, Failed: line.Failed}
		if failed, shown := line.Printed(shell.Tests); shown && r.Failed == nil {
			r.Failed = &failed
		}
		ok = true
	}
	if e.Interrupted || shell.Stopped(e.ExitCode) {
		r.Failed = nil // whatever it had printed by then
	}
	r.Command = clipRunes(leaks.Redact(r.Command), maxCommand)
	return r, ok
}

// Trigger names why a candidate was raised.
type Trigger string

// The triggers.
const (
	Complaint  = Trigger(heard.Complaint)  // it fails again
	Record     = Trigger(heard.Record)     // the person asks for a card
	Correction = Trigger(heard.Correction) // the person puts right what was said or assumed
	RolledBack = Trigger("rollback")
	MendedSoon = Trigger("mended") // a commit mends lines of the days before, and says what was wrong
	TurnedDown = Trigger("rejected")
	RedGreen   = Trigger("red-green")      // tests failed, files were edited, the same tests pass
	Preference = Trigger(heard.Preference) // how the person wants things done from now on
	Constraint = Trigger(heard.Constraint) // what is never to be done, or always must be
)

// What candidates say of deeds, in English; package say has the same in Korean.
const (
	Denied    = "denied or cancelled"
	WentBack  = ": back at an earlier content"
	FailsNow  = ": passed before and fails now"
	CameBack  = " lines taken out in this session came back"
	Rewritten = " lines written in this session were rewritten"
)

// Candidate is a lesson that may be worth recording: half a card. Its texts hold no secrets and no invisible characters.
type Candidate struct {
	ID        string // the same for the same event, whenever it is seen
	Trigger   Trigger
	Title     string
	Situation string       // markdown: the request in question, the files
	Mistake   string       // markdown: what was said of it, what failed, the lines that were taken back
	Fix       string       // markdown: the lines that mended it
	Evidence  []string     // one line or excerpt each; the first says why it was raised
	Kind      lessons.Kind // of the card it would make, where it is no lesson
	Rules     []string     // standing rules the person laid down, as written
	Files     []string
	Command   string // the test command that failed
	Test      string // the name of the test that failed
	Korean    bool   // the conversation is in Korean
	Weak      bool   // it may be one, if another agrees
	Likely    bool   // a weak one that is more likely one than not
	At        time.Time
	SessionID string
}

// Seen is what came of an event.
type Seen struct {
	Candidates []Candidate // to be asked about
	Hint       *Hint       // a message that may be one
	Mended     *Mended     // lines that mend what a candidate is about
}

// Mended are the lines that a conversation changed after what a candidate is about.
type Mended struct {
	ID  string // of the candidate
	Fix string // markdown
}

// Memory is what must be remembered of a conversation beyond a process.
type Memory struct {
	Turn  int    `json:"turn,omitempty"` // messages so far
	Hints []Hint `json:"hints,omitempty"`
}

// Empty reports whether nothing is remembered.
func (m Memory) Empty() bool { return m.Turn+len(m.Hints) == 0 }

func (m Memory) clone() Memory {
	m.Hints = slices.Clone(m.Hints)
	return m
}

// Failing is a test run that failed and has not passed since, as far as it is worth keeping
// beyond a process. What it printed is not: it may hold secrets.
type Failing struct {
	Dir     string   `json:"dir"`
	Command string   `json:"command"`          // without secrets
	Edited  []string `json:"edited,omitempty"` // files, last first
}
