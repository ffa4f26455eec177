package hook

// VS Code's own agent (Local): docs/agents/reference/hooks-reference.md of
// microsoft/vscode-docs. Snake case with a timestamp and without a permission mode; the
// docs also print camel case. Context at SessionStart, PreToolUse and PostToolUse is
// documented; at UserPromptSubmit only the source reads it.
func vscode() *host {
	return &host{
		name: "vscode", title: "VS Code", unsure: true,
		is: func(p payload, _ func(string) string) bool {
			return p.text("hook_event_name", "hookEventName") != "" && p.text("timestamp") != "" && !p.has("permission_mode")
		},
		events: map[string]spec{
			"SessionStart":     {kind: sessionBegins, context: true},
			"UserPromptSubmit": {kind: promptSent, context: true},
			"PreToolUse":       {kind: toolAsked, context: true},
			"PostToolUse":      {kind: toolEnded, context: true},
			"Stop":             {kind: turnFinished, notice: true},
		},
		tools: map[string]use{
			"read_file": reads, "readFile": reads, "grep_search": reads, "file_search": reads, "list_dir": reads, "get_errors": reads,
			"create_file": edits, "createFile": edits, "replace_string_in_file": edits, "multi_replace_string_in_file": edits, "insert_edit_into_file": edits,
			"apply_patch": edits, "editFiles": edits, "edit_notebook_file": edits,
			"run_in_terminal": runs, "runInTerminal": runs, "run_task": unknownUse,
		},
		own: func(h *host, p payload, e *event) {
			h.readAction(p, e, p.text("tool_name"), p.object("tool_input"))
			if e.name == "PostToolUse" {
				text := p.anyText("tool_response")
				e.ended(text, exitIn(text), e.refusedEdit(text))
				e.changed(p.object("tool_input"), nil)
			}
		},
		write: specificOutput,
	}
}
