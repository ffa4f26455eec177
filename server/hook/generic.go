package hook

import (
	"cmp"

	"github.com/handrail-dev/handrail/lessons"
)

// opencode (https://opencode.ai/docs/plugins) is reached by a plugin that speaks the generic form.
func opencode() *host {
	return plain("opencode", "opencode", map[string]use{
		"read": reads, "grep": reads, "glob": reads, "list": reads,
		"edit": edits, "write": edits, "multiedit": edits, "patch": edits, "apply_patch": edits, "bash": runs,
	})
}

// plain is the form for agents that Handrail does not know, as docs/agents.md describes it.
func plain(name, title string, tools map[string]use) *host {
	return &host{
		name: name, title: title,
		is: func(p payload, _ func(string) string) bool {
			return p.text("event") != "" && p.text("session") != "" && (name == "generic" || p.text("host") == name)
		},
		events: map[string]spec{
			"start":       {kind: sessionBegins, context: true},
			"prompt":      {kind: promptSent, context: true},
			"tool-before": {kind: toolAsked, context: true, guards: asksAndDenies},
			"tool":        {kind: toolEnded, context: true},
			"answer":      {kind: answerGiven, notice: true},
		},
		tools: tools,
		own: func(h *host, p payload, e *event) {
			e.name, e.SessionID, e.answer = cmp.Or(p.text("event"), e.name), p.text("session"), p.text("answer")
			e.fresh = string(p["resumed"]) != "true"
			t := p.object("tool")
			if t == nil {
				return
			}
			h.readAction(p, e, cmp.Or(t.text("use"), t.text("name")), t.object("input"))
			e.Tool, e.CallID = t.text("name"), cmp.Or(t.text("id"), e.CallID)
			if e.name == "tool" {
				e.Interrupted = string(t["cancelled"]) == "true"
				e.ended(t.text("output"), t.number("exit"), string(t["failed"]) == "true")
				e.changed(t.object("input"), t)
			}
		},
		write: func(_ event, r reply) any {
			if r == (reply{}) {
				return nil
			}
			return plainReply{Context: r.context, Notice: r.notice, Decision: r.guarded.Decision, Reason: r.guarded.Reason}
		},
	}
}

// plainReply is an answer in the generic form.
type plainReply struct {
	Context  string        `json:"context,omitempty"` // for the model
	Notice   string        `json:"notice,omitempty"`  // one line for the person
	Decision lessons.Guard `json:"decision,omitempty"`
	Reason   string        `json:"reason,omitempty"`
}
