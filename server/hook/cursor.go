package hook

import "cmp"

// Cursor: https://cursor.com/docs/agent/hooks. A conversation instead of a session, folders
// instead of a working directory. Context at sessionStart and postToolUse is documented, at
// beforeSubmitPrompt it was only seen to work. It says nothing to the person.
func cursor() *host {
	return &host{
		name: "cursor", title: "Cursor", unsure: true,
		is: func(p payload, getenv func(string) string) bool {
			return getenv("CURSOR_VERSION") != "" || p.has("cursor_version") || p.has("conversation_id") && (p.has("generation_id") || p.has("workspace_roots"))
		},
		events: map[string]spec{
			"sessionStart":       {kind: sessionBegins, context: true},
			"beforeSubmitPrompt": {kind: promptSent, context: true},
			"postToolUse":        {kind: toolEnded, context: true},
			"postToolUseFailure": {kind: toolEnded},
			"afterFileEdit":      {kind: toolEnded},
			"afterAgentResponse": {kind: answerGiven},
		},
		tools: map[string]use{
			"Read": reads, "Grep": reads, "Glob": reads, "LS": reads, "SemanticSearch": reads,
			"Write": edits, "Edit": edits, "StrReplace": edits, "Delete": edits, "EditNotebook": edits, "Shell": runs,
			"afterFileEdit": edits,
		},
		own: func(h *host, p payload, e *event) {
			e.SessionID = p.text("conversation_id", "session_id")
			if roots := p.texts("workspace_roots"); len(roots) > 0 && e.Dir == "" {
				e.Dir = roots[0]
			}
			if e.name == "afterAgentResponse" {
				e.answer = p.text("text")
			}
			name, input := p.text("tool_name"), p.object("tool_input")
			if e.name == "afterFileEdit" { // the event is the tool and the payload its input
				name, input = e.name, p
			}
			h.readAction(p, e, name, input)
			switch e.name {
			case "postToolUse":
				output := p.object("tool_output")
				text := p.anyText("tool_output")
				if output != nil {
					text = output.anyText("output") + output.anyText("stdout") + output.anyText("stderr")
				}
				e.ended(text, cmp.Or(output.number("exitCode"), output.number("exit_code"), exitIn(text)), false)
				e.changed(input, nil)
			case "postToolUseFailure":
				text := p.text("error_message", "error")
				e.ended(text, exitIn(text), true)
			case "afterFileEdit":
				e.Tool = "" // postToolUse tells of the same call
				e.changed(p, nil)
			}
		},
		write: func(e event, r reply) any {
			if r.context == "" {
				return nil
			}
			return cursorReply{Continue: e.name == "beforeSubmitPrompt", AdditionalContext: r.context}
		},
	}
}

type cursorReply struct {
	Continue          bool   `json:"continue,omitempty"`
	AdditionalContext string `json:"additional_context"`
}
