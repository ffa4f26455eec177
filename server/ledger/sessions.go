package ledger

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/triggers"
	"github.com/handrail-dev/handrail/triggers/heard"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

const (
	// SessionLife bounds what is remembered of a conversation. People come back to one after
	// lunch or the next morning, hardly later.
	SessionLife = 36 * time.Hour
	// MaxOpenCalls is how many calls of one conversation may be under way.
	MaxOpenCalls = 64
	maxPrompts   = 4   // of one conversation
	maxCall      = 300 // bytes of a command
	// DoubleFire is within what time the same words in the same conversation are one
	// request that reached Handrail by two ways, such as two hook files.
	DoubleFire = 10 * time.Second
	// Nearby is how recently a person must have spoken for an agent's other connection to be
	// taken for the same conversation: about one turn of work.
	Nearby = 30 * time.Minute
	// aloneAgent stands for the conversation of an agent that names none.
	aloneAgent = "agent"
)

// Session is what is remembered of one conversation with an agent. Hooks are processes of
// a few milliseconds, so everything that joins two of them stands here.
type Session struct {
	ID      string           `json:"id"`
	At      time.Time        `json:"at"`     // last heard of
	Turns   int              `json:"turn"`   // requests so far
	Turn    string           `json:"answer"` // id of the last one
	Prompts []prompt         `json:"prompts,omitempty"`
	Open    []triggers.Event `json:"open,omitempty"` // calls that did not end: rejected, if that stays so

	Given map[string]Given `json:"has,omitempty"` // by card, what its agent was given of it

	Headed  Moment    `json:"titles,omitzero"`  // when it was told the titles of cards
	Counted time.Time `json:"counted,omitzero"` // when its closing line last told of candidates

	Untrusted int `json:"untrusted,omitempty"` // of how many cards its closing line said that they wait for trust

	Told   bool         `json:"told,omitempty"`   // an agent speaks for the person
	Intent heard.Intent `json:"intent,omitempty"` // what the person's last message says of making lessons
	Drafts int          `json:"drafts,omitempty"` // that its agent made

	Heard   int  `json:"heard,omitempty"`   // messages so far
	Edited  bool `json:"edited,omitempty"`  // its agent changed files since the last
	Asked   bool `json:"asked,omitempty"`   // its agent's last answer ended with a question
	Invited bool `json:"invited,omitempty"` // the last message may tell of a lesson, which its agent may draft

	Left []Verdict `json:"left,omitempty"` // items that the last turn left broken or open

	Echo   map[string]float64 `json:"echo,omitempty"`   // how strongly the requests so far spoke of cards, fading
	Past   map[string]float64 `json:"past,omitempty"`   // of it what is from before this turn
	Echoed string             `json:"echoed,omitempty"` // id of the turn that it holds

	Memory triggers.Memory `json:"memory,omitzero"`
}

// Moment is a time of a conversation.
type Moment struct {
	At   time.Time `json:"at"`
	Turn int       `json:"turn"`
}

// prompt is a request that was answered a moment ago.
type prompt struct {
	Sum    string    `json:"sum"`
	At     time.Time `json:"at"`
	Turn   string    `json:"answer"`
	Agents []string  `json:"agents"` // who got the block
}

// InSession changes what is remembered of a conversation. A request that names none changes nothing.
func (l *Ledger) InSession(id string, change func(*Session)) {
	if id == "" {
		return
	}
	now := l.now()
	l.Sessions.Update(id, func(s *Session) {
		if now.Sub(s.At) > SessionLife {
			*s = Session{}
		}
		s.ID, s.At = id, now
		change(s)
	})
}

// TurnOf returns the id of a conversation's last turn, "" without one.
func (l *Ledger) TurnOf(session string) string {
	s, _ := l.Sessions.Get(session)
	return s.Turn
}

// Conversation returns the conversation that an agent's connection belongs to. Tools and hooks
// reach Handrail by different ways and under different names; where just one conversation was
// heard of lately, it is that. Of several none is taken for it.
func (l *Ledger) Conversation(id string) Session {
	id = cmp.Or(id, aloneAgent)
	own, ok := l.Sessions.Get(id)
	if ok && !own.Told && own.Turns > 0 {
		return own
	}
	now := l.now()
	others := slices.DeleteFunc(l.Sessions.All(nil), func(s Session) bool {
		return s.Told || s.ID == id || s.Turns == 0 || now.Sub(s.At) > Nearby
	})
	if len(others) == 1 {
		return others[0]
	}
	own.ID = id
	return own
}

// Memory returns what the detector must remember of each conversation that is not long over.
func (l *Ledger) Memory() map[string]triggers.Memory {
	out, now := map[string]triggers.Memory{}, l.now()
	for _, s := range l.Sessions.All(nil) {
		if now.Sub(s.At) <= SessionLife && !s.Memory.Empty() {
			out[s.ID] = s.Memory
		}
	}
	return out
}

// Remember keeps what the detector must remember of a conversation, if that is new.
func (l *Ledger) Remember(id string, m triggers.Memory) {
	if s, _ := l.Sessions.Get(id); !reflect.DeepEqual(s.Memory, m) {
		l.InSession(id, func(s *Session) { s.Memory = m })
	}
}

// BeginTurn numbers a request and gives it its id; t is what is known of it. told says that an agent speaks for the
// person. With once, the same words within DoubleFire are the same turn: another agent gets the same one, the same
// agent a repeat. The turn is not in the table yet.
func (l *Ledger) BeginTurn(t Turn, once, told bool) (turn Turn, repeat bool) {
	t.ID, t.At = NewID(), l.now()
	if t.Aside {
		return t, false
	}
	key, intent, begins := sum(strings.TrimSpace(t.Request)), heard.Silent, false
	if !told {
		intent = heard.IntentOf(t.Request)
	}
	l.InSession(t.Session, func(s *Session) {
		i := slices.IndexFunc(s.Prompts, func(p prompt) bool {
			age := t.At.Sub(p.At)
			return once && p.Sum == key && age >= 0 && age < DoubleFire
		})
		s.Prompts = slices.Clone(s.Prompts)
		if i >= 0 {
			p := &s.Prompts[i]
			t.ID, t.Number, repeat = p.Turn, s.Turns, slices.Contains(p.Agents, t.Agent)
			p.Agents = With(p.Agents, t.Agent)
			return
		}
		s.Told, s.Intent = told, intent
		s.Turns++
		begins = s.Turns == 1
		s.Turn, t.Number = t.ID, s.Turns
		s.Prompts = last(append(s.Prompts, prompt{Sum: key, At: t.At, Turn: t.ID, Agents: []string{t.Agent}}), maxPrompts)
	})
	if begins {
		l.Tell(Told{Talks: 1})
	}
	return t, repeat
}

// CancelTurn makes a turn that came to nothing not stand in the way of the next try.
func (l *Ledger) CancelTurn(t Turn) {
	l.InSession(t.Session, func(s *Session) {
		s.Prompts = slices.DeleteFunc(slices.Clone(s.Prompts), func(p prompt) bool { return p.Turn == t.ID })
	})
}

// Message notes a person's message and what it says of making lessons. It returns what is
// known of the conversation when it comes.
func (l *Ledger) Message(id, text string) (known heard.Context) {
	intent := heard.IntentOf(text)
	l.InSession(id, func(s *Session) {
		known = heard.Context{First: s.Heard == 0, Later: s.Heard > 0, Edited: s.Edited, Asked: s.Asked}
		s.Heard++
		s.Edited, s.Asked, s.Told, s.Invited, s.Intent = false, false, false, false, intent
	})
	return known
}

// CallBegun remembers that an agent asked for an edit or a command. Files are named as cards name them.
func (l *Ledger) CallBegun(session, id, command string, files []string) {
	if id == "" {
		return
	}
	l.CallEnded(session, id)
	text := strings.TrimSuffix(triggers.Denied+": "+head(leaks.Redact(command), maxCall), ": ")
	call := triggers.Event{Kind: triggers.Rejected, SessionID: session, CallID: id, Text: text, Files: files}
	l.InSession(session, func(s *Session) { s.Open = last(append(s.Open, call), MaxOpenCalls) })
}

// CallEnded forgets it again.
func (l *Ledger) CallEnded(session, id string) {
	if id != "" {
		l.InSession(session, func(s *Session) {
			s.Open = slices.DeleteFunc(slices.Clone(s.Open), func(e triggers.Event) bool { return e.CallID == id })
		})
	}
}

// Orphans returns the calls that neither ended nor failed before the agent heard from the person again: they were denied,
// or cancelled while they ran.
func (l *Ledger) Orphans(session string) (out []triggers.Event) {
	if s, _ := l.Sessions.Get(session); len(s.Open) > 0 {
		l.InSession(session, func(s *Session) { out, s.Open = s.Open, nil })
	}
	return out
}

// head returns at most n bytes of text, whole characters.
func head(text string, n int) string {
	return strings.ToValidUTF8(text[:min(len(text), n)], "")
}
