package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"handrail/lessons"
	"handrail/server/hook"
	"handrail/server/relay"
)

// hookStories are the recorded payloads in the order in which a host sends them.
var hookStories = map[string][]string{
	"claude": {"SessionStart", "UserPromptSubmit-subagent", "UserPromptSubmit", "UserPromptSubmit", "PreToolUse-Read", "PostToolUse-Read", "PreToolUse-Bash", "PostToolUseFailure-Bash", "PreToolUse-Edit", "PostToolUse-Write", "PostToolUse-Bash", "Stop", "Stop", "Stop-transcript", "SessionEnd"},
	"codex":  {"SessionStart", "UserPromptSubmit", "PreToolUse-Bash", "PostToolUse-cat", "PostToolUse-Bash", "PreToolUse-apply_patch", "PostToolUse-apply_patch", "Stop"},
	"gemini": {"SessionStart", "BeforeAgent", "BeforeTool-shell", "AfterTool-read", "AfterTool-shell-failed", "BeforeTool-write", "AfterTool-write", "AfterTool-shell", "AfterAgent", "SessionEnd"},
	"cursor": {"sessionStart", "beforeSubmitPrompt", "postToolUse-Read", "postToolUse-Shell", "postToolUseFailure", "afterFileEdit", "afterShellExecution", "afterAgentResponse", "stop"},
	// Copilot reads the files for VS Code too; the block still comes once, by the way that works.
	"copilot": {"sessionStart", "userPromptSubmitted", "pascal-UserPromptSubmit", "userPromptTransformed", "preToolUse-create", "preToolUse-bash", "postToolUse-view", "pascal-PostToolUse", "postToolUse-bash-failed", "postToolUse-create", "postToolUse-bash", "agentStop", "pascal-Stop"},
	"vscode":  {"SessionStart", "UserPromptSubmit", "PostToolUse-read", "PreToolUse", "PostToolUse-edit", "PostToolUse-terminal", "Stop", "docs-spelling"},
}

// hookMembers are what each host's answer may hold, from its documents; Codex and VS Code's
// neighbours refuse anything else.
var hookMembers = map[string][]string{
	"claude":  {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage"},
	"codex":   {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage"},
	"gemini":  {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage"},
	"vscode":  {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage"},
	"cursor":  {"continue", "additional_context"},
	"copilot": {"modifiedTransformedPrompt", "additionalContext"},
}

// guardMembers are what each host's answer before a tool may hold, from its documents.
var guardMembers = map[string][]string{
	"claude":  {"hookSpecificOutput.hookEventName", "hookSpecificOutput.permissionDecision", "hookSpecificOutput.permissionDecisionReason"},
	"codex":   {"hookSpecificOutput.hookEventName", "hookSpecificOutput.permissionDecision", "hookSpecificOutput.permissionDecisionReason"},
	"gemini":  {"decision", "reason"},
	"copilot": {"permissionDecision", "permissionDecisionReason"},
}

var lastSeen = regexp.MustCompile(`(?m)^last-seen: .*\n`)

var receipt = regexp.MustCompile(`\(ref [A-Z2-7]{8}\)`)

// hookWorkspace is a project with a brain, and the environment of an agent in it.
type hookWorkspace struct {
	dir, state string
	env        []string
}

func newHookWorkspace(t testing.TB) *hookWorkspace {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &hookWorkspace{dir: filepath.Join(root, "shop"), state: filepath.Join(root, "state")}
	for name, text := range map[string]string{"bot/handlers.py": "def handle(): pass\n", "db/migrations/0007_stock.sql": "int\n"} {
		file := filepath.Join(w.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for to, from := range map[string]string{".brain": "brains/demo", "transcripts": "hooks/transcripts"} {
		if err := os.CopyFS(filepath.Join(w.dir, to), os.DirFS("../../../testdata/"+from)); err != nil {
			t.Fatal(err)
		}
	}
	cards, err := filepath.Glob(filepath.Join(w.dir, ".brain", "lessons", "*.md"))
	if err != nil || len(cards) == 0 {
		t.Fatal(cards, err)
	}
	for _, file := range cards { // what fell lately does not depend on the day of the test
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, lastSeen.ReplaceAll(src, nil), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.env = []string{
		"HOME=" + filepath.Join(root, "home"), "PATH=" + os.Getenv("PATH"), "LANG=en_US.UTF-8", "HANDRAIL_PROJECT=shop", quickExit,
		"XDG_STATE_HOME=" + w.state, "XDG_CACHE_HOME=" + filepath.Join(root, "cache"), "LocalAppData=" + filepath.Join(root, "cache"),
	}
	return w
}

// hook runs the program as a host does and returns what it prints. The deadline is far:
// these tests are about what is said, not how fast.
func (w *hookWorkspace) hook(t testing.TB, payload []byte, env []string, args ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"hook", "--within", "5m"}, args...)...)
	cmd.Args[0] = "handrail" // by this name the test binary is the program
	cmd.Dir, cmd.Env = w.dir, append(slices.Clone(w.env), env...)
	cmd.Stdin = bytes.NewReader(payload)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Errorf("hook %v: %v, standard error %q", args, err, errs.String())
	}
	return out.String()
}

// replay hands over a recorded payload and returns what the program prints.
func (w *hookWorkspace) replay(t *testing.T, host, name string, args []string) string {
	t.Helper()
	var r struct {
		Env     map[string]string
		Payload json.RawMessage
	}
	src, err := os.ReadFile("../../../testdata/hooks/" + host + "/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(src, &r); err != nil {
		t.Fatal(err)
	}
	var env []string
	for k, v := range r.Env {
		env = append(env, k+"="+v)
	}
	return w.hook(t, bytes.ReplaceAll(r.Payload, []byte("$WORK"), []byte(filepath.ToSlash(w.dir))), env, args...)
}

func (w *hookWorkspace) log(t *testing.T) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(w.state, "handrail", "hook.log"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(src)
}

// hookWays are the two ways of an event: handed to the daemon before the program begins, and
// through the command, which flags that the relay does not know lead to.
var hookWays = map[string][]string{"relay": nil, "command": {"--lang", "en"}}

func TestHookReplay(t *testing.T) {
	for host, story := range hookStories {
		for way, args := range hookWays {
			t.Run(host+"/"+way, func(t *testing.T) {
				t.Parallel()
				replayHooks(t, host, story, args)
			})
		}
	}
}

func replayHooks(t *testing.T, host string, story, args []string) {
	w := newHookWorkspace(t)
	var got strings.Builder
	told := map[string]bool{}
	for _, name := range story {
		told[name] = true
		out := w.replay(t, host, name, args)
		checkHookAnswer(t, host, hookMembers, out)
		fmt.Fprintf(&got, "== %s\n%s", name, receipt.ReplaceAllString(out, "(ref XXXXXXXX)"))
	}
	if log := w.log(t); log != "" {
		t.Errorf("the log has %s", log)
	}
	files, err := filepath.Glob("../../../testdata/hooks/" + host + "/*.json")
	if err != nil || len(files) != len(told) {
		t.Errorf("%d payloads, %d in the story: %v", len(files), len(told), err)
	}
	golden := "../../../testdata/hooks/" + host + "/replay.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != got.String() {
		t.Errorf("got\n%s\nwant\n%s%v", got.String(), want, err)
	}
}

const guardedCard = `---
type: lesson
title: Tokens reached the log
guard: %s
---

## Root Cause

The whole request was logged.

## Prevention Checklist

- [ ] Handlers never log the token
  ~~~check
  forbid: 'log\.info.*token'
  paths: ["bot/**"]
  matches: ['log.info(token)']
  ~~~
- [ ] Nobody pushes with force
  ~~~check
  command: 'git push.*--force'
  matches: ['git push --force']
  ~~~
`

// TestHookGuard holds what each host is told before a guarded card's check is broken, by both
// ways of an event; the goldens have the answers.
func TestHookGuard(t *testing.T) {
	for host, names := range map[string][]string{
		"claude": {"PreToolUse-Edit", "PreToolUse-Bash"}, "codex": {"PreToolUse-apply_patch", "PreToolUse-Bash"},
		"gemini": {"BeforeTool-write", "BeforeTool-shell"}, "copilot": {"preToolUse-create", "preToolUse-bash", "postToolUse-bash"},
	} {
		for way, args := range hookWays {
			t.Run(host+"/"+way, func(t *testing.T) {
				t.Parallel()
				var got strings.Builder
				for _, guard := range []string{"deny", "ask"} {
					w := newHookWorkspace(t)
					card := strings.ReplaceAll(fmt.Sprintf(guardedCard, guard), "~~~", "```")
					if err := os.RemoveAll(filepath.Join(w.dir, ".brain", "lessons")); err != nil { // no other card speaks
						t.Fatal(err)
					}
					if err := os.MkdirAll(filepath.Join(w.dir, ".brain", "lessons"), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(filepath.Join(w.dir, ".brain", "lessons", "token.md"), []byte(card), 0o600); err != nil {
						t.Fatal(err)
					}
					for _, name := range names {
						out := w.replay(t, host, name, append([]string{"--guard"}, args...))
						checkHookAnswer(t, host, guardMembers, out)
						fmt.Fprintf(&got, "== %s, %s\n%s", name, guard, out)
						if out := w.replay(t, host, name, args); out != "" {
							t.Errorf("%s without the flag: %s", name, out)
						}
					}
				}
				golden := "../../../testdata/hooks/" + host + "/guard.golden"
				if *update {
					if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if want, err := os.ReadFile(golden); err != nil || string(want) != got.String() {
					t.Errorf("got\n%s\nwant\n%s%v", got.String(), want, err)
				}
			})
		}
	}
}

// TestTheRelayComesFirst holds that an event which a daemon answers costs none of the
// initialisation of what only the command needs.
func TestTheRelayComesFirst(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the relay needs a Unix socket")
	}
	w := newHookWorkspace(t)
	prompt := fmt.Appendf(nil, hookPrompt, w.dir)
	if out := w.hook(t, prompt, nil, "--lang", "en"); !strings.Contains(out, "lessons/telegram-allowlist.md") {
		t.Fatalf("no daemon answers: %q", out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "hook", "--within", "5m", "UserPromptSubmit")
	cmd.Args[0] = "handrail"
	cmd.Env = append(slices.Clone(w.env), "GODEBUG=inittrace=1")
	cmd.Stdin = bytes.NewReader(bytes.Replace(prompt, []byte(`"session_id":"`), []byte(`"session_id":"another-`), 1))
	var out, inits bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &inits
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "lessons/telegram-allowlist.md") {
		t.Errorf("it said %q, %v", out.String(), err)
	}
	for _, heavy := range []string{"regexp", "github.com/blevesearch/bleve/v2/index/scorch", "github.com/google/jsonschema-go/jsonschema", "handrail/triggers"} {
		if strings.Contains(inits.String(), "init "+heavy+" @") {
			t.Errorf("%s was initialised first", heavy)
		}
	}
	if !strings.Contains(inits.String(), "init os @") {
		t.Errorf("nothing is told of initialisation: %s", inits.String())
	}
}

// TestTheRelayHandsOnTheEnvironment holds that the daemon knows every variable that a
// host's payload is judged by.
func TestTheRelayHandsOnTheEnvironment(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/hooks/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no payloads", err)
	}
	asked := map[string]bool{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r struct{ Payload json.RawMessage }
		if err := json.Unmarshal(src, &r); err != nil {
			t.Fatal(err)
		}
		getenv := func(name string) string { asked[name] = true; return "" }
		_, err = hook.Answer(t.Context(), r.Payload, hook.Config{
			Getenv: getenv, Log: slog.New(slog.DiscardHandler),
			Connect: func(context.Context, string) (hook.Loop, string, error) { return nil, "", lessons.ErrNoBrain },
		})
		if err != nil && !errors.Is(err, hook.ErrUnknownHost) {
			t.Fatal(err)
		}
		projectIn("", getenv)
		languageOf(getenv)
		extras(func(name string) (string, bool) { return getenv(name), false })
	}
	for name := range asked {
		if !slices.Contains(relay.Env(), name) {
			t.Errorf("%s is not handed on", name)
		}
	}
	if len(asked) != len(relay.Env()) {
		t.Errorf("%d variables are handed on, %d asked for", len(relay.Env()), len(asked))
	}
}

// TestAnotherBrainsEvent holds that an event whose command names a folder of another project
// goes to that one's brain.
func TestAnotherBrainsEvent(t *testing.T) {
	here, there := newHookWorkspace(t), newHookWorkspace(t)
	if err := os.RemoveAll(filepath.Join(here.dir, ".brain", "lessons")); err != nil {
		t.Fatal(err)
	}
	for _, prompt := range [][]byte{fmt.Appendf(nil, hookPrompt, here.dir), fmt.Appendf(nil, hookPrompt, there.dir)} {
		here.hook(t, prompt, nil, "--lang", "en") // a daemon for each
	}
	payload, err := json.Marshal(map[string]any{
		"hook_event_name": "PostToolUse", "session_id": "s", "turn_id": "t", "model": "m", "cwd": here.dir, "tool_name": "Bash", "tool_use_id": "1",
		"tool_input": map[string]string{"command": "cat bot/handlers.py", "workdir": there.dir}, "tool_response": "def handle(): pass",
	})
	if err != nil {
		t.Fatal(err)
	}
	if out := here.hook(t, payload, nil); !strings.Contains(out, "[ACTIVE LESSON] Telegram remote execution must require allowlist") {
		t.Errorf("it said %q", out)
	}
}

// checkHookAnswer holds what was printed against what the host allows.
func checkHookAnswer(t *testing.T, host string, members map[string][]string, out string) {
	t.Helper()
	if out == "" {
		return
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(out), &object); err != nil || strings.Count(out, "\n") != 1 || len(out) > 10000 {
		t.Errorf("%s: %v", out, err)
	}
	for name, v := range object {
		names := []string{name}
		if inner, ok := v.(map[string]any); ok {
			names = nil
			for n := range inner {
				names = append(names, name+"."+n)
			}
		}
		for _, n := range names {
			if !slices.Contains(members[host], n) {
				t.Errorf("%s does not know the member %s", host, n)
			}
		}
	}
}

const hookPrompt = `{"hook_event_name":"UserPromptSubmit","session_id":"s","permission_mode":"default","transcript_path":"","cwd":%q,"prompt":"add a telegram command that restarts the server"}`

func TestHookNeverFails(t *testing.T) {
	w := newHookWorkspace(t)
	prompt := fmt.Sprintf(hookPrompt, w.dir)
	for _, tt := range []struct {
		name, payload, log string
		args               []string
	}{
		{name: "broken JSON", payload: `{"hook_event_name": "UserPro`, log: "read the payload"},
		{name: "nothing", payload: "", log: "read the payload"},
		{name: "an unknown host", payload: `{"event":"hello"}`, log: "unknown host"},
		{name: "a host that does not exist", payload: prompt, args: []string{"--host", "emacs"}, log: "unknown host"},
		{name: "an unknown flag", payload: prompt + " ", args: []string{"--no-such-flag", "--host", "emacs"}, log: "unknown host"},
		{name: "a flag without a value", payload: prompt, args: []string{"--host"}},
		{name: "no brain", payload: fmt.Sprintf(hookPrompt, t.TempDir())},
		{name: "more than 8 MiB", payload: `{"prompt":"` + strings.Repeat("x", 8<<20) + `"}`, log: "more than 8388608 bytes"},
		{name: "no time", payload: prompt, args: []string{"--within", "1ns"}, log: "no answer in time"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_ = os.Remove(filepath.Join(w.state, "handrail", "hook.log"))
			if out := w.hook(t, []byte(tt.payload), nil, tt.args...); out != "" {
				t.Errorf("it said %q", out)
			}
			if tt.log == "" && tt.args == nil && w.log(t) != "" {
				t.Errorf("the log has %s", w.log(t))
			}
			if tt.log != "" && !strings.Contains(w.log(t), tt.log) {
				t.Errorf("the log does not have %q:\n%s", tt.log, w.log(t))
			}
		})
	}
}

func TestHookTakesFiveMegabytes(t *testing.T) {
	w := newHookWorkspace(t)
	payload, err := json.Marshal(map[string]any{
		"hook_event_name": "PostToolUse", "session_id": "s", "permission_mode": "default", "cwd": w.dir, "tool_name": "Read", "tool_use_id": "1",
		"tool_input": map[string]string{"file_path": filepath.Join(w.dir, "bot", "handlers.py")}, "tool_response": strings.Repeat("x = 1\n", 5<<20/6),
	})
	if err != nil {
		t.Fatal(err)
	}
	if out := w.hook(t, payload, nil); !strings.Contains(out, "[ACTIVE LESSON] Telegram remote execution must require allowlist") {
		t.Errorf("it said %q", out)
	}
}

func TestHookInAWorktree(t *testing.T) {
	w := newHookWorkspace(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", w.dir, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	tree := filepath.Join(filepath.Dir(w.dir), "other-name")
	git("init", "-q")
	git("add", "bot")
	git("commit", "-qm", "x")
	git("worktree", "add", "-q", tree)
	if got := projectOf(filepath.Join(tree, "bot")); os.Getenv("HANDRAIL_PROJECT") == "" && got != "shop" {
		t.Errorf("the worktree's project is %q", got)
	}
	// The worktree has no brain of its own; the main one's speaks.
	if out := w.hook(t, fmt.Appendf(nil, hookPrompt, tree), nil); !strings.Contains(out, "lessons/telegram-allowlist.md") {
		t.Errorf("it said %q", out)
	}
}

// BenchmarkHook is a prompt in a session of its own, as an agent's process sees it: from the
// start of ours to its end. "go test -bench Hook -benchtime 1000x" makes a thousand in a row;
// one daemon has answered them, and no other process is left.
func BenchmarkHook(b *testing.B) {
	w := newHookWorkspace(b)
	prompt := fmt.Sprintf(hookPrompt, w.dir)
	w.hook(b, []byte(prompt), nil)
	var took []time.Duration
	for b.Loop() {
		payload := strings.Replace(prompt, `"session_id":"s"`, fmt.Sprintf(`"session_id":"s%d"`, len(took)), 1)
		began := time.Now()
		out := w.hook(b, []byte(payload), nil, "UserPromptSubmit")
		took = append(took, time.Since(began))
		if !strings.Contains(out, "lessons/telegram-allowlist.md") {
			b.Fatalf("it said %q", out)
		}
	}
	slices.Sort(took)
	for _, p := range []int{50, 95, 99} {
		b.ReportMetric(float64(took[len(took)*p/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", p))
	}
	logs, err := filepath.Glob(filepath.Join(w.state, "handrail", "daemon", "*.log"))
	if err != nil || len(logs) != 1 {
		b.Fatalf("the logs of daemons are %v, %v", logs, err)
	}
	log, err := os.ReadFile(logs[0])
	if n := bytes.Count(log, []byte("msg=serving")); err != nil || n != 1 {
		b.Errorf("%d daemons have served, %v", n, err)
	}
	if running, err := exec.Command("pgrep", "-f", w.dir).Output(); err == nil { // where there is such a command
		if n := len(strings.Fields(string(running))); n > 1 {
			b.Errorf("%d processes are left", n)
		}
	}
}
