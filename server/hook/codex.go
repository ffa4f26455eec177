package hook

import (
	"cmp"
	"strings"
)

// Codex: https://developers.openai.com/codex/hooks and the schemas generated from its
// source, which allow no unknown member. Claude Code's wire form plus turn_id and model; a
// hook runs only after the person has trusted it in /hooks. A command's result is its text,
// without a status, and files are read by commands.
func codex() *host {
	return &host{
		name: "codex", title: "Codex", receipts: true, compacts: true,
		is: func(p payload, _ func(string) string) bool {
			if p.text("hook_event_name") == "" || p.text("model") == "" {
				return false
			}
			return p.has("turn_id") || p.text("hook_event_name") == "SessionStart" && p.has("permission_mode")
		},
		events: map[string]spec{
			"SessionStart":     {kind: sessionBegins, context: true},
			"UserPromptSubmit": {kind: promptSent, context: true},
			"PreToolUse":       {kind: toolAsked, guards: deniesAlone}, // its program refuses "ask"
			"PostToolUse":      {kind: toolEnded, context: true},
			"Stop":             {kind: turnFinished, notice: true},
		},
		tools: map[string]use{
			"Bash": runs, "shell": runs, "local_shell": runs, "shell_command": runs, "exec_command": runs, "unified_exec": runs,
			"apply_patch": edits, "Edit": edits, "Write": edits, "read_file": reads, "grep_files": reads, "list_dir": reads, "view_image": reads,
		},
		own: func(h *host, p payload, e *event) {
			if string(p["transcript_path"]) == "null" && !p.has("tool_name") {
				e.name = "" // a session of its own in which Codex finds a title: nobody's
				return
			}
			h.readAction(p, e, p.text("tool_name"), p.object("tool_input"))
			// A patch by a command is taken over by the tool for patches, which tells of no end.
			e.unended = e.use == runs && strings.Contains(e.Command, patchStart)
			if e.name == "PostToolUse" {
				response := p.object("tool_response")
				text := p.anyText("tool_response")
				exit := cmp.Or(response.number("exit_code"), response.object("metadata").number("exit_code"), exitIn(text))
				if _, printed, ok := strings.Cut(text, "\nOutput:\n"); ok && exitIn(text) != nil { // below what Codex says of it
					text = printed
				}
				e.ended(text, exit, e.refusedEdit(text))
				e.changed(p.object("tool_input"), nil)
			}
		},
		write: specificOutput,
	}
}
