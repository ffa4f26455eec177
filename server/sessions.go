package server

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"
	"strings"
	"time"

	"handrail/triggers"
	"handrail/triggers/heard"
	"handrail/triggers/leaks"
)

const (
	// maxSessions and sessionLife bound what is remembered of conversations. People come
	// back to one after lunch or the next morning, hardly later.
	maxSessions = 200
	sessionLife = 36 * time.Hour
	// maxOpenCalls, maxGiven and maxPrompts bound one conversation.
	maxOpenCalls = 64
	maxGiven     = 200
	maxPrompts   = 4
	// doubleFire is within what time the same words in the same conversation are one
	// request that reached Handrail by two ways, such as two hook files.
	doubleFire = 10 * time.Second
)

// session is what is remembered of one conversation with an agent. Hooks are processes of
// a few milliseconds, so everything that joins two of them stands here.
type session struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`     // last heard of
	Turn    int       `json:"turn"`   // requests so far
	Answer  string    `json:"answer"` // ledger row of the turn
	Prompts []prompt  `json:"prompts,omitempty"`
	Given   []string  `json:"given,omitempty"`  // cards handed over at an action, oldest first
	Handed  int       `json:"handed,omitempty"` // of them, in this turn
	Open    []call    `json:"open,omitempty"`   // tool calls that were begun and not ended

	Signs map[string]map[string]int `json:"signs,omitempty"` // by card, what the turn's actions said of it

	Headed time.Time `json:"headed,omitzero"` // when it was told the titles of cards

	Told   bool         `json:"told,omitempty"`   // an agent speaks for the person
	Intent heard.Intent `json:"intent,omitempty"` // what the person's last message says of making lessons
	Drafts int          `json:"drafts,omitempty"` // that its agent made

	Heard   int  `json:"heard,omitempty"`   // messages so far
	Edited  bool `json:"edited,omitempty"`  // its agent changed files since the last
	Asked   bool `json:"asked,omitempty"`   // its agent's last answer ended with a question
	Invited bool `json:"invited,omitempty"` // the last message may tell of a lesson, which its agent may draft

	Left []Verdict `json:"left,omitempty"` // items that the last turn left broken or open
	Fed  []string  `json:"fed,omitempty"`  // items that led a request once

	Echo   map[string]float64 `json:"echo,omitempty"`   // how strongly the requests so far spoke of cards, fading
	Past   map[string]float64 `json:"past,omitempty"`   // of it what is from before this turn
	Echoed string             `json:"echoed,omitempty"` // ledger row of the turn that it holds

	Memory triggers.Memory `json:"memory,omitzero"`
}

// prompt is a request that was answered a moment ago.
type prompt struct {
	Sum    string    `json:"sum"`
	At     time.Time `json:"at"`
	Answer string    `json:"answer"`
	Agents []string  `json:"agents"` // who got the block
}

// call is an edit or a command that an agent asked to make.
type call struct {
	ID      string   `json:"id"`
	Command string   `json:"command,omitempty"`
	Files   []string `json:"files,omitempty"` // as cards name them
}

// memory returns what is remembered of each conversation that is not long over.
func (s *Server) memory() map[string]triggers.Memory {
	out := map[string]triggers.Memory{}
	for _, row := range s.state.sessions.All(nil) {
		if s.now().Sub(row.At) <= sessionLife && !row.Memory.Empty() {
			out[row.ID] = row.Memory
		}
	}
	return out
}

// knows reports whether what a conversation must remember is what is remembered already.
func (s *Server) knows(id string, m triggers.Memory) bool {
	row, _ := s.state.sessions.Get(id)
	return reflect.DeepEqual(row.Memory, m)
}

// context returns what is known of a conversation when a message comes, and notes that it came.
func (s *Server) context(id string) heard.Context {
	var c heard.Context
	s.inSession(id, func(row *session) {
		c = heard.Context{First: row.Heard == 0, Later: row.Heard > 0, Edited: row.Edited, Asked: row.Asked}
		row.Heard++
		row.Edited, row.Asked = false, false
	})
	return c
}

// inSession hands a conversation to change and remembers what it makes of it. A request
// that names none changes nothing.
func (s *Server) inSession(id string, change func(*session)) {
	if id == "" {
		return
	}
	now := s.now()
	s.state.sessions.Update(id, func(row *session) {
		if now.Sub(row.At) > sessionLife {
			*row = session{}
		}
		row.ID, row.At = id, now
		change(row)
	})
}

// turn is one request of a conversation.
type turn struct {
	answer string
	number int
	given  []string // cards handed over at an action before
	repeat bool     // this agent got the block a moment ago
}

// beginTurn numbers a request and gives it its ledger row. The same words within
// doubleFire are the same turn: another agent gets the same row, the same agent nothing.
func (s *Server) beginTurn(r PreflightRequest) turn {
	t := turn{answer: newID()}
	if r.Aside {
		return t
	}
	now := s.now()
	sum := sha256.Sum256([]byte(strings.TrimSpace(r.Query)))
	key := hex.EncodeToString(sum[:])
	intent := heard.Silent
	if !r.Told {
		intent = heard.IntentOf(r.Query)
	}
	s.inSession(r.SessionID, func(row *session) {
		t.given = slices.Clone(row.Given)
		i := slices.IndexFunc(row.Prompts, func(p prompt) bool {
			age := now.Sub(p.At)
			return r.Once && p.Sum == key && age >= 0 && age < doubleFire
		})
		if i >= 0 {
			p := &row.Prompts[i]
			t.answer, t.number, t.repeat = p.Answer, row.Turn, slices.Contains(p.Agents, r.Agent)
			if !t.repeat {
				p.Agents = append(p.Agents, r.Agent)
			}
			return
		}
		row.Told, row.Intent = r.Told, intent
		row.Turn++
		row.Handed, row.Signs = 0, nil
		row.Answer, t.number = t.answer, row.Turn
		row.Prompts = append(row.Prompts, prompt{Sum: key, At: now, Answer: t.answer, Agents: []string{r.Agent}})
		row.Prompts = row.Prompts[max(0, len(row.Prompts)-maxPrompts):]
	})
	return t
}

// takeBack makes a turn that came to nothing not stand in the way of the next try.
func (s *Server) takeBack(r PreflightRequest, t turn) {
	s.inSession(r.SessionID, func(row *session) {
		row.Prompts = slices.DeleteFunc(row.Prompts, func(p prompt) bool { return p.Answer == t.answer })
	})
}

// turnOf returns the ledger row of a conversation's turn.
func (s *Server) turnOf(id string) (answerID string) {
	row, _ := s.state.sessions.Get(id)
	return row.Answer
}

// callBegun remembers that an agent asked for an edit or a command.
func (s *Server) callBegun(e Event) {
	if e.CallID == "" {
		return
	}
	s.inSession(e.SessionID, func(row *session) {
		row.Open = append(without(row.Open, e.CallID), call{ID: e.CallID, Command: head(leaks.Redact(e.Command), 300), Files: e.Files[:min(len(e.Files), 20)]})
		row.Open = row.Open[max(0, len(row.Open)-maxOpenCalls):]
	})
}

// callEnded forgets it again.
func (s *Server) callEnded(e Event) {
	if e.CallID == "" || e.SessionID == "" {
		return
	}
	s.inSession(e.SessionID, func(row *session) { row.Open = without(row.Open, e.CallID) })
}

func without(calls []call, id string) []call {
	return slices.DeleteFunc(calls, func(c call) bool { return c.ID == id })
}

// orphans returns, as events, the calls that neither ended nor failed before the agent
// heard from the person again: they were denied, or cancelled while they ran.
func (s *Server) orphans(id string, at time.Time) []Event {
	var out []Event
	if row, _ := s.state.sessions.Get(id); len(row.Open) == 0 {
		return nil
	}
	s.inSession(id, func(row *session) {
		for _, c := range row.Open {
			text := "denied or cancelled"
			if c.Command != "" {
				text += ": " + c.Command
			}
			out = append(out, Event{Kind: RejectedEvent, At: at, SessionID: id, Text: text, Files: c.Files})
		}
		row.Open = nil
	})
	return out
}

// newContext forgets what an agent was handed: a new or compacted conversation holds
// none of it any more. Two hooks may tell of the same beginning.
func (s *Server) newContext(id string) {
	now := s.now()
	s.inSession(id, func(row *session) {
		row.Given, row.Echo, row.Past = nil, nil, nil
		if age := now.Sub(row.Headed); age < 0 || age >= doubleFire {
			row.Headed = time.Time{}
		}
	})
}
