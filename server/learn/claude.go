package learn

import (
	"encoding/json"
	"io"
	"strings"
)

// Claude Code, 2.1 (2026-11): ~/.claude/projects/<folder>/<id>.jsonl, a record a line. A folder's name is ambiguous, so
// its records' cwd counts. A tool's result comes as the user's message; a sub-agent's records are sidechains.
func readClaude(r io.Reader, t *talk) error {
	type record struct {
		Type      string          `json:"type"`
		Meta      bool            `json:"isMeta"`
		Sidechain bool            `json:"isSidechain"`
		Compact   bool            `json:"isCompactSummary"`
		Dir       string          `json:"cwd"`
		Time      json.RawMessage `json:"timestamp"`
		Result    json.RawMessage `json:"toolUseResult"`
		Message   struct{ Content json.RawMessage }
	}
	type part struct {
		Type    string          `json:"type"`
		Text    string          `json:"text"`
		ID      string          `json:"id"`
		Name    json.RawMessage `json:"name"`
		Input   json.RawMessage `json:"input"`
		Of      string          `json:"tool_use_id"`
		Content json.RawMessage `json:"content"`
		Error   bool            `json:"is_error"`
	}
	return lines(r, func(line []byte) (bool, error) {
		var rec record
		if json.Unmarshal(line, &rec) != nil || rec.Type != "user" && rec.Type != "assistant" {
			return rec.Type != "", nil // snapshots, summaries, attachments
		}
		if err := t.in(rec.Dir); err != nil {
			return true, err
		}
		if rec.Meta || rec.Sidechain || rec.Compact {
			return true, nil
		}
		t.at = stamp(rec.Time)
		var said string
		if json.Unmarshal(rec.Message.Content, &said) == nil {
			if rec.Type == "user" {
				t.prompt(said)
			}
			return true, nil
		}
		var parts []part
		if json.Unmarshal(rec.Message.Content, &parts) != nil {
			return false, nil
		}
		var words []string
		for _, p := range parts {
			switch {
			case p.Type == "tool_use":
				t.calls[p.ID] = payload{"hook_event_name": str("PostToolUse"), "permission_mode": str(""), "tool_use_id": str(p.ID), "tool_name": p.Name, "tool_input": p.Input}
			case p.Type == "tool_result":
				call, begun := t.calls[p.Of]
				delete(t.calls, p.Of)
				if !begun {
					break
				}
				if !p.Error {
					response := rec.Result
					if len(response) == 0 {
						response = p.Content
					}
					t.told(with(call, payload{"tool_response": response}))
					break
				}
				why := plain(p.Content)
				if strings.HasPrefix(why, turnedDown) {
					t.refused(with(call, payload{"session_id": str(t.id), "cwd": str(t.dir)}))
					if _, reason, ok := strings.Cut(why, theySaid); ok {
						words = append(words, reason)
					}
					break
				}
				t.told(with(call, payload{"hook_event_name": str("PostToolUseFailure"), "error": str(why)}))
			case p.Type == "text" && rec.Type == "user":
				words = append(words, p.Text)
			}
		}
		if len(words) > 0 {
			t.prompt(strings.Join(words, "\n"))
		}
		return true, nil
	})
}

const (
	// turnedDown is how Claude Code tells its model that the person refused a call, theySaid what comes before their reason.
	turnedDown = "The user doesn't want to"
	theySaid   = "the user said:\n"
)

// plain returns the text of a message: a string, or its parts that are text.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var out []string
	for _, p := range parts {
		if p.Text != "" {
			out = append(out, p.Text)
		}
	}
	return strings.Join(out, "\n")
}
