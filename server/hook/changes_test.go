package hook

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/handrail-dev/handrail/triggers"
)

// TestLinesOfAnEdit: every host tells in its own way what happened to the lines.
func TestLinesOfAnEdit(t *testing.T) {
	for name, c := range map[string]struct {
		payload string
		want    []triggers.Change
	}{
		"Claude Code, hunks": {
			`{"hook_event_name":"PostToolUse","session_id":"s","permission_mode":"default","cwd":"/w","tool_name":"Edit","tool_input":{"file_path":"/w/a.go","old_string":"x","new_string":"y"},"tool_response":{"filePath":"/w/a.go","structuredPatch":[{"oldStart":1,"newStart":1,"lines":[" same","-old","+new"]}]}}`,
			[]triggers.Change{{File: "/w/a.go", Removed: []string{"old"}, Added: []string{"new"}, Lines: []int{2}}},
		},
		"Claude Code, a new file": {
			`{"hook_event_name":"PostToolUse","session_id":"s","permission_mode":"default","cwd":"/w","tool_name":"Write","tool_input":{"file_path":"/w/a.go","content":"one\ntwo\n"},"tool_response":{"type":"create","filePath":"/w/a.go","structuredPatch":[]}}`,
			[]triggers.Change{{File: "/w/a.go", Added: []string{"one", "two"}}},
		},
		"Claude Code, by the shell": {
			`{"hook_event_name":"PostToolUse","session_id":"s","permission_mode":"default","cwd":"/w","tool_name":"Bash","tool_input":{"command":"sed -i s/a/b/ a.go"},"tool_response":{"stdout":"","bashEditDiff":{"files":[{"filePath":"/w/a.go","hunks":[{"lines":["-a","+b"]}]}],"moreFiles":0}}}`,
			[]triggers.Change{{File: "/w/a.go", Removed: []string{"a"}, Added: []string{"b"}}},
		},
		"Codex, a patch": {
			`{"hook_event_name":"PostToolUse","session_id":"s","turn_id":"t","model":"m","cwd":"/w","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: a.go\n@@\n same\n-old\n+new\n*** Add File: b.go\n+one\n*** End Patch"},"tool_response":"Success"}`,
			[]triggers.Change{{File: "/w/a.go", Removed: []string{"old"}, Added: []string{"new"}}, {File: "/w/b.go", Added: []string{"one"}}},
		},
		"Gemini CLI, replace": {
			`{"hook_event_name":"AfterTool","session_id":"s","timestamp":"2026","cwd":"/w","tool_name":"replace","tool_input":{"file_path":"a.go","old_string":"same\nold\nend","new_string":"same\nnew\nend"},"tool_response":{"llmContent":"ok"}}`,
			[]triggers.Change{{File: "/w/a.go", Removed: []string{"old"}, Added: []string{"new"}}},
		},
		"Copilot, str_replace": {
			`{"sessionId":"s","timestamp":1,"cwd":"/w","toolName":"edit","toolArgs":{"path":"/w/a.go","old_str":"old","new_str":"new"},"toolResult":{"resultType":"success","textResultForLlm":"ok"}}`,
			[]triggers.Change{{File: "/w/a.go", Removed: []string{"old"}, Added: []string{"new"}}},
		},
		"Cursor, edits": {
			`{"hook_event_name":"afterFileEdit","conversation_id":"c","generation_id":"g","workspace_roots":["/w"],"file_path":"/w/a.go","edits":[{"old_string":"old","new_string":"new"}]}`,
			[]triggers.Change{{File: "/w/a.go", Removed: []string{"old"}, Added: []string{"new"}}},
		},
		"VS Code, several": {
			`{"hook_event_name":"PostToolUse","session_id":"s","timestamp":"2026","cwd":"/w","tool_name":"multi_replace_string_in_file","tool_input":{"replacements":[{"filePath":"/w/a.go","oldString":"old","newString":"new"}]},"tool_response":"ok"}`,
			[]triggers.Change{{File: "/w/a.go", Removed: []string{"old"}, Added: []string{"new"}}},
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
		var got []triggers.Change
		for _, e := range s.steps {
			if e.Kind == triggers.Edit {
				got = append(got, e.Changes...)
			}
		}
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
