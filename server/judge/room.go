// Package judge says what became of each item of a card: verdicts, evidence and the closing line.
package judge

import (
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/say"
)

// Room says what became of each item.
type Room struct{ *brain.Base }

// New returns the room of a brain.
func New(base *brain.Base) *Room { return &Room{base} }

// AnswerRequest is an answer to be checked against the cards that were served for it:
// those of AnswerID, of the session's last request, or the named ones.
type AnswerRequest struct {
	AnswerID   string         `json:"answerId,omitempty"`
	SessionID  string         `json:"-"`                              // used when AnswerID is empty
	Lessons    []string       `json:"lessons,omitempty" names:"card"` // card paths; they go before AnswerID and SessionID
	Answer     string         `json:"answer"`
	Request    string         `json:"-"` // what it answers, where nobody remembers the words
	Changes    []brain.Change `json:"-"` // what was done to files, by the names that cards give them, beside what the conversation's events told
	Ran        []brain.Ran    `json:"-"` // commands that ran, likewise
	Watched    bool           `json:"-"` // deeds that are not told were not done
	Commands   bool           `json:"-"` // the host is known to tell of each command
	Elsewhere  bool           `json:"-"` // a sub-agent or a server's tool was at work, of which nobody tells what it ran
	Locale     say.Locale     `json:"-"` // language of the line
	Line       bool           `json:"-"` // the person sees the footer's Line
	Transcript bool           `json:"-"` // Receipts are all that the conversation's transcript holds
	Receipts   []string       `json:"-"` // of blocks and cards that reached the agent
}
