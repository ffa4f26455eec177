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
	// clineWords matches what a person typed, in the command line's tags.
	clineWords = lazyregexp.New(`(?s)<(user_input|task|feedback|user_message|answer)\b[^>]*>(.*?)</(?:user_input|task|feedback|user_message|answer)>`)
	clineDir   = lazyregexp.New(`Current Working Directory \((.+?)\) Files`)
)

// cline tells of a call of Cline's that ended.
func (t *talk) cline(call payload) {
	done, _ := json.Marshal(call) // all of it was JSON
	t.told(payload{"taskId": str(t.id), "PostToolUse": str(""), "postToolUse": json.RawMessage("{}"), "tool_result": done})
}

// Cline's extension, 3.57 (2026-01): globalStorage/saoudrizwan.claude-dev/tasks/<id>/ui_messages.json, all that was shown, with
// its time; the first is the task. In api_conversation_history.json beside it there is no time, and the person's words stand
// among what was read. The folder is told in the first request to the model, of commands not how they ended.
func readClineTask(r io.Reader, t *talk) error {
	raw, err := io.ReadAll(io.LimitReader(r, maxObject))
	if err != nil {
		return err
	}
	var shown []struct {
		Time           json.RawMessage `json:"ts"`
		Ask, Say, Text string
	}
	if json.Unmarshal(raw, &shown) != nil || len(shown) > 0 && shown[0].Say == "" {
		return errForm
	}
	m := clineDir().FindSubmatch(raw)
	if m == nil || t.in(filepath.FromSlash(string(m[1]))) != nil {
		return errElsewhere
	}
	for i, s := range shown {
		t.at = stamp(s.Time)
		var tool struct{ Tool, Path string }
		switch kind := s.Say + s.Ask; {
		case i == 0 || kind == "user_feedback":
			t.prompt(s.Text)
		case kind == "tool" && json.Unmarshal([]byte(s.Text), &tool) == nil && (tool.Tool == "editedExistingFile" || tool.Tool == "newFileCreated"):
			input, _ := json.Marshal(map[string]string{"path": tool.Path}) // strings always become JSON
			t.cline(payload{"name": str("write_to_file"), "input": input})
		}
	}
	return nil
}

// Cline, 3.0 (2026-11): ~/.cline/data/sessions/<id>/<id>.messages.json, whose folder stands in <id>.json beside it.
func readCline(r io.Reader, t *talk) error {
	type message struct {
		Role    string          `json:"role"`
		Time    json.RawMessage `json:"ts"`
		Content json.RawMessage `json:"content"`
	}
	type part struct {
		Type, Text, ID, Name string
		Input, Content       json.RawMessage
		Of                   string `json:"tool_use_id"`
	}
	raw, err := io.ReadAll(io.LimitReader(r, maxObject))
	if err != nil {
		return err
	}
	var whole struct{ Messages []message }
	if json.Unmarshal(raw, &whole) != nil || whole.Messages == nil {
		return errForm
	}
	var session struct{ CWD string }
	if beside, err := os.ReadFile(filepath.Join(filepath.Dir(t.file), strings.TrimSuffix(filepath.Base(t.file), ".messages.json")+".json")); err == nil {
		_ = json.Unmarshal(beside, &session) // without it nobody knows where
	}
	if err := t.in(session.CWD); err != nil || t.dir == "" {
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
				t.calls[p.ID] = payload{"id": str(p.ID), "name": str(p.Name), "input": p.Input}
			case "tool_result":
				t.ended(p.Of, payload{"output": p.Content}, t.cline)
			}
		}
		if m.Role == "user" && len(words) > 0 {
			t.prompt(strings.Join(words, "\n"))
		}
	}
	return nil
}
