package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes folders in a repository of its own, with a state folder beside it.
func tree(t *testing.T, dirs ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("LOCALAPPDATA", t.TempDir())
	t.Setenv("HANDRAIL_BRAIN", "")
	t.Setenv("HANDRAIL_PROJECT", "")
	for _, dir := range append(dirs, ".git") {
		if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(dir)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestListeners(t *testing.T) {
	root := tree(t, ".brain", "web/.brain", "web/src", "api/.brain", "ops/.brain", "docs")
	events := []struct {
		name, payload string
		want          string // brains, the one that asks in capitals
	}{
		{"nothing is touched", `{"prompt":"hello"}`, ".BRAIN"},
		{"a file of the root", `{"tool_input":{"file_path":"docs/a.md"}}`, ".BRAIN"},
		{"a file of a part", `{"tool_input":{"file_path":"$ROOT/web/src/new/a.js"}}`, ".brain WEB/.BRAIN"},
		{"what was printed names no file", `{"tool_input":{"command":"ls"},"tool_response":{"file_path":"api/a.py"}}`, ".brain WEB/.BRAIN"},
		{"another conversation", `{"session_id":"two","prompt":"hello"}`, ".BRAIN"},
		{"the root again", `{"tool_input":{"path":"a.md"}}`, ".brain WEB/.BRAIN"},
		{"a folder of the root", `{"tool_input":{"path":"docs/a.md"}}`, ".BRAIN web/.brain"},
		{"a command goes to a folder", `{"tool_input":{"command":"cd api && sed -i s/a/b/ a.py"}}`, ".brain web/.brain API/.BRAIN"},
		{"no fourth", `{"tool_input":{"file_path":"ops/a.tf"}}`, ".brain web/.brain API/.BRAIN"},
		{"a patch", `{"tool_input":{"command":"*** Begin Patch\n*** Update File: web/src/a.js\n@@\n+api/x\n*** End Patch\n"}}`, ".brain WEB/.BRAIN api/.brain"},
		{"parameters as text", `{"toolArgs":"{\"path\":\"api/a.py\"}"}`, ".brain web/.brain API/.BRAIN"},
		{"the person names a file", `{"prompt":"look at web/src, please"}`, ".brain WEB/.BRAIN api/.brain"},
		{"the agent goes to a part", `{"cwd":"$ROOT/api","prompt":"hello"}`, ".brain WEB/.BRAIN api/.brain"},
		{"it begins and goes to a part", `{"session_id":"three","prompt":"hello"}`, ".BRAIN"},
		{"it is there", `{"session_id":"three","cwd":"$ROOT/api","prompt":"hello"}`, ".brain API/.BRAIN"},
		{"it goes on to the next", `{"session_id":"three","cwd":"$ROOT/web/src","prompt":"hello"}`, ".brain api/.brain WEB/.BRAIN"},
		{"another project", `{"session_id":"three","cwd":"$OUT","prompt":"hello"}`, ""},
		{"a folder without a brain has three parts", `{"session_id":"four","cwd":"$OUT","tool_input":{"paths":["$ROOT/api/a","$ROOT/ops/b","$ROOT/web/c"]}}`, "api/.brain ops/.brain WEB/.BRAIN"},
	}
	for _, e := range events {
		t.Run(e.name, func(t *testing.T) {
			var p map[string]any
			text := strings.NewReplacer("$ROOT", filepath.ToSlash(root), "$OUT", filepath.ToSlash(t.TempDir())).Replace(e.payload)
			if err := json.Unmarshal([]byte(text), &p); err != nil {
				t.Fatal(err)
			}
			if p["cwd"] == nil {
				p["cwd"] = root
			}
			if p["session_id"] == nil {
				p["session_id"] = "one"
			}
			raw, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			to, _, ok := listeners(raw)
			if !ok {
				t.Fatal("not read")
			}
			var got []string
			for _, l := range to {
				rel, err := filepath.Rel(root, l.brain)
				if err != nil {
					t.Fatal(err)
				}
				rel = filepath.ToSlash(rel)
				if !l.beside {
					rel = strings.ToUpper(rel)
				}
				got = append(got, rel)
			}
			if strings.Join(got, " ") != e.want {
				t.Errorf("told %v, want %s", got, e.want)
			}
		})
	}
}

// TestListenersOfAnotherProject: a file outside of the conversation's folder has a brain, too.
func TestListenersOfAnotherProject(t *testing.T) {
	root := tree(t, "here", "there/.git", "there/.brain", "there/src")
	to, _, ok := listeners([]byte(`{"cwd":` + quote(filepath.Join(root, "here")) + `,"session_id":"s","tool_input":{"path":"../there/src/a.go"}}`))
	if !ok || len(to) != 1 || to[0].brain != filepath.Join(root, "there", ".brain") || to[0].beside ||
		!slices.Contains(to[0].env, "HANDRAIL_PROJECT=there") {
		t.Errorf("told %+v", to)
	}
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestMerge(t *testing.T) {
	tests := []struct{ name, a, b, want string }{
		{"one is silent", "", `{"a":"x"}`, `{"a":"x"}`},
		{
			"texts", `{"hookSpecificOutput":{"hookEventName":"P","additionalContext":"one"}}`,
			`{"hookSpecificOutput":{"hookEventName":"P","additionalContext":"<two>"},"systemMessage":"m"}`,
			`{"hookSpecificOutput":{"additionalContext":"one\n\n<two>","hookEventName":"P"},"systemMessage":"m"}`,
		},
		{"the stricter decision", `{"decision":"deny","reason":"a"}`, `{"decision":"ask","reason":"b"}`, `{"decision":"deny","reason":"a\n\nb"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.TrimSpace(merge([]string{tt.a, tt.b})); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func FuzzListeners(f *testing.F) {
	f.Setenv("XDG_STATE_HOME", f.TempDir())
	f.Setenv("LOCALAPPDATA", f.TempDir())
	f.Add(`{"cwd":"/a","tool_input":{"command":"cd x && cat y/z"}}`)
	f.Add(`{"cwd":"/a","prompt":"*** Begin Patch\n*** Update File: "}`)
	f.Fuzz(func(_ *testing.T, payload string) {
		_, _, _ = listeners([]byte(payload))
	})
}
