package learn

import (
	"encoding/json"
	"io"

	"github.com/handrail-dev/handrail/server/hook"
)

// Qwen Code, 0.24 (2026-11): ~/.qwen/projects/<folder>/chats/<id>.jsonl.
func readQwen(r io.Reader, t *talk) error {
	type part struct {
		Call *struct {
			ID, Name string
			Args     json.RawMessage
		} `json:"functionCall"`
		Result *struct{ ID string } `json:"functionResponse"`
	}
	type record struct {
		Type    string                          `json:"type"`
		Dir     string                          `json:"cwd"`
		Time    json.RawMessage                 `json:"timestamp"`
		Message struct{ Parts json.RawMessage } `json:"message"`
		Result  struct {
			Status  string          `json:"status"`
			Display json.RawMessage `json:"resultDisplay"`
		} `json:"toolCallResult"`
	}
	return lines(r, decoded(func(rec record) (bool, error) {
		var parts []part
		if err := t.in(rec.Dir); err != nil {
			return true, err
		}
		if rec.Type == "system" || json.Unmarshal(rec.Message.Parts, &parts) != nil {
			return rec.Type != "", nil
		}
		t.at = stamp(rec.Time)
		if rec.Type == "user" {
			t.prompt(hook.Words(rec.Message.Parts))
		}
		for _, p := range parts {
			if c := p.Call; c != nil {
				t.calls[c.ID] = payload{"hook_event_name": str("PostToolUse"), "tool_use_id": str(c.ID), "tool_name": str(c.Name), "tool_input": c.Args}
			}
			if p.Result == nil {
				continue
			}
			out := responseOf(rec.Message.Parts)
			switch rec.Result.Status {
			case "error":
				t.ended(p.Result.ID, payload{"hook_event_name": str("PostToolUseFailure"), "error": str(out)}, t.told)
			case "cancelled":
				t.ended(p.Result.ID, nil, t.refused)
			default:
				response, _ := json.Marshal(payload{"llmContent": str(out), "returnDisplay": rec.Result.Display})
				t.ended(p.Result.ID, payload{"tool_response": response}, t.told)
			}
		}
		return rec.Type != "", nil
	}))
}
