// Package deliver says what an agent gets: titles, cards at a prompt and at an action, what the turn before left, and
// why a card comes or not.
package deliver

import (
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/server/say"
	"github.com/handrail-dev/handrail/triggers"
)

// PreflightRequest asks what must be known before a request is answered.
type PreflightRequest struct {
	Query     string   `json:"query"`
	SessionID string   `json:"sessionId,omitempty"`          // one conversation with an agent
	Files     []string `json:"files,omitempty" names:"file"` // absolute paths or file URIs the request is about
	Project   string   `json:"project,omitempty"`
	Agent     string   `json:"-"`               // who asks, as people call it; may be empty
	CardsOnly bool     `json:"-"`               // no notes: there is no room for a context
	Hooked    bool     `json:"-"`               // an agent's hook asks: Block and Context keep to what the tightest host takes
	Once      bool     `json:"-"`               // the same query of the same session and agent within ten seconds gets no second block
	Told      bool     `json:"-"`               // the words are what an agent says that the person said
	Unserved  bool     `json:"-"`               // a turn begins and nothing is served: the agent does not wait any more
	Compacts  bool     `json:"-"`               // the host tells when it drops what the conversation held; else that is guessed
	Aside     bool     `json:"aside,omitempty"` // nobody is about to act on it, such as when an answer is to be checked: no turn begins
}

// Preflight is what goes before a request. Block is empty when no card clears the
// floor, which is the ordinary case.
type Preflight struct {
	AnswerID string      `json:"answerId"`        // names the coming answer in Answered
	Block    string      `json:"block"`           // the lessons, to be put before the request
	Lessons  []brain.Hit `json:"lessons"`         // the cards in Block, best first
	Notes    []brain.Hit `json:"notes"`           // the notes in Context
	Context  string      `json:"context"`         // excerpts of notes, to be put after Block
	Titles   string      `json:"titles,omitzero"` // of cards, to be put before Block: most at a conversation's first request
	Tokens   int         `json:"tokens"`          // estimated tokens of Block and Context
	Repeat   bool        `json:"repeat,omitzero"` // nothing is served: the agent got the block a moment ago
}

// TouchRequest says what an agent is about to do or has just done.
type TouchRequest struct {
	SessionID string
	Project   string
	Files     []string          // absolute paths that are read, searched or edited
	Command   string            // as typed
	Output    string            // of a command that failed
	Reads     bool              // the files are only read
	Changes   []triggers.Change // of an edit, with absolute paths
}

// Touch is the cards that belong beside an action, best first, with their items in Text. Text is empty in the ordinary case.
type Touch struct {
	Text    string      `json:"text"`
	Lessons []brain.Hit `json:"lessons,omitzero"`
	Receipt string      `json:"receipt,omitzero"`
}

// HeadsRequest asks for the titles that a conversation was not told yet. Host or Client says who asks.
type HeadsRequest struct {
	SessionID string
	Project   string
	Host      string      // the agent's host, as its hooks name it
	Client    string      // what an agent that has our tools calls itself
	Served    bool        // Host's hooks lead to the model at each prompt, and this is one
	Begins    bool        // the conversation begins now, or goes on after a pause
	Resumed   bool        // it goes on with what it was given
	Receipts  []string    // of a resumed one, those in its transcript; nil where that is not known
	Dropped   bool        // it goes on without the titles that it was given where it began
	Lost      bool        // the titles of a moment ago did not arrive: they are to come again, and none now
	Beside    string      // what goes to the model together with them
	Whole     []brain.Hit // cards that do, where no conversation remembers it
	Locale    say.Locale
}

// Heads are the titles of cards, for the agent. Text is empty where there is nothing to say,
// or where the conversation has them already.
type Heads struct {
	Text  string `json:"text"`
	Named int    `json:"named"` // cards whose title is in it
	// Hooked says that our hooks give the agent behind Client the block for each request.
	Hooked bool `json:"hooked,omitzero"`
}

// Room says what an agent gets.
type Room struct{ *brain.Base }

// hooksNoted is how often it is noted that an agent has hooks.
const hooksNoted = 24 * time.Hour

// noteHooks notes that a host has our hooks.
func (s *Room) noteHooks(r HeadsRequest) {
	for _, name := range []string{r.Host, r.Host + brain.AtPrompts} {
		if at, _ := s.State.Hooks.Get(name); r.Host != "" && (r.Served || name == r.Host) && s.Now().Sub(at) > hooksNoted {
			s.State.Hooks.Put(name, s.Now())
		}
	}
}

// LeftOver returns what the turn before left, to lead this request's block, and the cards it is of.
// A card that may not speak any more is left out.
func (s *Room) LeftOver(id string) (text string, cards []string) {
	var last []brain.Verdict
	s.State.InSession(id, func(row *ledger.Session) { last, row.Left = row.Left, nil })
	var left []lessons.Left
	for _, v := range last {
		if card, err := s.Read(v.Path); err != nil || card.Status != lessons.Active || !s.MaySpeak(&card) {
			continue
		}
		l := lessons.Left{Title: v.Title, Item: v.Item, Broken: v.State == string(postcheck.Broken)}
		if p := v.Place; p != nil && l.Broken {
			l.Place = p.String()
		}
		left, cards = append(left, l), append(cards, v.Path)
	}
	return lessons.LeftBlock(left), cards
}
