// Package triggers knows which events deserve the question "record this?": complaints that something fails again, explicit requests to record,
// corrections of what an agent said, standing rules, rollbacks, rejected changes, tests that go from red to green, and work that goes round in circles.
// It never raises a candidate on plain success.
//
// Start with [Detector.Observe]. What is plain is a candidate at once; what may be one is a [Hint], kept with its conversation and shown to nobody until
// something about the same agrees (hints.go). What a message says is the business of the package heard. Test runs are in testrun.go, lines that are
// rewritten in lines.go, circles in friction.go, what git's log says in rollback.go. The package reads no files and no clock but the events' own, and
// writes nothing: a candidate is a question to a person.
package triggers

import (
	"time"

	"handrail/lessons"
	"handrail/triggers/heard"
)

// Event is something that happened in a workspace: Message, Rollback, Rejected, TestRun,
// Command, Edit, Undo or Step.
type Event interface {
	meta() (at time.Time, session string)
}

// Message is what a person wrote to an agent.
type Message struct {
	At        time.Time
	SessionID string
	Text      string
	Files     []string // the message is about
	Context   heard.Context
}

// Rollback is work that was undone: a revert, a hard reset, files back at the content
// they had before an agent changed them.
type Rollback struct {
	At        time.Time
	SessionID string
	Text      string // what git or the person says of it
	Files     []string
	Changes   []Change // what was undone, as far as it is known
	Soft      bool     // a soft reset, a stash: more often a step of the work than its end
}

// Rejected is a proposed change that a person turned down.
type Rejected struct {
	At        time.Time
	SessionID string
	Text      string // why, if they said so
	Files     []string
}

// Command is a command line that ended. When it runs tests it counts as a TestRun.
type Command struct {
	At        time.Time
	SessionID string
	Command   string
	Dir       string
	ExitCode  *int // nil when unknown
	Output    string
}

// TestRun is a run of tests that ended, such as an editor's test task.
type TestRun Command

// Edit is a change of files, by an agent or a person.
type Edit struct {
	At        time.Time
	SessionID string
	Files     []string
	Changes   []Change // their lines, where they are known
}

// Undo is a large edit that was undone in the editor. People undo for many reasons, so it
// raises nothing by itself; it stands as evidence beside what follows soon.
type Undo struct {
	At        time.Time
	SessionID string
	Files     []string
}

func (e Message) meta() (time.Time, string)  { return e.At, e.SessionID }
func (e Rollback) meta() (time.Time, string) { return e.At, e.SessionID }
func (e Rejected) meta() (time.Time, string) { return e.At, e.SessionID }
func (e Command) meta() (time.Time, string)  { return e.At, e.SessionID }
func (e TestRun) meta() (time.Time, string)  { return e.At, e.SessionID }
func (e Edit) meta() (time.Time, string)     { return e.At, e.SessionID }
func (e Undo) meta() (time.Time, string)     { return e.At, e.SessionID }

// Trigger names why a candidate was raised.
type Trigger string

// The triggers.
const (
	Complaint  = Trigger(heard.Complaint)  // it fails again
	Record     = Trigger(heard.Record)     // the person asks for a card
	Correction = Trigger(heard.Correction) // the person puts right what was said or assumed
	RolledBack = Trigger("rollback")
	TurnedDown = Trigger("rejected")
	RedGreen   = Trigger("red-green")      // tests failed, files were edited, the same tests pass
	Preference = Trigger(heard.Preference) // how the person wants things done from now on
	Constraint = Trigger(heard.Constraint) // what is never to be done, or always must be
	Repeated   = Trigger("repeated")       // the person asked for nearly the same three times
	RetryLoop  = Trigger("retry-loop")     // one tool failed on one file three times in a row
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
	Cue       string       // of a message: the words that weighed most
	Kind      lessons.Kind // of the card it would make, where it is no lesson
	Rules     []string     // standing rules the person laid down, as written
	Files     []string
	Command   string // the test command that failed
	Test      string // the name of the test that failed
	Korean    bool   // the conversation is in Korean
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

// SessionOf returns the conversation of an event, "" for none.
func SessionOf(e Event) string {
	_, id := e.meta()
	return id
}
