package learn

import (
	"encoding/json"
	"io"

	"github.com/handrail-dev/handrail/server/hook"
)

// Copilot CLI, 1.0 (2026-11): ~/.copilot/session-state/<id>/events.jsonl. VS Code's agent writes the same form in
// workspaceStorage/*/GitHub.copilot-chat/transcripts.
func readCopilot(r io.Reader, t *talk) error {
	type record struct {
		Type string          `json:"type"`
		Time json.RawMessage `json:"timestamp"`
		Data struct {
			Context struct {
				Dir string `json:"cwd"`
			} `json:"context"`
			Content   json.RawMessage                `json:"content"`
			Call      string                         `json:"toolCallId"`
			Tool      string                         `json:"toolName"`
			Arguments json.RawMessage                `json:"arguments"`
			Success   bool                           `json:"success"`
			Result    struct{ Content string }       `json:"result"`
			Error     struct{ Message, Code string } `json:"error"`
		} `json:"data"`
	}
	return lines(r, func(line []byte) (bool, error) {
		var rec record
		if json.Unmarshal(line, &rec) != nil || rec.Type == "" {
			return false, nil
		}
		d := rec.Data
		t.at = stamp(rec.Time)
		switch rec.Type {
		case "session.start":
			return true, t.in(d.Context.Dir)
		case "user.message":
			t.prompt(hook.Words(d.Content))
		case "tool.execution_start":
			t.calls[d.Call] = payload{"sessionId": str(t.id), "toolName": str(d.Tool), "toolArgs": d.Arguments}
		case "tool.execution_complete":
			switch {
			case d.Error.Code == "denied" || d.Error.Code == "rejected":
				t.ended(d.Call, payload{"toolResult": str("")}, t.refused)
			case d.Success:
				result, _ := json.Marshal(map[string]string{"resultType": "success", "textResultForLlm": d.Result.Content})
				t.ended(d.Call, payload{"toolResult": result}, t.told)
			default:
				t.ended(d.Call, payload{"error": str(d.Error.Message)}, t.told)
			}
		}
		return true, nil
	})
}
