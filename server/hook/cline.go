package hook

import (
	"cmp"
	"path/filepath"
	"strings"
)

// Cline: https://docs.cline.bot/customization/hooks. A file for each event, called by its name. The extension for VS Code
// hands on what it is told at each event; the command line fires nothing at a prompt and hands on what it is told around
// tools alone. Its tools take lists of files and commands.
func cline() *host {
	return &host{
		name: "cline", title: "Cline",
		is: func(p payload, _ func(string) string) bool { return p.text("taskId") != "" && p.has("clineVersion") },
		events: map[string]spec{
			"TaskStart":        {kind: sessionBegins, context: true},
			"TaskResume":       {kind: sessionBegins, context: true},
			"UserPromptSubmit": {kind: promptSent, context: true},
			"PostToolUse":      {kind: toolEnded, context: true},
			"TaskComplete":     {kind: answerGiven},
		},
		tools: map[string]use{
			"read_file": reads, "read_files": reads, "search_files": reads, "search_codebase": reads, "list_files": reads,
			"write_to_file": edits, "replace_in_file": edits, "editor": edits, "apply_patch": edits,
			"execute_command": runs, "run_commands": runs,
		},
		own: func(h *host, p payload, e *event) {
			for name := range h.events { // its part of the payload is named like the event
				if p.has(strings.ToLower(name[:1]) + name[1:]) {
					e.name = name
				}
			}
			e.SessionID, e.fresh = p.text("taskId"), e.name != "TaskResume"
			if roots := p.texts("workspaceRoots"); len(roots) > 0 {
				e.Dir = roots[0]
			}
			e.subagent = p.text("parent_agent_id") != ""
			e.Text = p.object("userPromptSubmit").text("prompt")
			e.answer = p.object("turn").text("outputText")
			e.answer = cmp.Or(e.answer, p.object("taskComplete").object("taskMetadata").text("result"))
			call, input := p.object("tool_result"), payload(nil)
			if done := p.object("postToolUse"); call == nil && done != nil { // the extension
				call = payload{"name": done["toolName"], "input": done["parameters"], "output": done["result"]}
				e.Failed = string(done["success"]) == "false"
			}
			if call == nil {
				return
			}
			input = call.object("input")
			h.readAction(p, e, call.text("name"), input)
			if id := call.text("id"); id != "" {
				e.CallID = id
			}
			if list := input.texts("commands"); len(list) > 0 {
				e.Command = strings.Join(list, "\n")
			}
			files := input.objects("files")
			for _, f := range files[:min(len(files), maxFiles)] {
				if name := f.text("path"); name != "" {
					e.Files = append(e.Files, absolute(e.Dir, filepath.FromSlash(name)))
				}
			}
			text := call.anyText("output")
			e.ended(text, exitIn(text), e.Failed || call.has("error"))
			e.changed(input, nil)
		},
		write: func(_ event, r reply) any {
			if r.context == "" {
				return nil
			}
			return map[string]any{"cancel": false, "contextModification": r.context, "errorMessage": ""}
		},
	}
}
