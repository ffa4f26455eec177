package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
)

// TestWhatTheLoopHears says, for each recorded payload, what it comes to.
func TestWhatTheLoopHears(t *testing.T) {
	want := map[string][]string{
		"claude/SessionStart":              {"session "},
		"claude/UserPromptSubmit":          {"preflight Claude Code/d8bad636-6449-4990-970b-c9d581f90e0a once=true", "message add a telegram command that restarts the server"},
		"claude/PreToolUse-Read":           {"touch handlers.py reads=true output=false"},
		"claude/PreToolUse-Bash":           {`call sh -c "echo boom: ECONNREFUSED >&2; exit 3"`, "touch  reads=false output=false"},
		"claude/PreToolUse-Edit":           {"call handlers.py", "touch handlers.py reads=false output=false"},
		"claude/PostToolUse-Read":          {"tool handlers.py exit 0", "touch handlers.py reads=true output=false"},
		"claude/PostToolUseFailure-Bash":   {`command sh -c "echo boom: ECONNREFUSED >&2; exit 3" exit 3`, "touch  reads=false output=true"},
		"claude/PostToolUse-Write":         {"edit new.py exit 0", "touch new.py reads=false output=false"},
		"claude/PostToolUse-Bash":          {"command echo fine exit 0", "touch  reads=false output=false"},
		"claude/Stop":                      {"answer I added the command. All done.", "answered I added the command. All done."},
		"claude/Stop-transcript":           {"answer I look at the dispatcher first.\n\nThe new handler is in place; a test sends the command from a chat that is not on the list.", "answered I look at the dispatcher first.\n\nThe new handler is in place; a test sends the command from a chat that is not on the list."},
		"claude/SessionEnd":                nil,
		"claude/UserPromptSubmit-subagent": nil,
		"claude/UserPromptSubmit-task":     nil,
		"codex/UserPromptSubmit-title":     nil,
		"codex/PreToolUse-exec-patch":      nil,
		"codex/SessionStart":               {"session "},
		"codex/UserPromptSubmit":           {"preflight Codex/01a1fd5a-3276-7e73-b55e-2f9c125b4f09 once=true", "message add a telegram command that restarts the server"},
		"codex/PreToolUse-Bash":            {`call sh -c "echo boom: ECONNREFUSED >&2; exit 3"`},
		"codex/PreToolUse-apply_patch":     {"call handlers.py"},
		"codex/PostToolUse-cat":            {"command cat bot/handlers.py", "touch handlers.py reads=true output=true"},
		"codex/PostToolUse-Bash":           {`command sh -c "echo boom: ECONNREFUSED >&2; exit 3"`, "touch  reads=false output=true"},
		"codex/PostToolUse-apply_patch":    {"edit 0007_stock.sql", "touch 0007_stock.sql reads=false output=false"},
		"codex/Stop":                       {"answer I added the command. All done.", "answered I added the command. All done."},
		"gemini/SessionStart":              {"session "},
		"gemini/BeforeAgent":               {"preflight Gemini CLI/4e029740-58e1-420d-a2c4-e0c9fea79055 once=true", "message add a telegram command that restarts the server"},
		"gemini/BeforeTool-shell":          {`call sh -c "echo boom: ECONNREFUSED >&2; exit 3"`},
		"gemini/BeforeTool-write":          {"call handlers.py"},
		"gemini/AfterTool-read":            {"tool handlers.py", "touch handlers.py reads=true output=false"},
		"gemini/AfterTool-shell-failed":    {`command sh -c "echo boom: ECONNREFUSED >&2; exit 3" exit 3`, "touch  reads=false output=true"},
		"gemini/AfterTool-write":           {"edit new.py", "touch new.py reads=false output=false"},
		"gemini/AfterTool-shell":           {"command echo fine exit 0", "touch  reads=false output=false"},
		"gemini/AfterAgent":                {"answer I added the command. All done.", "answered I added the command. All done."},
		"gemini/SessionEnd":                nil,
		"copilot/sessionStart":             {"session "},
		"copilot/userPromptSubmitted":      nil,
		"copilot/pascal-UserPromptSubmit":  nil,
		"copilot/pascal-PostToolUse":       nil,
		"copilot/pascal-Stop":              nil,
		"copilot/userPromptTransformed":    {"preflight Copilot/53012132-e850-4130-8299-c176e68b0647 once=true", "message add a telegram command that restarts the server"},
		"copilot/preToolUse-create":        nil,
		"copilot/preToolUse-bash":          nil,
		"copilot/postToolUse-view":         {"tool handlers.py", "touch handlers.py reads=true output=false"},
		"copilot/postToolUse-bash-failed":  {`command sh -c "echo boom: ECONNREFUSED >&2; exit 3" exit 3`, "touch  reads=false output=true"},
		"copilot/postToolUse-create":       {"edit new.py", "touch new.py reads=false output=false"},
		"copilot/postToolUse-bash":         {"command echo fine exit 0", "touch  reads=false output=false"},
		"copilot/agentStop":                nil, // its transcript is not there
		"cursor/sessionStart":              {"session "},
		"cursor/beforeSubmitPrompt":        {"preflight Cursor/668320d2-2fd8 once=true", "message add a telegram command that restarts the server"},
		"cursor/postToolUse-Read":          {"tool handlers.py", "touch handlers.py reads=true output=false"},
		"cursor/postToolUse-Shell":         {"command go test ./... exit 1", "touch  reads=false output=true"},
		"cursor/postToolUseFailure":        {"command go vet ./..."},
		"cursor/afterFileEdit":             {"edit 0007_stock.sql"},
		"cursor/afterAgentResponse":        {"answer I added the command. All done.", "answered I added the command. All done."},
		"cursor/stop":                      nil,
		"qwen/PostToolUse-read":            {"tool handlers.py exit 0", "touch handlers.py reads=true output=false"},
		"qwen/PostToolUse-write":           {"edit new.py exit 0", "touch new.py reads=false output=false"},
		"qwen/PostToolUseFailure-shell":    {"command sh -c \"echo boom >&2; exit 3\" exit 3", "touch  reads=false output=true"},
		"qwen/PreToolUse-read":             {"touch handlers.py reads=true output=false"},
		"qwen/SessionStart":                {"session "},
		"qwen/Stop":                        {"answer I added the command. All done.", "answered I added the command. All done."},
		"qwen/UserPromptSubmit-empty":      nil,
		"qwen/UserPromptSubmit":            {"preflight Qwen Code/20390c80-a96c-4c9f-a6f8-ba15771429d9 once=true", "message add a telegram command that restarts the server"},
		"cline/PostToolUse-edit-refused":   {"edit new.py", "touch new.py reads=false output=false"},
		"cline/PostToolUse-read":           {"tool handlers.py", "touch handlers.py reads=true output=false"},
		"cline/PostToolUse-run":            {"command sh -c \"echo boom >&2; exit 3\" exit 3", "touch  reads=false output=true"},
		"cline/PostToolUse-write":          {"edit new.py", "touch new.py reads=false output=false"},
		"cline/TaskComplete":               {"answer I added the command. All done.", "answered I added the command. All done."},
		"cline/TaskStart":                  {"session "},
		"cline/UserPromptSubmit":           {"preflight Cline/conv_1795414730634_h85x55q once=true", "message add a telegram command that restarts the server"},
		"opencode/answer":                  {"answer I added the command. All done.", "answered I added the command. All done."},
		"opencode/prompt":                  {"preflight opencode/ses_df8e2cd92ffeXomjnOx3GbSnI0 once=true", "message add a telegram command that restarts the server"},
		"opencode/start":                   {"session "},
		"opencode/tool-bash":               {"command sh -c \"echo boom >&2; exit 3\" exit 3", "touch  reads=false output=true"},
		"opencode/tool-read":               {"tool handlers.py", "touch handlers.py reads=true output=false"},
		"opencode/tool-write":              {"edit new.py", "touch new.py reads=false output=false"},
		"generic/answer":                   {"answer I added the command. All done.", "answered I added the command. All done."},
		"generic/prompt":                   {"preflight an agent/s1 once=true", "message add a telegram command that restarts the server"},
		"generic/start":                    {"session "},
		"generic/tool-before":              {"call make deploy", "touch  reads=false output=false"},
		"generic/tool-cancelled":           {"command make deploy", "touch  reads=false output=false"},
		"generic/tool-edit":                {"edit handlers.py", "touch handlers.py reads=false output=false"},
		"generic/tool-run":                 {"command go test ./... exit 1", "touch  reads=false output=true"},
		"vscode/SessionStart":              {"session "},
		"vscode/UserPromptSubmit":          {"preflight VS Code/7c1f once=true", "message add a telegram command that restarts the server"},
		"vscode/PreToolUse":                {"call 0007_stock.sql", "touch 0007_stock.sql reads=false output=false"},
		"vscode/PostToolUse-read":          {"tool handlers.py", "touch handlers.py reads=true output=false"},
		"vscode/PostToolUse-edit":          {"edit 0007_stock.sql", "touch 0007_stock.sql reads=false output=false"},
		"vscode/PostToolUse-terminal":      {"command go test ./... exit 1", "touch  reads=false output=true"},
		"vscode/Stop":                      {"answer The allowlist is checked before any command runs.", "answered The allowlist is checked before any command runs."},
		"vscode/docs-spelling":             {"preflight VS Code/7c2f once=true", "message add a telegram command that restarts the server"},
	}
	work := t.TempDir()
	if err := os.CopyFS(filepath.Join(work, "transcripts"), os.DirFS("../../testdata/hooks/transcripts")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(work, "bot"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "bot", "handlers.py"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, r := range recordings(t) {
		name := r.host + "/" + r.name
		list, known := want[name]
		if !known {
			t.Errorf("%s is not in the table", name)
			continue
		}
		s := &stub{}
		if _, err := Answer(t.Context(), bytes.ReplaceAll(r.Payload, []byte("$WORK"), []byte(filepath.ToSlash(work))), config(s, r.Env)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(s.asked, list) {
			t.Errorf("%s came to\n\t%q\nwant\n\t%q", name, s.asked, list)
		}
	}
}

func TestAnswerSaysNothing(t *testing.T) {
	for _, tt := range []struct {
		name, payload string
		change        func(*Config, *stub)
		err           bool
	}{
		{name: "broken JSON", payload: `{"hook_event_name":`, err: true},
		{name: "no object", payload: `[1]`, err: true},
		{name: "nothing at all", payload: ``, err: true},
		{name: "a host nobody knows", payload: `{"event":"prompt"}`, err: true},
		{name: "an event nobody listens to", payload: strings.Replace(claudePrompt, "UserPromptSubmit", "Notification", 1)},
		{name: "fired twice", payload: claudePrompt, change: func(_ *Config, s *stub) { s.repeat = true }},
		{name: "no brain", payload: claudePrompt, err: true, change: func(c *Config, _ *stub) {
			c.Connect = func(context.Context, string, bool) (Loop, string, error) { return nil, "", errors.New("no brain") }
		}},
		{name: "the loop fails", payload: claudePrompt, err: true, change: func(_ *Config, s *stub) { s.err = errors.New("broken") }},
		{name: "an answer without cards", payload: `{"hook_event_name":"Stop","session_id":"s","permission_mode":"default","last_assistant_message":"done"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &stub{}
			c := config(s, nil)
			if tt.change != nil {
				tt.change(&c, s)
			}
			out, err := Answer(t.Context(), []byte(tt.payload), c)
			if out != nil || (err != nil) != tt.err {
				t.Errorf("%q, %v", out, err)
			}
		})
	}
}

// lateLoop lets no preflight end in time.
type lateLoop struct{ *stub }

func (l lateLoop) Preflight(ctx context.Context, r deliver.PreflightRequest) (deliver.Preflight, error) {
	l.note("preflight unserved=%v", r.Unserved)
	if r.Unserved {
		return deliver.Preflight{AnswerID: "AAAABBBBCCCC"}, ctx.Err()
	}
	<-ctx.Done()
	return deliver.Preflight{}, ctx.Err()
}

// TestWhatComesTooLateIsHeard holds that the loop hears of what happens when its host does not
// wait any more, and that nobody counts as having been told.
func TestWhatComesTooLateIsHeard(t *testing.T) {
	heard := "message p"
	for _, tt := range []struct {
		name, payload string
		late          bool // it comes from the spool
		want          []string
	}{
		{name: "in the middle", payload: claudePrompt, want: []string{"preflight unserved=false", "preflight unserved=true", heard}},
		{name: "a prompt", payload: claudePrompt, late: true, want: []string{"preflight unserved=true", heard}},
		{
			name: "an action", late: true, want: []string{"command make test exit 0"},
			payload: `{"hook_event_name":"PostToolUse","session_id":"s","permission_mode":"default","cwd":"/","tool_name":"Bash","tool_input":{"command":"make test"},"tool_response":{"stdout":"ok"}}`,
		},
		{name: "the beginning", late: true, want: []string{"session "}, payload: `{"hook_event_name":"SessionStart","session_id":"s","transcript_path":"","cwd":"/","source":"startup"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &stub{}
			cfg := config(s, nil)
			cfg.Late, cfg.Guard = tt.late, true
			cfg.Connect = func(context.Context, string, bool) (Loop, string, error) { return lateLoop{s}, "shop", nil }
			ctx := t.Context()
			if !tt.late {
				soon, cancel := context.WithTimeout(ctx, time.Millisecond)
				defer cancel()
				ctx = soon
			}
			out, err := Answer(ctx, []byte(tt.payload), cfg)
			if err != nil || tt.late && len(out) > 0 {
				t.Errorf("%v, it said %q", err, out)
			}
			if !slices.Equal(s.asked, tt.want) {
				t.Errorf("asked %q, want %q", s.asked, tt.want)
			}
		})
	}
}

func TestTheBlockCarriesAReceipt(t *testing.T) {
	out, err := Answer(t.Context(), []byte("\xef\xbb\xbf"+claudePrompt), config(&stub{}, nil))
	want := `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"BLOCK (ref AAAABBBB)"}}` + "\n"
	if string(out) != want || err != nil {
		t.Errorf("%s, %v", out, err)
	}
}

// TestTheTitlesComeOnce holds who is told of the titles, and how they stand beside the rest.
func TestTheTitlesComeOnce(t *testing.T) {
	for _, tt := range []struct {
		name, payload, want string
		env                 map[string]string
		resumed             bool
	}{
		{name: "a beginning", payload: `{"hook_event_name":"SessionStart","session_id":"s","transcript_path":"/t","source":"startup"}`, want: `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"TITLES"}}`},
		{name: "compacted", payload: `{"hook_event_name":"SessionStart","session_id":"s","transcript_path":"/t","source":"compact"}`, want: `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"TITLES"}}`},
		{name: "goes on", payload: `{"hook_event_name":"SessionStart","session_id":"s","transcript_path":"/t","source":"resume"}`, want: `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"TITLES"}}`, resumed: true},
		{name: "a prompt", payload: claudePrompt, want: `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"TITLES\n\nBLOCK (ref AAAABBBB)"}}`},
		{name: "Copilot", payload: `{"sessionId":"s","timestamp":1,"cwd":"/w","source":"new"}`, want: `{"additionalContext":"TITLES"}`},
		{name: "Cursor", payload: `{"hook_event_name":"sessionStart","conversation_id":"s","generation_id":"g"}`, want: `{"additional_context":"TITLES"}`},
		{name: "a sub-agent", payload: `{"hook_event_name":"SessionStart","session_id":"s","agent_id":"a","transcript_path":"/t","source":"startup"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &stub{titles: "TITLES"}
			out, err := Answer(t.Context(), []byte(tt.payload), config(s, tt.env))
			if strings.TrimSpace(string(out)) != tt.want || err != nil {
				t.Errorf("%s, %v", out, err)
			}
			if tt.want == "" {
				if len(s.heads) > 0 {
					t.Errorf("asked for %+v", s.heads)
				}
				return
			}
			if len(s.heads) != 1 || s.heads[0].Resumed != tt.resumed || s.heads[0].SessionID != "s" || s.heads[0].Served != (tt.name == "a prompt") {
				t.Errorf("asked for %+v", s.heads)
			}
		})
	}
}

func TestThePersonHearsOfWhatIsAmissAlone(t *testing.T) {
	stop := `{"hook_event_name":"Stop","session_id":"s","permission_mode":"default","last_assistant_message":"done"}`
	s := &stub{footer: brain.Footer{Line: "Handrail: open 1 (<item>)"}}
	out, err := Answer(t.Context(), []byte(stop), config(s, nil))
	if string(out) != `{"systemMessage":"Handrail: open 1 (<item>)"}`+"\n" || err != nil {
		t.Errorf("%s, %v", out, err)
	}
	s.footer.Line = ""
	if out, err := Answer(t.Context(), []byte(stop), config(s, nil)); out != nil || err != nil || !s.answer.Line {
		t.Errorf("all is well: %s, %v", out, err)
	}
	cursor := `{"hook_event_name":"afterAgentResponse","conversation_id":"c","generation_id":"g","text":"done"}`
	s.footer.Line = "Handrail: open 1"
	if out, err := Answer(t.Context(), []byte(cursor), config(s, nil)); out != nil || err != nil || s.answer.Line {
		t.Errorf("Cursor shows nothing: %s, %v", out, err)
	}
}

func FuzzAnswer(f *testing.F) {
	for _, r := range recordings(f) {
		f.Add([]byte(r.Payload), "", "")
	}
	f.Add([]byte(`{"tool_input":{"command":["bash","-lc","*** Begin Patch\n*** Update File: ../../x\n"]}}`), "codex", "PostToolUse")
	f.Fuzz(func(t *testing.T, raw []byte, host, name string) {
		c := config(&stub{footer: brain.Footer{Unaddressed: make([]brain.Verdict, 1)}}, nil)
		c.Host, c.Event = host, name
		out, err := Answer(t.Context(), raw, c)
		if len(out) == 0 {
			return
		}
		var object map[string]any
		if err != nil || json.Unmarshal(out, &object) != nil || bytes.Count(out, []byte("\n")) != 1 {
			t.Errorf("%q, %v", out, err)
		}
	})
}

func TestInvitation(t *testing.T) {
	for _, h := range []string{"claude", "codex", "gemini"} {
		payloads := map[string]string{
			"claude": `{"hook_event_name":"UserPromptSubmit","session_id":"s","permission_mode":"default","cwd":"/w","prompt":"the map is off"}`,
			"codex":  `{"hook_event_name":"UserPromptSubmit","session_id":"s","turn_id":"t","model":"m","cwd":"/w","prompt":"the map is off"}`,
			"gemini": `{"hook_event_name":"BeforeAgent","session_id":"s","timestamp":"2026","cwd":"/w","prompt":"the map is off"}`,
		}
		for _, invite := range []bool{true, false} {
			out, err := Answer(t.Context(), []byte(payloads[h]), config(&stub{invite: invite}, nil))
			if err != nil || strings.Contains(string(out), "lessons_draft") != invite || strings.Count(string(out), "\n") > 1 {
				t.Errorf("%s, invited %v: %s, %v", h, invite, out, err)
			}
		}
	}
}
