package hook

import (
	"cmp"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// handedOver matches what hooks said at the conversation's beginning: Gemini CLI puts it before the first prompt, and
// then tells that prompt as if the person had written all of it.
var handedOver = lazyregexp.New(`(?s)^\s*(?:<hook_context>.*?</hook_context>\s*)+`)

// Gemini CLI: docs/hooks/reference.md of google-gemini/gemini-cli. Its own event names, a
// timestamp, standard output for JSON alone, timeouts in milliseconds. Calls have no id.
func gemini() *host {
	return &host{
		name: "gemini", title: "Gemini CLI", receipts: true,
		drops: true, // its history leaves out every message that begins with a hook's words
		is: func(p payload, getenv func(string) string) bool {
			switch p.text("hook_event_name") {
			case "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress":
				return true
			}
			return p.text("timestamp") != "" && getenv("GEMINI_SESSION_ID") != "" && getenv("GEMINI_SESSION_ID") == p.text("session_id")
		},
		events: map[string]spec{
			"SessionStart": {kind: sessionBegins, context: true},
			"BeforeAgent":  {kind: promptSent, context: true},
			"BeforeTool":   {kind: toolAsked, guards: deniesAlone},
			"AfterTool":    {kind: toolEnded, context: true},
			"AfterAgent":   {kind: turnFinished, notice: true},
		},
		tools: map[string]use{
			"read_file": reads, "read_many_files": reads, "grep_search": reads, "search_file_content": reads, "glob": reads, "list_directory": reads,
			"write_file": edits, "replace": edits, "run_shell_command": runs,
		},
		own: func(h *host, p payload, e *event) {
			e.answer = p.text("prompt_response")
			e.Text = handedOver().ReplaceAllString(e.Text, "")
			h.readAction(p, e, p.text("tool_name"), p.object("tool_input"))
			if e.name == "AfterTool" {
				response := p.object("tool_response")
				text := response.anyText("llmContent")
				exit := exitIn(text)
				failed := response.has("error")
				if e.use == runs && exit == nil && !failed {
					exit = new(0) // only a status other than zero is told
				}
				e.ended(cmp.Or(response.text("returnDisplay"), text), exit, failed) // without what it says to its model
				e.changed(p.object("tool_input"), response.object("returnDisplay"))
			}
		},
		write: func(e event, r reply) any {
			if r.guarded.Decision != "" {
				return map[string]string{"decision": string(r.guarded.Decision), "reason": r.guarded.Reason}
			}
			return specificOutput(e, r)
		},
	}
}
