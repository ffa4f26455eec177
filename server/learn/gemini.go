package learn

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/handrail-dev/handrail/lessons/side"
	"github.com/handrail-dev/handrail/server/hook"
)

// Gemini CLI, 0.61 (2026-11): ~/.gemini/tmp/<project>/chats/session-*.jsonl, before 0.50 one JSON object in a .json. The
// project is told by the SHA-256 of its folder, and since later by the folder itself, in .project_root beside chats. A
// message is written again when its calls have ended.
func readGemini(r io.Reader, t *talk) error {
	type message struct {
		ID, Type string
		Time     json.RawMessage `json:"timestamp"`
		Content  json.RawMessage
		Calls    []struct {
			ID, Name, Status string
			Args, Result     json.RawMessage
		} `json:"toolCalls"`
	}
	done := map[string]bool{}
	root, _ := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(t.file)), ".project_root")) // without it the sum tells
	owner := strings.TrimSpace(string(root))
	take := func(m message) bool {
		t.at = stamp(m.Time)
		switch m.Type {
		case "user":
			t.prompt(hook.Words(m.Content))
		case "gemini", "model":
			for _, c := range m.Calls {
				if done[c.ID] || c.Status != "success" && c.Status != "error" {
					continue
				}
				done[c.ID] = true
				response := payload{"llmContent": str(responseOf(c.Result))}
				if c.Status == "error" {
					response["error"] = str(c.Status)
				}
				out, _ := json.Marshal(response)
				t.told(payload{"hook_event_name": str("AfterTool"), "tool_use_id": str(c.ID), "tool_name": str(c.Name), "tool_input": c.Args, "tool_response": out})
			}
		case "info", "error", "warning":
		default:
			return false
		}
		return true
	}
	type record struct {
		message
		Hash     string          `json:"projectHash"`
		Set      json.RawMessage `json:"$set"`
		Messages []message
	}
	return objects(r, decoded(func(head record) (bool, error) {
		if head.Hash != "" {
			if err := t.in(cmp.Or(t.of.hashed(head.Hash), owner)); err != nil || t.dir == "" {
				return true, errElsewhere
			}
			for _, m := range head.Messages {
				take(m)
			}
			return true, nil
		}
		return len(head.Set) > 0 || take(head.message), nil
	}))
}

// hashed returns the folder of a project whose path has a SHA-256 sum, "" for another project's.
func (p *project) hashed(sum string) string {
	for _, r := range p.trees() {
		for _, dir := range []string{r.top, r.dir} {
			if side.Sum([]byte(dir)) == sum {
				return dir
			}
		}
	}
	return ""
}

// responseOf returns what a function answered, as Gemini CLI and Qwen Code keep it.
func responseOf(raw json.RawMessage) string {
	var parts []struct {
		Of struct {
			Response struct{ Output, Error string } `json:"response"`
		} `json:"functionResponse"`
	}
	if json.Unmarshal(raw, &parts) != nil || len(parts) == 0 {
		return hook.Words(raw)
	}
	r := parts[0].Of.Response
	return r.Output + r.Error
}
