package learn

import (
	"cmp"
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/handrail-dev/handrail/server/hook"
)

// Copilot CLI, 1.0 (2026-11): ~/.copilot/session-state/<id>/events.jsonl. VS Code's agent, 1.115 (2026-11), writes the same
// form in workspaceStorage/*/GitHub.copilot-chat/transcripts, with its own tools and mostly without a folder.
func readCopilot(r io.Reader, t *talk) error {
	type record struct {
		Type string          `json:"type"`
		Time json.RawMessage `json:"timestamp"`
		Data struct {
			Context              struct{ CWD string }
			ToolCallID, ToolName string
			Content, Arguments   json.RawMessage
			Success              bool
			Result               struct{ Content string }
			Error                struct{ Message, Code string }
		} `json:"data"`
	}
	return lines(r, decoded(func(rec record) (bool, error) {
		d := rec.Data
		t.at = stamp(rec.Time)
		switch rec.Type {
		case "session.start":
			return true, t.in(cmp.Or(d.Context.CWD, folderOf(filepath.Join(filepath.Dir(t.file), "..", "..", "workspace.json"))))
		case "user.message":
			t.prompt(hook.Words(d.Content))
		case "tool.execution_start":
			t.calls[d.ToolCallID] = payload{"sessionId": str(t.id), "toolName": str(d.ToolName), "toolArgs": d.Arguments}
			if t.host == "vscode" {
				t.calls[d.ToolCallID] = payload{"hook_event_name": str("PostToolUse"), "tool_use_id": str(d.ToolCallID), "tool_name": str(d.ToolName), "tool_input": d.Arguments}
			}
		case "tool.execution_complete":
			switch {
			case d.Error.Code == "denied" || d.Error.Code == "rejected":
				t.ended(d.ToolCallID, payload{"toolResult": str("")}, t.refused)
			case t.host == "vscode" && d.Success:
				t.ended(d.ToolCallID, payload{"tool_response": str(d.Result.Content)}, t.told)
			case d.Success:
				result, _ := json.Marshal(map[string]string{"resultType": "success", "textResultForLlm": d.Result.Content})
				t.ended(d.ToolCallID, payload{"toolResult": result}, t.told)
			case t.host == "vscode": // nobody knows why
				delete(t.calls, d.ToolCallID)
			default:
				t.ended(d.ToolCallID, payload{"error": str(d.Error.Message)}, t.told)
			}
		}
		return rec.Type != "", nil
	}))
}
