package hook

// Qwen Code: docs/users/features/hooks.md of QwenLM/qwen-code. Claude Code's events and form with a timestamp, and Gemini
// CLI's tools. It fires UserPromptSubmit without words each time the model goes on after a tool.
func qwen() *host {
	events := claude().events
	return &host{
		name: "qwen", title: "Qwen Code",
		is: func(p payload, getenv func(string) string) bool {
			return p.text("hook_event_name") != "" && p.text("session_id") != "" && getenv("QWEN_CODE_SESSION_ID") == p.text("session_id")
		},
		events: events,
		tools: map[string]use{
			"read_file": reads, "read_many_files": reads, "grep_search": reads, "glob": reads, "list_directory": reads,
			"write_file": edits, "edit": edits, "run_shell_command": runs,
		},
		own: func(h *host, p payload, e *event) {
			if e.name == "UserPromptSubmit" && e.Text == "" {
				e.name = "" // nobody has spoken
				return
			}
			h.readAction(p, e, p.text("tool_name"), p.object("tool_input"))
			switch e.name {
			case "PostToolUse":
				response := p.object("tool_response")
				e.ended(response.anyText("llmContent"), new(0), false) // it does not fire for a command that fails
				e.changed(p.object("tool_input"), response.object("returnDisplay"))
			case "PostToolUseFailure":
				text := p.text("error")
				e.ended(text, exitIn(text), true)
			}
		},
		write: specificOutput,
	}
}
