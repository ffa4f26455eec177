package hook

import (
	"cmp"
	"sync"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/triggers"
)

// host is one program that runs agents.
type host struct {
	name     string // as --host takes it
	title    string // as people call it
	is       func(p payload, getenv func(string) string) bool
	events   map[string]spec
	tools    map[string]use
	compacts bool                               // it begins a conversation anew when it drops what was said
	drops    bool                               // a conversation that goes on has lost what hooks said where it began
	unsure   bool                               // no documented way leads to the model at each prompt
	receipts bool                               // its transcript holds what hooks hand to the model
	own      func(h *host, p payload, e *event) // reads what only this host says
	write    func(e event, r reply) any         // nil says nothing
}

// spec says what an event means and what the host does with the answer.
type spec struct {
	kind    kind
	context bool            // the model gets what we say
	notice  bool            // the person gets what we say
	guards  []lessons.Guard // what the host's documents let us want before a tool runs
}

var (
	deniesAlone   = []lessons.Guard{lessons.GuardDeny}
	asksAndDenies = []lessons.Guard{lessons.GuardAsk, lessons.GuardDeny}
)

// hosts holds all of them, those whose payload cannot be mistaken first.
var hosts = sync.OnceValue(func() []*host {
	return []*host{
		cline(), qwen(), codex(), cursor(), copilot(), gemini(), vscode(), claude(), opencode(),
		plain("generic", "an agent", map[string]use{"read": reads, "edit": edits, "run": runs}),
	}
})

// recognise returns the host that a payload comes from. Files of hooks are read by more
// than one host, so what the payload says counts for more than where it was registered;
// only a name given by hand goes before it.
func recognise(p payload, name string, getenv func(string) string) (*host, bool) {
	for _, h := range hosts() {
		if name == h.name || name == "" && h.is(p, getenv) {
			return h, true
		}
	}
	return nil, false
}

// read fills in what most hosts spell alike, then what only this one knows.
func (h *host) read(p payload, cfg Config) event {
	e := event{
		Event:      triggers.Event{SessionID: p.text("session_id", "sessionId", "conversation_id"), Dir: p.text("cwd"), Text: p.text("prompt")},
		name:       p.text("hook_event_name", "hookEventName"),
		transcript: p.text("transcript_path", "transcriptPath"),
		subagent:   p.text("agent_id", "agentId") != "",
		answer:     p.text("last_assistant_message"),
	}
	e.name = cmp.Or(e.name, cfg.Event)
	e.fresh = p.text("source") != "resume"
	h.own(h, p, &e)
	return e
}
