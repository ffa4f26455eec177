package hook

import (
	"encoding/json"
	"testing"
)

func TestEveryPayloadIsRecognised(t *testing.T) {
	for _, r := range recordings(t) {
		if r.Source == "" || r.Seen == "" {
			t.Errorf("%s/%s does not say where it is from and whether it was seen", r.host, r.name)
		}
		var p payload
		if err := json.Unmarshal(r.Payload, &p); err != nil {
			t.Fatal(err)
		}
		h, ok := recognise(p, "", func(name string) string { return r.Env[name] })
		if !ok || h.name != r.host {
			t.Errorf("%s/%s is taken for %+v", r.host, r.name, h)
		}
	}
}

func TestRecognise(t *testing.T) {
	for _, tt := range []struct {
		name, payload, host, want string
		env                       map[string]string
	}{
		{name: "a name goes before all", payload: `{"hook_event_name":"Stop","turn_id":"1","model":"m"}`, host: "claude", want: "claude"},
		{name: "a name nobody has", payload: `{"hook_event_name":"Stop","turn_id":"1","model":"m"}`, host: "emacs"},
		{name: "an empty object", payload: `{}`},
		{name: "Cline", payload: `{"hookName":"UserPromptSubmit","clineVersion":"3.36","taskId":"1"}`, want: "cline"},
		{name: "another's session of Qwen Code's environment", payload: `{"hook_event_name":"UserPromptSubmit","session_id":"s","permission_mode":"default"}`, env: map[string]string{"QWEN_CODE_SESSION_ID": "t"}, want: "claude"},
		{name: "Claude's hooks under Cursor", payload: `{"hook_event_name":"UserPromptSubmit","session_id":"s","permission_mode":"default"}`, env: map[string]string{"CURSOR_VERSION": "3"}, want: "cursor"},
		{name: "Cursor without its environment", payload: `{"hook_event_name":"stop","conversation_id":"c","generation_id":"g"}`, want: "cursor"},
		{name: "Copilot under Pascal case names", payload: `{"hook_event_name":"UserPromptSubmit","session_id":"s","timestamp":"2026"}`, env: map[string]string{"COPILOT_HOOK_DIR": "/x"}, want: "copilot"},
		{name: "the same in VS Code", payload: `{"hook_event_name":"UserPromptSubmit","session_id":"s","timestamp":"2026"}`, want: "vscode"},
		{name: "Claude Code in a shell of Copilot", payload: `{"hook_event_name":"UserPromptSubmit","session_id":"s","transcript_path":"/t","permission_mode":"plan"}`, env: map[string]string{"COPILOT_HOOK_DIR": "/x"}, want: "claude"},
		{name: "Codex begins", payload: `{"hook_event_name":"SessionStart","session_id":"s","transcript_path":null,"permission_mode":"default","model":"m","source":"startup"}`, want: "codex"},
		{name: "Claude Code begins", payload: `{"hook_event_name":"SessionStart","session_id":"s","transcript_path":"/t","model":"m","source":"startup"}`, want: "claude"},
		{name: "Gemini CLI begins", payload: `{"hook_event_name":"SessionStart","session_id":"s","timestamp":"2026"}`, env: map[string]string{"GEMINI_SESSION_ID": "s"}, want: "gemini"},
		{name: "members of the wrong type", payload: `{"hook_event_name":7,"session_id":{},"turn_id":[],"model":null}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p payload
			if err := json.Unmarshal([]byte(tt.payload), &p); err != nil {
				t.Fatal(err)
			}
			got := ""
			if h, ok := recognise(p, tt.host, func(name string) string { return tt.env[name] }); ok {
				got = h.name
			}
			if got != tt.want {
				t.Errorf("taken for %q, want %q", got, tt.want)
			}
		})
	}
}
