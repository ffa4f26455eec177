package learn

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/handrail-dev/handrail/server/hook"
)

// Codex, 0.169 (2026-11): ~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl. What hooks and files put before the person's words
// is told as the developer's or in tags; a patch is a call of its own kind.
func readCodex(r io.Reader, t *talk) error {
	type record struct {
		Time    json.RawMessage `json:"timestamp"`
		Type    string          `json:"type"`
		Payload struct {
			Type, Role, Name, Input    string
			Dir                        string `json:"cwd"`
			Call                       string `json:"call_id"`
			Content, Arguments, Output json.RawMessage
		} `json:"payload"`
	}
	return lines(r, decoded(func(rec record) (bool, error) {
		p := rec.Payload
		t.at = stamp(rec.Time)
		switch {
		case rec.Type == "session_meta" || rec.Type == "turn_context":
			return true, t.in(p.Dir)
		case rec.Type != "response_item":
		case p.Type == "message" && p.Role == "user":
			t.prompt(hook.Words(p.Content))
		case p.Type == "function_call" || p.Type == "custom_tool_call":
			in := p.Arguments
			if p.Type == "custom_tool_call" {
				in, _ = json.Marshal(map[string]string{"input": p.Input}) // strings always become JSON
			}
			t.calls[p.Call] = payload{"hook_event_name": str("PostToolUse"), "turn_id": str(""), "tool_use_id": str(p.Call), "tool_name": str(p.Name), "tool_input": in}
		case strings.HasSuffix(p.Type, "_call_output"):
			t.ended(p.Call, payload{"tool_response": p.Output}, t.told)
		}
		return rec.Type != "", nil
	}))
}
