package learn

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/handrail-dev/handrail/server/hook"
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
		Type, Text, ID, Name string
		Input, Content       json.RawMessage
		Of                   string `json:"tool_use_id"`
		Error                bool   `json:"is_error"`
	}
	return lines(r, func(line []byte) (bool, error) {
		if id, ok := resultOf(line); ok && t.calls[id] == nil {
			return true, nil
		}
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
			case p.Type == "tool_use" && hook.Acts(t.host, p.Name):
				t.calls[p.ID] = payload{"hook_event_name": str("PostToolUse"), "permission_mode": str(""), "tool_use_id": str(p.ID), "tool_name": str(p.Name), "tool_input": p.Input}
			case p.Type == "tool_result":
				switch {
				case !p.Error && len(rec.Result) > 0:
					t.ended(p.Of, payload{"tool_response": rec.Result}, t.told)
				case !p.Error:
					t.ended(p.Of, payload{"tool_response": p.Content}, t.told)
				case strings.HasPrefix(hook.Words(p.Content), turnedDown):
					t.ended(p.Of, nil, t.refused)
					if _, reason, ok := strings.Cut(hook.Words(p.Content), theySaid); ok {
						words = append(words, reason)
					}
				default:
					t.ended(p.Of, payload{"hook_event_name": str("PostToolUseFailure"), "error": str(hook.Words(p.Content))}, t.told)
				}
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

// resultOf returns the call of which a line is the result, if it is that of one which did not fail and nothing else: most of
// a transcript are files that were read, which need not be decoded.
func resultOf(line []byte) (id string, ok bool) {
	of := []byte(`"tool_use_id":"`)
	_, after, _ := bytes.Cut(line, of)
	name, _, _ := bytes.Cut(after, []byte(`"`))
	ok = bytes.Count(line, of) == 1 && bytes.Contains(line, []byte(`"role":"user"`))
	for _, more := range []string{`"is_error":true`, `"type":"text","text":`, `,"type":"text"}`} {
		ok = ok && !bytes.Contains(line, []byte(more))
	}
	return string(name), ok
}

const (
	// turnedDown is how Claude Code tells its model that the person refused a call, theySaid what comes before their reason.
	turnedDown = "The user doesn't want to"
	theySaid   = "the user said:\n"
)
