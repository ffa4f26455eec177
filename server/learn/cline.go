package learn

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

var (
	// clineWords matches what a person typed, in the tags of the command line and of the extension.
	clineWords = lazyregexp.New(`(?s)<(user_input|task|feedback|user_message|answer)\b[^>]*>(.*?)</(?:user_input|task|feedback|user_message|answer)>`)
	clineDir   = lazyregexp.New(`Current Working Directory \((.+?)\)`)
)

// Cline, 3.0 (2026-11): ~/.cline/data/sessions/<id>/<id>.messages.json, whose folder stands in <id>.json beside it; the
// extension writes the list of messages alone, with the folder in its first one.
func readCline(r io.Reader, t *talk) error {
	type message struct {
		Role    string          `json:"role"`
		Time    json.RawMessage `json:"ts"`
		Content json.RawMessage `json:"content"`
	}
	type part struct {
		Type    string          `json:"type"`
		Text    string          `json:"text"`
		ID      string          `json:"id"`
		Of      string          `json:"tool_use_id"`
		Name    string          `json:"name"`
		Input   json.RawMessage `json:"input"`
		Content json.RawMessage `json:"content"`
	}
	raw, err := io.ReadAll(io.LimitReader(r, maxObject))
	if err != nil {
		return err
	}
	var whole struct{ Messages []message }
	if json.Unmarshal(raw, &whole) != nil && json.Unmarshal(raw, &whole.Messages) != nil {
		return errForm
	}
	var session struct {
		Dir string `json:"cwd"`
	}
	if beside, err := os.ReadFile(filepath.Join(filepath.Dir(t.file), strings.TrimSuffix(filepath.Base(t.file), ".messages.json")+".json")); err == nil {
		_ = json.Unmarshal(beside, &session) // without it the messages tell
	}
	if m := clineDir().FindStringSubmatch(string(raw)); session.Dir == "" && m != nil {
		session.Dir = m[1]
	}
	if err := t.in(session.Dir); err != nil || t.dir == "" {
		return errElsewhere
	}
	for _, m := range whole.Messages {
		var parts []part
		if json.Unmarshal(m.Content, &parts) != nil {
			continue
		}
		t.at = stamp(m.Time)
		var words []string
		for _, p := range parts {
			switch p.Type {
			case "text":
				for _, said := range clineWords().FindAllStringSubmatch(p.Text, -1) {
					words = append(words, said[2])
				}
			case "tool_use":
				call, _ := json.Marshal(payload{"id": str(p.ID), "name": str(p.Name), "input": p.Input})
				t.calls[p.ID] = payload{"tool_result": call}
			case "tool_result":
				call, begun := t.calls[p.Of]
				delete(t.calls, p.Of)
				var of payload
				if begun && json.Unmarshal(call["tool_result"], &of) == nil {
					of["output"] = p.Content
					done, _ := json.Marshal(of)
					t.told(payload{"taskId": str(t.id), "PostToolUse": str(""), "postToolUse": json.RawMessage("{}"), "tool_result": done})
				}
			}
		}
		if m.Role == "user" && len(words) > 0 {
			t.prompt(strings.Join(words, "\n"))
		}
	}
	return nil
}
