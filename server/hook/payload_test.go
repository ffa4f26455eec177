package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/triggers"
)

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
			if e.Kind == triggers.Edit {
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
