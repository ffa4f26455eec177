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

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/agents"
	"github.com/handrail-dev/handrail/server/hook"
	"github.com/handrail-dev/handrail/server/relay"
)

// hookStories are the recorded payloads in the order in which a host sends them.
var hookStories = map[string][]string{
	"claude": {"SessionStart", "UserPromptSubmit-subagent", "UserPromptSubmit", "UserPromptSubmit", "PreToolUse-Read", "PostToolUse-Read", "PreToolUse-Bash", "PostToolUseFailure-Bash", "PreToolUse-Edit", "PostToolUse-Write", "PostToolUse-Bash", "UserPromptSubmit-task", "Stop", "Stop", "Stop-transcript", "SessionEnd"},
	"codex":  {"SessionStart", "UserPromptSubmit-title", "UserPromptSubmit", "PreToolUse-Bash", "PreToolUse-exec-patch", "PostToolUse-cat", "PostToolUse-Bash", "PreToolUse-apply_patch", "PostToolUse-apply_patch", "Stop"},
	"gemini": {"SessionStart", "BeforeAgent", "BeforeTool-shell", "AfterTool-read", "AfterTool-shell-failed", "BeforeTool-write", "AfterTool-write", "AfterTool-shell", "AfterAgent", "SessionEnd"},
	"cursor": {"sessionStart", "beforeSubmitPrompt", "postToolUse-Read", "postToolUse-Shell", "postToolUseFailure", "afterFileEdit", "afterAgentResponse", "stop"},
	// Copilot reads the files for VS Code too; the block still comes once, by the way that works.
	"copilot":  {"sessionStart", "userPromptSubmitted", "pascal-UserPromptSubmit", "userPromptTransformed", "preToolUse-create", "preToolUse-bash", "postToolUse-view", "pascal-PostToolUse", "postToolUse-bash-failed", "postToolUse-create", "postToolUse-bash", "agentStop", "pascal-Stop"},
	"qwen":     {"SessionStart", "UserPromptSubmit", "PreToolUse-read", "PostToolUse-read", "UserPromptSubmit-empty", "PostToolUseFailure-shell", "PostToolUse-write", "Stop"},
	"cline":    {"TaskStart", "UserPromptSubmit", "PostToolUse-read", "PostToolUse-run", "PostToolUse-edit-refused", "PostToolUse-write", "TaskComplete"},
	"opencode": {"start", "prompt", "tool-read", "tool-bash", "tool-write", "answer"},
	"generic":  {"start", "prompt", "tool-before", "tool-cancelled", "tool-edit", "tool-run", "answer"},
	"vscode":   {"SessionStart", "UserPromptSubmit", "PostToolUse-read", "PreToolUse", "PostToolUse-edit", "PostToolUse-terminal", "Stop", "docs-spelling"},
}

// hookMembers are what each host's answer may hold, from its documents; Codex and VS Code's
// neighbours refuse anything else.
var hookMembers = map[string][]string{
	"claude":   {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage"},
	"codex":    {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage"},
	"gemini":   {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage"},
	"vscode":   {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage"},
	"qwen":     {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage"},
	"cline":    {"cancel", "contextModification", "errorMessage"},
	"opencode": {"context", "notice"},
	"generic":  {"context", "notice"},
	"cursor":   {"continue", "additional_context"},
	"copilot":  {"modifiedTransformedPrompt", "additionalContext"},
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
	t.Cleanup(func() { // what a process that ends has open may write once more
		for end := time.Now().Add(10 * time.Second); os.RemoveAll(root) != nil && time.Now().Before(end); {
			runtime.Gosched()
		}
	})
	for name, text := range map[string]string{"bot/handlers.py": "def handle(): pass\n", "db/migrations/0007_stock.sql": "int\n"} {
		file := filepath.Join(w.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err = os.CopyFS(filepath.Join(w.dir, "transcripts"), os.DirFS("../../../testdata/hooks/transcripts"))
	if err := errors.Join(err, copyBrain(filepath.Join(w.dir, ".brain"), w.state)); err != nil {
		t.Fatal(err)
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

// hookWays are the two ways of an event: by the program of hooks, and by the command to which
// that leaves what it cannot do.
var hookWays = map[string][]string{"program": {"handrail-hook"}, "command": {"handrail", "hook"}}

// hook runs the program of hooks as a host does and returns what it prints. The deadline is
// far: these tests are about what is said, not how fast.
func (w *hookWorkspace) hook(t testing.TB, payload []byte, args ...string) string {
	t.Helper()
	return w.run(t, hookWays["program"], payload, nil, args...)
}

// run is hook by a way of one's own.
func (w *hookWorkspace) run(t testing.TB, way []string, payload []byte, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(way[0], slices.Concat(way[1:], []string{"--within", "5m"}, args)...)
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
func (w *hookWorkspace) replay(t *testing.T, way []string, host, name string, args ...string) string {
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
	return w.run(t, way, bytes.ReplaceAll(r.Payload, []byte("$WORK"), []byte(filepath.ToSlash(w.dir))), env, args...)
}

func (w *hookWorkspace) log(t *testing.T) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(w.state, "handrail", "hook.log"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(src)
}

func TestHookReplay(t *testing.T) {
	need(t, "sockets")
	for host, story := range hookStories {
		for name, way := range hookWays {
			t.Run(host+"/"+name, func(t *testing.T) {
				t.Parallel()
				replayHooks(t, host, story, way)
			})
		}
	}
}

func replayHooks(t *testing.T, host string, story, way []string) {
	w := newHookWorkspace(t)
	var got strings.Builder
	told := map[string]bool{}
	for _, name := range story {
		told[name] = true
		out := w.replay(t, way, host, name)
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
	need(t, "sockets") // an event beside a daemon that fails to start may find the brain in its hands
	for host, names := range map[string][]string{
		"claude": {"PreToolUse-Edit", "PreToolUse-Bash"}, "codex": {"PreToolUse-apply_patch", "PreToolUse-Bash"},
		"gemini": {"BeforeTool-write", "BeforeTool-shell"}, "copilot": {"preToolUse-create", "preToolUse-bash", "postToolUse-bash"},
	} {
		for way, program := range hookWays {
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
						out := w.replay(t, program, host, name, "--guard")
						checkHookAnswer(t, host, guardMembers, out)
						fmt.Fprintf(&got, "== %s, %s\n%s", name, guard, out)
						if out := w.replay(t, program, host, name); strings.Contains(out, "ecision") { // the card comes at its line
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

// TestTheProgramOfHooksAloneAnswers holds that an event which a daemon answers needs nothing
// of the large program, and that without both the hook is silent.
func TestTheProgramOfHooksAloneAnswers(t *testing.T) {
	need(t, "sockets")
	w := newHookWorkspace(t)
	prompt := fmt.Appendf(nil, hookPrompt, w.dir)
	if out := w.hook(t, prompt); !strings.Contains(out, "lessons/telegram-allowlist.md") {
		t.Fatalf("no daemon answers: %q", out)
	}
	there, err := exec.LookPath("handrail-hook")
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), filepath.Base(there))
	if err := os.Link(there, alone); err != nil {
		t.Fatal(err)
	}
	noPath := []string{"PATH="}
	again := bytes.Replace(prompt, []byte(`"session_id":"`), []byte(`"session_id":"another-`), 1)
	if out := w.run(t, []string{alone}, again, noPath); !strings.Contains(out, "lessons/telegram-allowlist.md") {
		t.Errorf("it said %q", out)
	}
	if out := w.run(t, []string{alone}, prompt, noPath, "--lang", "en"); out != "" {
		t.Errorf("without the command it said %q", out)
	}
	if log := w.log(t); !strings.Contains(log, "handrail") || strings.Count(log, "\n") != 1 {
		t.Errorf("the log has %s", log)
	}
}

// TestAHostThatKeepsItsEndOpen holds that a hook which never gets all of its payload ends in
// its time, by either program.
func TestAHostThatKeepsItsEndOpen(t *testing.T) {
	w := newHookWorkspace(t)
	for name, sent := range map[string]int{"nothing sent": 0, "more than the program of hooks reads": 300 << 10} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("handrail-hook", "--within", "1s", "UserPromptSubmit")
			cmd.Env = w.env
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			go func() { _, _ = in.Write(bytes.Repeat([]byte("x"), sent)) }()
			if err := cmd.Wait(); err != nil || out.Len() > 0 {
				t.Errorf("%v, it said %q", err, out.String())
			}
			if log := w.log(t); !strings.Contains(log, "no answer in time") {
				t.Errorf("the log has %q", log)
			}
			_ = os.Remove(filepath.Join(w.state, "handrail", "hook.log"))
		})
	}
}

// TestTheProgramHandsOnTheEnvironment holds that the daemon knows every variable that a
// host's payload is judged by.
func TestTheProgramHandsOnTheEnvironment(t *testing.T) {
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
			Connect: func(context.Context, string, bool) (hook.Loop, string, error) { return nil, "", lessons.ErrNoBrain },
		})
		if err != nil && !errors.Is(err, hook.ErrUnknownHost) {
			t.Fatal(err)
		}
		getenv("HANDRAIL_PROJECT") // by app.projectOf
		getenv("HANDRAIL_BRAIN")   // read by handrail-hook itself
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
	need(t, "sockets")
	here, there := newHookWorkspace(t), newHookWorkspace(t)
	if err := os.RemoveAll(filepath.Join(here.dir, ".brain", "lessons")); err != nil {
		t.Fatal(err)
	}
	yes := exec.Command("handrail", "trust", "--yes")
	yes.Dir, yes.Env = there.dir, here.env
	if out, err := yes.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, dir := range []string{here.dir, there.dir} { // a daemon for each, and the card is not given yet
		here.hook(t, bytes.Replace(fmt.Appendf(nil, hookPrompt, dir), []byte("telegram"), []byte("penguin"), 1))
	}
	payload, err := json.Marshal(map[string]any{
		"hook_event_name": "PostToolUse", "session_id": "another", "turn_id": "t", "model": "m", "cwd": here.dir, "tool_name": "Bash", "tool_use_id": "1",
		"tool_input": map[string]string{"command": "chmod +x bot/handlers.py", "workdir": there.dir}, "tool_response": "def handle(): pass",
	})
	if err != nil {
		t.Fatal(err)
	}
	if out := here.hook(t, payload); !strings.Contains(out, "[ACTIVE LESSON] Telegram remote execution must require allowlist") {
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

// bareProgram is the least that a hook could do.
const bareProgram = `package main

import (
	"io"
	"os"
)

func main() { _, _ = io.Copy(io.Discard, os.Stdin) }
`

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
			if out := w.hook(t, []byte(tt.payload), tt.args...); out != "" {
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
	w.hook(t, []byte(prompt)) // waits for the daemon that the event without time has started
	stopDaemons(t, w.state)
}

func TestHookTakesFiveMegabytes(t *testing.T) {
	w := newHookWorkspace(t)
	payload, err := json.Marshal(map[string]any{
		"hook_event_name": "PostToolUse", "session_id": "s", "permission_mode": "default", "cwd": w.dir, "tool_name": "Write", "tool_use_id": "1",
		"tool_input": map[string]string{"file_path": filepath.Join(w.dir, "bot", "handlers.py"), "content": strings.Repeat("x = 1\n", 5<<20/6)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if out := w.hook(t, payload); !strings.Contains(out, "[ACTIVE LESSON] Telegram remote execution must require allowlist") {
		t.Errorf("it said %q", out)
	}
}

func TestHookInAWorktree(t *testing.T) {
	need(t, "sockets", "git")
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
	if got := (&app{}).projectOf(filepath.Join(tree, "bot")); os.Getenv("HANDRAIL_PROJECT") == "" && got != "shop" {
		t.Errorf("the worktree's project is %q", got)
	}
	// The worktree has no brain of its own; the main one's speaks.
	if out := w.hook(t, fmt.Appendf(nil, hookPrompt, tree)); !strings.Contains(out, "lessons/telegram-allowlist.md") {
		t.Errorf("it said %q", out)
	}
}

// BenchmarkHook is a prompt in a session of its own, as an agent's process sees it: from the
// start of ours to its end, by turns with the large program and with one that only reads its
// input. "go test -bench Hook -benchtime 1000x" makes a thousand in a row; one daemon has
// answered them, and no other process is left.
func BenchmarkHook(b *testing.B) {
	w := newHookWorkspace(b)
	prompt := fmt.Sprintf(hookPrompt, w.dir)
	dir := b.TempDir()
	source := filepath.Join(dir, "bare.go")
	if err := os.WriteFile(source, []byte(bareProgram), 0o600); err != nil {
		b.Fatal(err)
	}
	bare, large := filepath.Join(dir, "bare.exe"), filepath.Join(dir, "handrail.exe")
	if err := errors.Join(goBuild(bare, source), goBuild(large, "github.com/handrail-dev/handrail/server/cmd/handrail"), goBuild(agents.Beside(large), "github.com/handrail-dev/handrail/server/cmd/handrail-hook")); err != nil {
		b.Fatal(err)
	}
	ways := []struct {
		name string
		way  []string
		took []time.Duration
	}{{"bare", []string{bare}, nil}, {"hook", []string{agents.Beside(large)}, nil}, {"command", []string{large, "hook"}, nil}}
	w.run(b, ways[2].way, []byte(prompt), nil)
	for n := 0; b.Loop(); n++ {
		for i := range ways {
			payload := strings.Replace(prompt, `"session_id":"s"`, fmt.Sprintf(`"session_id":"%s-%d"`, ways[i].name, n), 1)
			began := time.Now()
			out := w.run(b, ways[i].way, []byte(payload), nil, "UserPromptSubmit")
			ways[i].took = append(ways[i].took, time.Since(began))
			if ways[i].name != "bare" && !strings.Contains(out, "lessons/telegram-allowlist.md") {
				b.Fatalf("%s said %q", ways[i].name, out)
			}
		}
	}
	p50 := map[string]float64{}
	for _, way := range ways {
		slices.Sort(way.took)
		for _, p := range []int{50, 95} {
			b.ReportMetric(float64(way.took[len(way.took)*p/100].Microseconds())/1000, fmt.Sprintf("%s-p%d-ms", way.name, p))
		}
		p50[way.name] = float64(way.took[len(way.took)/2])
	}
	b.ReportMetric(p50["hook"]/p50["bare"], "hook/bare")
	b.ReportMetric(p50["command"]/p50["hook"], "command/hook")
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
