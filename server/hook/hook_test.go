package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/hear"
	"github.com/handrail-dev/handrail/server/judge"
)

// stub is a loop that notes what it was asked.
type stub struct {
	stranger bool // the brain is not trusted
	asked    []string
	steps    []brain.Event
	repeat   bool
	invite   bool // the agent may be told that it may draft a lesson
	footer   brain.Footer
	answer   judge.AnswerRequest
	guard    judge.Guarded
	titles   string
	heads    []deliver.HeadsRequest
	err      error
}

func (s *stub) note(format string, args ...any) {
	s.asked = append(s.asked, fmt.Sprintf(format, args...))
}

func (s *stub) Preflight(_ context.Context, r deliver.PreflightRequest) (deliver.Preflight, error) {
	s.note("preflight %s/%s once=%v", r.Agent, r.SessionID, r.Once)
	if s.repeat {
		return deliver.Preflight{AnswerID: "AAAABBBBCCCC", Repeat: true}, s.err
	}
	return deliver.Preflight{AnswerID: "AAAABBBBCCCC", Block: "BLOCK"}, s.err
}

func (s *stub) Answered(_ context.Context, r judge.AnswerRequest) (brain.Footer, error) {
	s.answer = r
	s.note("answered %s", r.Answer)
	return s.footer, s.err
}

func (s *stub) Observe(_ context.Context, e brain.Event) (hear.Observed, error) {
	exit := ""
	if e.ExitCode != nil {
		exit = fmt.Sprint(" exit ", *e.ExitCode)
	}
	s.steps = append(s.steps, e)
	s.note("%s %s%s", e.Kind, strings.TrimSpace(e.Command+e.Text+strings.Join(base(e.Files), ",")), exit)
	return hear.Observed{Invite: s.invite && e.Kind == brain.MessageEvent}, s.err
}

func (s *stub) Touch(_ context.Context, r deliver.TouchRequest) (deliver.Touch, error) {
	s.note("touch %s reads=%v output=%v", strings.Join(base(r.Files), ","), r.Reads, r.Output != "")
	return deliver.Touch{Text: "CARD", Receipt: "CCCCDDDD"}, s.err
}

func (s *stub) Guard(_ context.Context, r judge.GuardRequest) (judge.Guarded, error) {
	var added []string
	for _, c := range r.Changes {
		added = append(added, filepath.Base(c.File)+": "+strings.Join(c.Added, "|"))
	}
	s.note("guard %s", strings.TrimSpace(r.Command+strings.Join(added, ", ")))
	return s.guard, s.err
}

func (s *stub) Trusted(context.Context) bool { return !s.stranger }

func (s *stub) Heads(_ context.Context, r deliver.HeadsRequest) (deliver.Heads, error) {
	s.heads = append(s.heads, r)
	return deliver.Heads{Text: s.titles}, s.err
}

func base(files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = filepath.Base(f)
	}
	return out
}

func config(s *stub, env map[string]string) Config {
	return Config{
		Getenv: func(name string) string { return env[name] }, Log: slog.New(slog.DiscardHandler),
		Connect: func(context.Context, string, bool) (Loop, string, error) { return s, "shop", nil },
	}
}

// recorded is a payload under testdata/hooks.
type recorded struct {
	name, host string
	Source     string
	Seen       string
	Env        map[string]string
	Payload    json.RawMessage
}

func recordings(t testing.TB) []recorded {
	names, err := filepath.Glob("../../testdata/hooks/*/*.json")
	if err != nil || len(names) < 40 {
		t.Fatalf("%d payloads, %v", len(names), err)
	}
	var out []recorded
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r := recorded{name: strings.TrimSuffix(filepath.Base(name), ".json"), host: filepath.Base(filepath.Dir(name))}
		if err := json.Unmarshal(src, &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, r)
	}
	return out
}

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

const claudePrompt = `{"hook_event_name":"UserPromptSubmit","session_id":"s","permission_mode":"default","prompt":"p","cwd":"/w"}`

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

// TestGuard says what each host is told before a tool runs, and what the loop then hears.
func TestGuard(t *testing.T) {
	deny := judge.Guarded{Decision: lessons.GuardDeny, Reason: "why [lessons/a.md]"}
	ask := judge.Guarded{Decision: lessons.GuardAsk, Reason: "why [lessons/a.md]"}
	work := t.TempDir()
	if err := os.MkdirAll(filepath.Join(work, "bot"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "bot", "handlers.py"), []byte("def handle():\n    x = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const added = "guard handlers.py:     log.info(token)"
	const edited = "guard handlers.py: def handle():|    log.info(token)"
	for _, tt := range []struct {
		payload string
		off     bool
		guard   judge.Guarded
		err     error
		want    string
		heard   []string
	}{
		{payload: "claude/PreToolUse-Edit", guard: deny, want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why [lessons/a.md]"}}`, heard: []string{edited}},
		{payload: "claude/PreToolUse-Edit", guard: ask, want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"why [lessons/a.md]"}}`, heard: []string{edited, "call handlers.py"}},
		{payload: "claude/PreToolUse-Edit", off: true, guard: deny, want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"CARD (ref CCCCDDDD)"}}`, heard: []string{"call handlers.py", "touch handlers.py reads=false output=false"}},
		{payload: "claude/PreToolUse-Read", guard: deny, want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"CARD (ref CCCCDDDD)"}}`, heard: []string{"touch handlers.py reads=true output=false"}},
		{payload: "claude/PostToolUse-Write", guard: deny, want: `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"CARD (ref CCCCDDDD)"}}`, heard: []string{"edit new.py exit 0", "touch new.py reads=false output=false"}},
		{payload: "codex/PreToolUse-apply_patch", guard: deny, want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why [lessons/a.md]"}}`, heard: []string{edited}},
		{payload: "codex/PreToolUse-apply_patch", guard: ask, heard: []string{edited, "call handlers.py"}},
		{payload: "gemini/BeforeTool-write", guard: deny, want: `{"decision":"deny","reason":"why [lessons/a.md]"}`, heard: []string{added}},
		{payload: "gemini/BeforeTool-write", guard: ask, heard: []string{added, "call handlers.py"}},
		{payload: "copilot/preToolUse-create", guard: deny, want: `{"permissionDecision":"deny","permissionDecisionReason":"why [lessons/a.md]"}`, heard: []string{added}},
		{payload: "copilot/preToolUse-bash", guard: ask, want: `{"permissionDecision":"ask","permissionDecisionReason":"why [lessons/a.md]"}`, heard: []string{"guard git push --force"}},
		{payload: "copilot/preToolUse-bash", guard: deny, err: errors.New("broken"), heard: []string{"guard git push --force"}},
		{payload: "vscode/PreToolUse", guard: deny, want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"CARD (ref CCCCDDDD)"}}`, heard: []string{"call 0007_stock.sql", "touch 0007_stock.sql reads=false output=false"}},
	} {
		for _, r := range recordings(t) {
			if r.host+"/"+r.name != tt.payload {
				continue
			}
			s := &stub{guard: tt.guard, err: tt.err}
			c := config(s, r.Env)
			c.Guard = !tt.off
			out, err := Answer(t.Context(), bytes.ReplaceAll(r.Payload, []byte("$WORK"), []byte(filepath.ToSlash(work))), c)
			if strings.TrimSpace(string(out)) != tt.want || err != nil || !slices.Equal(s.asked, tt.heard) {
				t.Errorf("%s %q: %s, %v\nthe loop heard %q", tt.payload, tt.guard.Decision, out, err, s.asked)
			}
		}
	}
}

// TestGuardOfALateAnswer holds that what comes too late neither asks nor refuses.
func TestGuardOfALateAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &stub{guard: judge.Guarded{Decision: lessons.GuardDeny, Reason: "why"}}
	c := config(s, nil)
	c.Guard = true
	out, err := Answer(ctx, []byte(`{"sessionId":"s","toolName":"bash","toolArgs":{"command":"git push --force"}}`), c)
	if len(out) > 0 || err != nil || len(s.asked) != 1 {
		t.Errorf("%s, %v, %q", out, err, s.asked)
	}
}

func TestTranscripts(t *testing.T) {
	for name, want := range map[string]string{
		"claude":  "I look at the dispatcher first.\n\nThe new handler is in place; a test sends the command from a chat that is not on the list.",
		"vscode":  "The allowlist is checked before any command runs.",
		"copilot": "The allowlist is checked before any command runs.",
		"codex":   "Done as asked.",
	} {
		tail, err := readTranscript("../../testdata/hooks/transcripts/" + name + ".jsonl")
		if got, _ := lastAnswer(tail); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got := withoutHooks([]byte(`{"type":"hook_success","stdout":"(ref AAAAAAAA)"}` + "\nkept\n")); string(got) != "kept\n" {
		t.Errorf("what a hook printed counts as received: %s", got)
	}
	if _, err := readTranscript(t.TempDir()); !errors.Is(err, errNotAFile) {
		t.Errorf("a folder: %v", err)
	}
	big := filepath.Join(t.TempDir(), "big.jsonl")
	if err := os.WriteFile(big, append(bytes.Repeat([]byte("x"), maxTranscript+100), []byte("\n"+`{"role":"assistant","content":"end"}`)...), 0o600); err != nil {
		t.Fatal(err)
	}
	tail, err := readTranscript(big)
	answer, begun := lastAnswer(tail)
	if err != nil || len(tail) != maxTranscript || answer != "end" {
		t.Errorf("%d bytes, %v", len(tail), err)
	}
	if begun {
		t.Error("what was handed over before the end of a long turn would count as lost")
	}
	asked := []byte(`{"role":"user","content":"go on"}` + "\n")
	if _, begun := lastAnswer(append(asked, tail[len(asked):]...)); !begun {
		t.Error("a turn that is all there is not believed")
	}
}

func TestReceiptsOfATranscript(t *testing.T) {
	s := &stub{}
	stop := `{"hook_event_name":"Stop","session_id":"s","turn_id":"t","model":"m","last_assistant_message":"Done as  asked.","transcript_path":"../../testdata/hooks/transcripts/codex.jsonl"}`
	if _, err := Answer(t.Context(), []byte(stop), config(s, nil)); err != nil || !s.answer.Transcript || !slices.Equal(s.answer.Receipts, []string{"TTGAPIU4"}) {
		t.Errorf("%+v, %v", s.answer, err)
	}
	late := strings.Replace(stop, `"Done as  asked."`, `"what the host has not written yet"`, 1)
	if _, err := Answer(t.Context(), []byte(late), config(s, nil)); err != nil || s.answer.Transcript {
		t.Errorf("a transcript without the answer proves nothing: %+v, %v", s.answer, err)
	}
	gone := strings.Replace(stop, "codex.jsonl", "gone.jsonl", 1)
	if _, err := Answer(t.Context(), []byte(gone), config(s, nil)); err != nil || s.answer.Transcript {
		t.Errorf("a transcript that is gone proves nothing: %+v, %v", s.answer, err)
	}
}

// TestReceiptsThatNobodyPromised holds that a host whose transcript is not known to hold
// what hooks hand over is believed once it shows a receipt, and never accused before.
func TestReceiptsThatNobodyPromised(t *testing.T) {
	file := filepath.Join(t.TempDir(), "transcript.jsonl")
	for text, want := range map[string][]string{
		`{"role":"user","content":"add a command"}`: nil,
		`{"role":"user","content":"[ACTIVE LESSONS \u2014 verify before finalizing]\n[/ACTIVE LESSONS] (ref AAAABBBB)\nadd a command"}`: {"AAAABBBB"},
	} {
		if err := os.WriteFile(file, []byte(text+"\n"+`{"role":"assistant","content":"done"}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for host, payload := range map[string]string{
			"cursor": `{"hook_event_name":"afterAgentResponse","conversation_id":"c","generation_id":"g","text":"done","transcript_path":%q}`,
			"vscode": `{"hook_event_name":"Stop","timestamp":"2026-11-21T09:00:00Z","session_id":"s","last_assistant_message":"done","transcript_path":%q}`,
		} {
			s := &stub{}
			c := config(s, nil)
			c.Host = host
			if _, err := Answer(t.Context(), fmt.Appendf(nil, payload, file), c); err != nil {
				t.Fatal(err)
			}
			if s.answer.Answer != "done" || s.answer.Transcript != (want != nil) || !slices.Equal(s.answer.Receipts, want) {
				t.Errorf("%s, %s: %+v", host, text, s.answer)
			}
		}
	}
}

func TestExitIn(t *testing.T) {
	long := strings.Repeat("x\n", 1000)
	for text, want := range map[string]int{
		"Exit code 3\nboom": 3, "boom\n<shellId: 0 completed with exit code 1>": 1, "Output: x\nExit Code: 2\nPGID: 4": 2,
		long + "Process exited with code 127": 127, "Command exited with code -1": -1, "exit status 2": 2,
		"fine": -100, long + "Exit code 3\n" + long: -100, "": -100,
	} {
		got := -100
		if n := exitIn(text); n != nil {
			got = *n
		}
		if got != want {
			t.Errorf("%.40q: %d, want %d", text, got, want)
		}
	}
}

// TestWhatCodexSaysOfACommand: what a command printed is below it.
func TestWhatCodexSaysOfACommand(t *testing.T) {
	s := &stub{}
	payload := `{"session_id":"s","turn_id":"t","model":"m","hook_event_name":"PostToolUse","cwd":"/w","tool_name":"exec_command","tool_input":{"cmd":"make"},` +
		`"tool_response":"Chunk ID: e0\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nno rule\nOutput:\nnone"}`
	if _, err := Answer(t.Context(), []byte(payload), config(s, nil)); err != nil || len(s.steps) != 1 {
		t.Fatalf("%v, %+v", err, s.steps)
	}
	if e := s.steps[0]; e.Output != "no rule\nOutput:\nnone" || e.ExitCode == nil || *e.ExitCode != 2 {
		t.Errorf("%+v", e)
	}
}

func TestLinesThatOnlyShowFiles(t *testing.T) {
	for command, want := range map[string]bool{
		"tail -n 20 a.go": true, "cat a.go | head": true, "cd bot && tail -n 20 a.go 2>/dev/null": true, "ls; git diff a.go": true, "head a.go 2>&1 | wc -l": true,
		"cat a.go > b.go": false, "cd bot && rm a.go": false, "cat a.go && go run a.go": false, "cat a.go 2>b.go": false, "make a.go": false,
	} {
		if _, got := commandFiles(command, t.TempDir()); got != want {
			t.Errorf("%q: %v", command, got)
		}
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

// TestWhatFailedIsSaid: each host's way to say that a call came to nothing, and that somebody
// ended it.
func TestWhatFailedIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		payload             string
		tool                string
		failed, interrupted bool
	}{
		"claude fails":                     {`{"session_id":"s","hook_event_name":"PostToolUseFailure","permission_mode":"default","cwd":"/w","tool_name":"Edit","tool_input":{"file_path":"/w/a.go"},"error":"String to replace not found"}`, "Edit", true, false},
		"claude interrupted":               {`{"session_id":"s","hook_event_name":"PostToolUseFailure","permission_mode":"default","cwd":"/w","tool_name":"Edit","tool_input":{"file_path":"/w/a.go"},"error":"x","is_interrupt":true}`, "Edit", true, true},
		"claude works":                     {`{"session_id":"s","hook_event_name":"PostToolUse","permission_mode":"default","cwd":"/w","tool_name":"Write","tool_input":{"file_path":"/w/a.go"},"tool_response":{"content":"error handling"}}`, "Write", false, false},
		"claude, a tool that does neither": {`{"session_id":"s","hook_event_name":"PostToolUse","permission_mode":"default","cwd":"/w","tool_name":"WebFetch","tool_input":{"url":"https://example.org"},"tool_response":"ok"}`, "WebFetch", false, false},
		"codex":                            {`{"session_id":"s","turn_id":"t","model":"m","hook_event_name":"PostToolUse","cwd":"/w","tool_name":"apply_patch","tool_input":{"path":"/w/a.go"},"tool_response":"Failed to find expected lines in /w/a.go"}`, "apply_patch", true, false},
		"vscode":                           {`{"session_id":"s","timestamp":"2026-11-21T09:00:00Z","hook_event_name":"PostToolUse","cwd":"/w","tool_name":"replace_string_in_file","tool_input":{"filePath":"/w/a.go"},"tool_response":"ERROR: the string was not found"}`, "replace_string_in_file", true, false},
		"gemini":                           {`{"session_id":"s","timestamp":"2026-11-21T09:00:00Z","hook_event_name":"AfterTool","cwd":"/w","tool_name":"replace","tool_input":{"file_path":"/w/a.go"},"tool_response":{"llmContent":"no","error":{"message":"no"}}}`, "replace", true, false},
		"copilot":                          {`{"sessionId":"s","timestamp":1,"cwd":"/w","toolName":"edit","toolArgs":{"path":"/w/a.go"},"toolResult":{"resultType":"failure","textResultForLlm":"no match"}}`, "edit", true, false},
		"copilot denied":                   {`{"sessionId":"s","timestamp":1,"cwd":"/w","toolName":"edit","toolArgs":{"path":"/w/a.go"},"toolResult":{"resultType":"denied","textResultForLlm":"no"}}`, "edit", false, true},
		"cursor":                           {`{"conversation_id":"s","generation_id":"g","cursor_version":"3","hook_event_name":"postToolUseFailure","workspace_roots":["/w"],"tool_name":"Write","tool_input":{"file_path":"/w/a.go"},"error_message":"no"}`, "Write", true, false},
		"cursor, told twice":               {`{"conversation_id":"s","generation_id":"g","cursor_version":"3","hook_event_name":"afterFileEdit","workspace_roots":["/w"],"file_path":"/w/a.go"}`, "", false, false},
	} {
		s := &stub{}
		if _, err := Answer(t.Context(), []byte(c.payload), config(s, nil)); err != nil || len(s.steps) != 1 {
			t.Errorf("%s: %v, %d events", name, err, len(s.steps))
			continue
		}
		if e := s.steps[0]; e.Tool != c.tool || e.Failed != c.failed || e.Interrupted != c.interrupted {
			t.Errorf("%s: tool %q, failed %v, interrupted %v", name, e.Tool, e.Failed, e.Interrupted)
		}
	}
}

// TestInvitation: what may be a lesson is judged by the agent, in one line after the block.
// TestFilesThatAShellWrites holds that a command's own words name the files it writes, where the host tells of none,
// and that a command which failed, or says where it works to the shell alone, names none; and which it works on: what git
// is told of is done.
func TestFilesThatAShellWrites(t *testing.T) {
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.go", "b.go"} {
		if err := os.WriteFile(filepath.Join(work, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	claude := `{"hook_event_name":%q,"session_id":"s","permission_mode":"default","cwd":%q,"tool_name":"Bash","tool_input":{"command":%q},"tool_response":{"stdout":""},"error":"Exit code 1"}`
	for _, tt := range []struct {
		event, command string
		want           []string
		touched        string
	}{
		{"PostToolUse", "sed -i s/x/y/ a.go", []string{"a.go"}, "a.go"},
		{"PostToolUse", "cat > b.go <<'EOF'\nsee a.go\nEOF", []string{"b.go"}, "b.go,a.go"},
		{"PostToolUse", "cat a.go > gone.go", nil, "a.go"},
		{"PostToolUse", "cd sub && sed -i s/x/y/ a.go", nil, "a.go"},
		{"PostToolUse", "grep x a.go", nil, "a.go"},
		{"PostToolUseFailure", "sed -i s/x/y/ a.go", nil, "a.go"},
		{"PostToolUse", "git add a.go && git commit -m 'Mend a.go; see b.go'", nil, ""},
		{"PostToolUse", "git checkout --ours a.go && gofmt b.go", nil, "b.go"},
		{"PostToolUse", "git mv a.go c.go", nil, "a.go"},
	} {
		s := &stub{}
		if _, err := Answer(t.Context(), fmt.Appendf(nil, claude, tt.event, work, strings.ReplaceAll(tt.command, `\n`, "\n")), config(s, nil)); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range s.steps {
			if e.Kind == brain.EditEvent {
				got = append(got, base(e.Files)...)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s of %q names %q, want %q", tt.event, tt.command, got, tt.want)
		}
		if touch := fmt.Sprintf("touch %s reads=", tt.touched); !slices.ContainsFunc(s.asked, func(n string) bool { return strings.HasPrefix(n, touch) }) {
			t.Errorf("%s of %q: %q, want %q", tt.event, tt.command, s.asked, touch)
		}
	}
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

// TestLinesOfAnEdit: every host tells in its own way what happened to the lines.
func TestLinesOfAnEdit(t *testing.T) {
	for name, c := range map[string]struct {
		payload string
		want    []brain.Change
	}{
		"Claude Code, hunks": {
			`{"hook_event_name":"PostToolUse","session_id":"s","permission_mode":"default","cwd":"/w","tool_name":"Edit","tool_input":{"file_path":"/w/a.go","old_string":"x","new_string":"y"},"tool_response":{"filePath":"/w/a.go","structuredPatch":[{"oldStart":1,"newStart":1,"lines":[" same","-old","+new"]}]}}`,
			[]brain.Change{{File: "/w/a.go", Removed: []string{"old"}, Added: []string{"new"}, Lines: []int{2}}},
		},
		"Claude Code, a new file": {
			`{"hook_event_name":"PostToolUse","session_id":"s","permission_mode":"default","cwd":"/w","tool_name":"Write","tool_input":{"file_path":"/w/a.go","content":"one\ntwo\n"},"tool_response":{"type":"create","filePath":"/w/a.go","structuredPatch":[]}}`,
			[]brain.Change{{File: "/w/a.go", Added: []string{"one", "two"}}},
		},
		"Claude Code, by the shell": {
			`{"hook_event_name":"PostToolUse","session_id":"s","permission_mode":"default","cwd":"/w","tool_name":"Bash","tool_input":{"command":"sed -i s/a/b/ a.go"},"tool_response":{"stdout":"","bashEditDiff":{"files":[{"filePath":"/w/a.go","hunks":[{"lines":["-a","+b"]}]}],"moreFiles":0}}}`,
			[]brain.Change{{File: "/w/a.go", Removed: []string{"a"}, Added: []string{"b"}}},
		},
		"Codex, a patch": {
			`{"hook_event_name":"PostToolUse","session_id":"s","turn_id":"t","model":"m","cwd":"/w","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: a.go\n@@\n same\n-old\n+new\n*** Add File: b.go\n+one\n*** End Patch"},"tool_response":"Success"}`,
			[]brain.Change{{File: "/w/a.go", Removed: []string{"old"}, Added: []string{"new"}}, {File: "/w/b.go", Added: []string{"one"}}},
		},
		"Gemini CLI, replace": {
			`{"hook_event_name":"AfterTool","session_id":"s","timestamp":"2026","cwd":"/w","tool_name":"replace","tool_input":{"file_path":"a.go","old_string":"same\nold\nend","new_string":"same\nnew\nend"},"tool_response":{"llmContent":"ok"}}`,
			[]brain.Change{{File: "/w/a.go", Removed: []string{"old"}, Added: []string{"new"}}},
		},
		"Copilot, str_replace": {
			`{"sessionId":"s","timestamp":1,"cwd":"/w","toolName":"edit","toolArgs":{"path":"/w/a.go","old_str":"old","new_str":"new"},"toolResult":{"resultType":"success","textResultForLlm":"ok"}}`,
			[]brain.Change{{File: "/w/a.go", Removed: []string{"old"}, Added: []string{"new"}}},
		},
		"Cursor, edits": {
			`{"hook_event_name":"afterFileEdit","conversation_id":"c","generation_id":"g","workspace_roots":["/w"],"file_path":"/w/a.go","edits":[{"old_string":"old","new_string":"new"}]}`,
			[]brain.Change{{File: "/w/a.go", Removed: []string{"old"}, Added: []string{"new"}}},
		},
		"VS Code, several": {
			`{"hook_event_name":"PostToolUse","session_id":"s","timestamp":"2026","cwd":"/w","tool_name":"multi_replace_string_in_file","tool_input":{"replacements":[{"filePath":"/w/a.go","oldString":"old","newString":"new"}]},"tool_response":"ok"}`,
			[]brain.Change{{File: "/w/a.go", Removed: []string{"old"}, Added: []string{"new"}}},
		},
		"one that failed": {
			`{"hook_event_name":"PostToolUseFailure","session_id":"s","permission_mode":"default","cwd":"/w","tool_name":"Edit","tool_input":{"file_path":"/w/a.go","old_string":"x","new_string":"y"},"error":"String to replace not found"}`,
			nil,
		},
	} {
		s := &stub{}
		if _, err := Answer(t.Context(), []byte(c.payload), config(s, nil)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got []brain.Change
		for _, e := range s.steps {
			if e.Kind == brain.EditEvent {
				got = append(got, e.Changes...)
			}
		}
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
