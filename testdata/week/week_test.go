// Package week is one person's first week with Handrail, as scenes that run the built
// programs: real files, a real git repository, a HOME of its own, and what agents tell
// their hooks, in the form of the recorded payloads of testdata/hooks.
//
// A scene is a txtar script of testscript, with these commands beside its own. HOST is
// claude, codex or gemini; SESSION names a conversation, so two of them can be under way
// at once. Each prints what the agent or its person gets: context, the closing line, a
// refusal.
//
//	repo DIR                        makes a git repository of a folder and commits what is in it
//	begin HOST SESSION [SOURCE]     a conversation begins: startup, resume, clear or compact
//	prompt HOST SESSION WORDS       the person asks
//	later HOST SESSION N            the person asks N times about something else
//	reads HOST SESSION FILE         the agent reads a file
//	edits HOST SESSION FILE OLD NEW replaces text in a file, which really changes; \n is a line's end
//	writes HOST SESSION FILE TEXT   writes a whole file
//	runs HOST SESSION COMMAND       runs a shell command, really, with its output and exit status
//	runs-file HOST SESSION FILE     runs the shell line that a file holds
//	delegates HOST SESSION WORDS    the agent lets a sub-agent work
//	answers HOST SESSION WORDS      ends the turn with an answer; \n is a line's end
//	ends HOST SESSION               the conversation ends
//	left FILE DIR TRANSCRIPT        an agent that worked in a folder left a transcript, in which $DIR stands for it
//	opens PROGRAM DIR [HOST [WORDS]]  an editor (lsp) or an agent's tools (mcp) begin in a folder, and end; in between @handrail is asked
//	until REGEXP COMMAND...         runs a command again until its output matches, for 30 s at most
//
// The condition [containers] says that this machine makes namespaces of mounts, in which a folder is another one,
// [root] that files can be given to other users.
//
// A hook may take a minute here, so that a busy machine changes nothing; "env WITHIN=300ms"
// gives it the time that hosts give.
package week

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestWeek(t *testing.T) {
	bin := build(t)
	testscript.Run(t, testscript.Params{
		Files:     scenes(t),
		Condition: condition,
		Setup:     func(env *testscript.Env) error { return setup(env, bin) },
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"repo":      repo,
			"begin":     told(1, begin),
			"prompt":    told(1, prompt),
			"later":     told(1, later),
			"reads":     told(1, reads),
			"edits":     told(3, edits),
			"writes":    told(2, writes),
			"runs":      told(1, runs),
			"runs-file": told(1, runsFile),
			"delegates": told(1, delegates),
			"answers":   told(1, answers),
			"ends":      told(0, ends),
			"left":      left,
			"opens":     opens,
			"until":     until,
		},
	})
}

// scenes returns the scripts, without those that need what this machine lacks: git, or a shell
// that an agent runs commands in.
func scenes(t *testing.T) (files []string) {
	all, err := filepath.Glob("*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatal("no scenes", err)
	}
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lacks := ""
		for command, program := range map[string]string{"repo": "git", "exec git": "git", "runs": "sh", "runs-file": "sh", "exec sh": "sh"} {
			if _, err := exec.LookPath(program); err != nil && bytes.Contains(text, []byte("\n"+command+" ")) {
				lacks = program
			}
		}
		if lacks == "" {
			files = append(files, file)
			continue
		}
		t.Run(strings.TrimSuffix(file, ".txtar"), func(t *testing.T) { t.Skip("not to be had here: ", lacks) })
	}
	return files
}

// condition says what this machine lets a scene do.
func condition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "containers":
		return exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt").Run() == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// build returns the folder with both programs: HANDRAIL_BUILT, for a system without Go,
// or a new one.
func build(t *testing.T) string {
	if built := os.Getenv("HANDRAIL_BUILT"); built != "" {
		return built
	}
	bin := t.TempDir()
	out, err := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "github.com/handrail-dev/handrail/server/cmd/...").CombinedOutput()
	if err != nil {
		t.Fatalf("build the programs: %v\n%s", err, out)
	}
	return bin
}

// setup gives a scene a home, folders of its own, a name for git, and the programs.
func setup(env *testscript.Env, bin string) error {
	hooks, err := filepath.Abs("../hooks")
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"HOME": "home", "XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config", "XDG_RUNTIME_DIR": "run",
		"LocalAppData": "cache", "USERPROFILE": "home", // Windows' names
	} {
		env.Setenv(name, filepath.Join(env.WorkDir, value))
		if err := os.MkdirAll(filepath.Join(env.WorkDir, value), 0o700); err != nil {
			return err
		}
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "HANDRAIL_BRAIN"} {
		env.Setenv(name, "")
	}
	env.Setenv("LANG", "en_US.UTF-8")
	env.Setenv("HOOKS", hooks)
	env.Setenv("BIN", bin)
	env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("WITHIN", "1m")
	// Another environment has no run folder, or, where the system gives everybody one, another.
	if _, err := os.Stat(filepath.Join("/run/user", fmt.Sprint(os.Getuid()))); err == nil {
		env.Setenv("NORUN", filepath.Join(env.WorkDir, "norun"))
	}
	env.Values[talks{}] = &talks{}
	return os.WriteFile(filepath.Join(env.WorkDir, "home", ".gitconfig"),
		[]byte("[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"), 0o600)
}

// repo makes a git repository of a folder: repo DIR.
func repo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: repo DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	for _, a := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "Begin"}} {
		ts.Check(ts.Exec("git", append([]string{"-C", dir}, a...)...))
	}
}

// left writes a transcript that an agent left: left FILE DIR TRANSCRIPT.
func left(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: left FILE DIR TRANSCRIPT")
	}
	dir, err := json.Marshal(ts.MkAbs(args[1]))
	ts.Check(err)
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "$DIR", strings.Trim(string(dir), `"`))
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[2])), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(text), 0o600))
}

// opens has a program of Handrail's begin in a folder as its host starts it, and end, each message after the answer
// to the one before: opens lsp|mcp DIR [HOST [WORDS]]. With words an editor asks what goes before them.
func opens(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 4 || args[0] != "lsp" && args[0] != "mcp" {
		ts.Fatalf("usage: opens lsp|mcp DIR [HOST [WORDS]]")
	}
	client := "zed" // an agent without hooks
	if len(args) > 2 {
		client = args[2] + "-mcp-client"
	}
	dir := ts.MkAbs(args[1])
	params := map[string]any{
		"processId": nil, "capabilities": map[string]any{}, "rootUri": "file://" + filepath.ToSlash(dir),
		"protocolVersion": "2025-06-18", "clientInfo": map[string]string{"name": client, "version": "1"},
	}
	messages := []map[string]any{{"id": 1, "method": "initialize", "params": params}, {"method": "notifications/initialized"}}
	if len(args) == 4 {
		messages = append(messages, map[string]any{"id": 2, "method": "handrail/preflight", "params": map[string]string{"query": args[3], "sessionId": filepath.Base(dir)}})
	}
	messages = append(messages, map[string]any{"id": 3, "method": "shutdown"}, map[string]any{"method": "exit"})
	cmd := command(ts, "handrail", args[0])
	cmd.Dir, cmd.Stderr = dir, ts.Stderr()
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	var seen []byte
	for _, m := range messages {
		m["jsonrpc"] = "2.0"
		text, err := json.Marshal(m)
		ts.Check(err)
		text = append(text, '\n')
		if args[0] == "lsp" {
			text = fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(text), text)
		}
		_, err = in.Write(text)
		ts.Check(err)
		for buf := make([]byte, 4096); m["id"] != nil && err == nil && !bytes.Contains(seen, fmt.Appendf(nil, `"id":%d`, m["id"])); {
			var n int
			n, err = out.Read(buf)
			seen = append(seen, buf[:n]...)
		}
	}
	ts.Check(in.Close())
	rest, _ := io.ReadAll(out)
	seen = append(seen, rest...)
	if err := cmd.Wait(); err != nil || !bytes.Contains(seen, []byte(`"id":1`)) {
		ts.Fatalf("handrail %s: %v\n%s", args[0], err, seen)
	}
	_, _ = ts.Stdout().Write(seen)
}

// until runs a command until its output matches: until REGEXP COMMAND....
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEXP COMMAND...")
	}
	want, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	deadline := time.Now().Add(2 * time.Minute)
	for {
		cmd, out := command(ts, args[1], args[2:]...), new(bytes.Buffer)
		cmd.Stdout, cmd.Stderr = out, out
		err := cmd.Run()
		if want.Match(out.Bytes()) {
			_, _ = ts.Stdout().Write(out.Bytes())
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s did not come in two minutes (%v):\n%s", args[0], err, out)
		}
		time.Sleep(50 * time.Millisecond) // between two looks at another process
	}
}

// command returns a command in the scene's folder and environment.
func command(ts *testscript.TestScript, name string, args ...string) *exec.Cmd {
	path := name
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		file := filepath.Join(dir, name)
		if runtime.GOOS == "windows" {
			file += ".exe"
		}
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			path = file
			break
		}
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{
		"PATH", "HOME", "USERPROFILE", "LocalAppData", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
		"LANG", "LC_ALL", "LC_MESSAGES", "TMPDIR", "HANDRAIL_BRAIN", "HANDRAIL_TRUST", "HANDRAIL_AGENTS", "CI", "SystemRoot", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "BIN",
	} {
		if v := ts.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	return cmd
}

// talks numbers what happens in a scene, so that no two events are one.
type talks struct{ prompts, tools int }

// talk is one conversation with an agent.
type talk struct {
	*talks
	ts            *testscript.TestScript
	host, session string
	out           io.Writer
}

// told makes a command of what a conversation does with n words.
func told(n int, do func(c talk, args []string)) func(ts *testscript.TestScript, neg bool, args []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < 2 || len(args) > n+2 || len(args) < n+2 && n != 1 {
			ts.Fatalf("usage: COMMAND HOST SESSION and %d more; see the head of week_test.go", n)
		}
		do(talk{talks: ts.Value(talks{}).(*talks), ts: ts, host: args[0], session: args[1], out: ts.Stdout()}, args[2:])
	}
}

// part is one payload of a host with what a scene changes in it; a name with dots goes
// down into its objects.
type part struct {
	file string
	set  map[string]any
}

// tell sends a payload to handrail-hook, as the host does, and prints what comes back.
func (c talk) tell(p part) {
	data, err := os.ReadFile(filepath.Join(c.ts.Getenv("HOOKS"), c.host, p.file+".json"))
	c.ts.Check(err)
	cwd := filepath.ToSlash(c.ts.MkAbs("."))
	text := strings.NewReplacer("$HOME", filepath.ToSlash(c.ts.Getenv("HOME")), "$WORK", cwd).Replace(string(data))
	var recorded struct {
		Env     map[string]string
		Payload map[string]any
	}
	c.ts.Check(json.Unmarshal([]byte(text), &recorded))
	set := map[string]any{"session_id": c.session}
	if _, ok := recorded.Payload["transcript_path"].(string); ok {
		set["transcript_path"] = filepath.ToSlash(filepath.Join(c.ts.Getenv("HOME"), "."+c.host, c.session+".jsonl"))
	}
	for key, value := range map[string]any{
		"prompt_id": fmt.Sprintf("prompt-%d", c.prompts), "turn_id": fmt.Sprintf("turn-%d", c.prompts),
		"tool_use_id": fmt.Sprintf("tool-%d", c.tools), "timestamp": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
	} {
		if _, ok := recorded.Payload[key]; ok {
			set[key] = value
		}
	}
	maps.Copy(set, p.set)
	for key, value := range set {
		put(recorded.Payload, key, value)
	}
	in, err := json.Marshal(recorded.Payload)
	c.ts.Check(err)
	cmd := command(c.ts, "handrail-hook", "--within", c.ts.Getenv("WITHIN"))
	for name := range recorded.Env {
		cmd.Env = append(cmd.Env, name+"="+c.session)
	}
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, c.ts.Stderr()
	err = cmd.Run()
	if err != nil {
		c.ts.Fatalf("handrail-hook: %v", err)
	}
	c.print(out.Bytes())
}

// print writes the texts of a hook's answer: what the model gets, what the person does.
func (c talk) print(answer []byte) {
	if len(bytes.TrimSpace(answer)) == 0 {
		return
	}
	var got struct {
		SystemMessage, Decision, Reason string
		HookSpecificOutput              struct{ AdditionalContext, PermissionDecision, PermissionDecisionReason string }
	}
	err := json.Unmarshal(answer, &got)
	if err != nil {
		c.ts.Fatalf("a hook's answer is no JSON: %v\n%s", err, answer)
	}
	h := got.HookSpecificOutput
	for _, text := range []string{
		h.AdditionalContext, got.SystemMessage, got.Decision, got.Reason, h.PermissionDecision, h.PermissionDecisionReason,
	} {
		if text != "" {
			fmt.Fprintln(c.out, strings.TrimSuffix(text, "\n"))
		}
	}
}

// put sets a value in a payload, at a name with dots.
func put(payload map[string]any, name string, value any) {
	first, rest, deeper := strings.Cut(name, ".")
	if !deeper {
		payload[name] = value
		return
	}
	inner, ok := payload[first].(map[string]any)
	if !ok {
		inner = map[string]any{}
		payload[first] = inner
	}
	put(inner, rest, value)
}

func begin(c talk, args []string) {
	source := "startup"
	if len(args) > 0 {
		source = args[0]
	}
	c.tell(part{"SessionStart", map[string]any{"source": source}})
}

func prompt(c talk, args []string) {
	c.prompts++
	file := "UserPromptSubmit"
	if c.host == "gemini" {
		file = "BeforeAgent"
	}
	c.tell(part{file, map[string]any{"prompt": args[0]}})
}

func later(c talk, args []string) {
	n, err := strconv.Atoi(args[0])
	c.ts.Check(err)
	for i := range n {
		prompt(c, []string{fmt.Sprintf("what is %d times %d", i, i+1)})
	}
}

func answers(c talk, args []string) {
	args[0] = strings.ReplaceAll(args[0], `\n`, "\n")
	if c.host == "gemini" {
		c.tell(part{"AfterAgent", map[string]any{"prompt_response": args[0]}})
		return
	}
	c.tell(part{"Stop", map[string]any{"last_assistant_message": args[0]}})
}

func ends(c talk, _ []string) {
	if c.host != "codex" { // which does not tell
		c.tell(part{"SessionEnd", nil})
	}
}

func reads(c talk, args []string) {
	c.tools++
	text, path := c.ts.ReadFile(args[0]), filepath.ToSlash(c.ts.MkAbs(args[0]))
	switch c.host {
	case "claude":
		c.tell(part{"PreToolUse-Read", map[string]any{"tool_input.file_path": path}})
		c.tell(part{"PostToolUse-Read", map[string]any{
			"tool_input.file_path": path, "tool_response.file.filePath": path, "tool_response.file.content": text,
		}})
	case "codex":
		c.tell(part{"PreToolUse-Bash", map[string]any{"tool_input.command": "cat " + args[0]}})
		c.tell(part{"PostToolUse-cat", map[string]any{"tool_input.command": "cat " + args[0], "tool_response": text}})
	default:
		c.tell(part{"AfterTool-read", map[string]any{"tool_input.file_path": args[0], "tool_response.llmContent": text}})
	}
}

func edits(c talk, args []string) {
	c.tools++
	line := strings.NewReplacer(`\n`, "\n")
	file, before, after := args[0], line.Replace(args[1]), line.Replace(args[2])
	path, text := filepath.ToSlash(c.ts.MkAbs(file)), c.ts.ReadFile(file)
	if !strings.Contains(text, before) {
		c.ts.Fatalf("%s does not hold %q", file, before)
	}
	changed := strings.Replace(text, before, after, 1)
	save := func() { c.ts.Check(os.WriteFile(c.ts.MkAbs(file), []byte(changed), 0o644)) }
	switch c.host {
	case "claude":
		input := map[string]any{"tool_input.file_path": path, "tool_input.old_string": before, "tool_input.new_string": after}
		c.tell(part{"PreToolUse-Edit", input})
		save()
		set := maps.Clone(input)
		maps.Copy(set, map[string]any{
			"tool_name": "Edit", "tool_input": map[string]any{"replace_all": false},
			"tool_response": map[string]any{
				"filePath": path, "oldString": before, "newString": after, "originalFile": text, "userModified": false, "replaceAll": false,
			},
		})
		c.tellInOrder("PostToolUse-Write", set)
	case "codex":
		patch := "*** Begin Patch\n*** Update File: " + file + "\n@@\n" + marked("-", before) + marked("+", after) + "*** End Patch\n"
		c.tell(part{"PreToolUse-apply_patch", map[string]any{"tool_input.command": patch}})
		save()
		c.tell(part{"PostToolUse-apply_patch", map[string]any{
			"tool_input.command": patch, "tool_response": "Success. Updated the following files:\nM " + file + "\n",
		}})
	default:
		save()
		c.geminiWrote(path, changed, text)
	}
}

func writes(c talk, args []string) {
	c.tools++
	file, text := args[0], strings.ReplaceAll(args[1], `\n`, "\n")
	path := filepath.ToSlash(c.ts.MkAbs(file))
	old, err := os.ReadFile(c.ts.MkAbs(file))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		c.ts.Check(err)
	}
	c.ts.Check(os.MkdirAll(filepath.Dir(c.ts.MkAbs(file)), 0o755))
	save := func() { c.ts.Check(os.WriteFile(c.ts.MkAbs(file), []byte(text), 0o644)) }
	switch c.host {
	case "claude":
		save()
		set := map[string]any{
			"tool_input.file_path": path, "tool_input.content": text, "tool_response.filePath": path, "tool_response.content": text,
		}
		if err == nil {
			set["tool_response.type"], set["tool_response.originalFile"] = "update", string(old)
		}
		c.tell(part{"PostToolUse-Write", set})
	case "codex":
		patch := "*** Begin Patch\n*** Add File: " + file + "\n" + marked("+", text) + "*** End Patch\n"
		c.tell(part{"PreToolUse-apply_patch", map[string]any{"tool_input.command": patch}})
		save()
		c.tell(part{"PostToolUse-apply_patch", map[string]any{
			"tool_input.command": patch, "tool_response": "Success. Updated the following files:\nA " + file + "\n",
		}})
	default:
		save()
		c.geminiWrote(path, text, string(old))
	}
}

// tellInOrder sets a whole object before what is inside of it.
func (c talk) tellInOrder(file string, set map[string]any) {
	whole := map[string]any{}
	for key, value := range set {
		if !strings.Contains(key, ".") {
			whole[key] = value
		}
	}
	for key, value := range set {
		if strings.Contains(key, ".") {
			put(whole, key, value)
		}
	}
	c.tell(part{file, whole})
}

func (c talk) geminiWrote(path, text, old string) {
	c.tell(part{"BeforeTool-write", map[string]any{"tool_input.file_path": path, "tool_input.content": text}})
	c.tell(part{"AfterTool-write", map[string]any{
		"tool_input.file_path": path, "tool_input.content": text,
		"tool_response.returnDisplay.filePath": path, "tool_response.returnDisplay.fileName": filepath.Base(path),
		"tool_response.returnDisplay.originalContent": old, "tool_response.returnDisplay.newContent": text,
		"tool_response.returnDisplay.fileDiff": "--- " + path + "\tOriginal\n+++ " + path + "\tWritten\n@@ -1 +1 @@\n" +
			marked("-", old) + marked("+", text),
		"tool_response.returnDisplay.isNewFile": old == "",
	}})
}

// marked puts a sign before each line, as a patch has it.
func marked(sign, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(sign + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

func runs(c talk, args []string) {
	c.tools++
	line := args[0]
	pre := map[string]string{"claude": "PreToolUse-Bash", "codex": "PreToolUse-Bash", "gemini": "BeforeTool-shell"}[c.host]
	c.tell(part{pre, map[string]any{"tool_input.command": line}})
	cmd := command(c.ts, "sh", "-c", line)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.ts.Fatalf("run %s: %v", line, err)
	}
	code, text := cmd.ProcessState.ExitCode(), string(out)
	switch {
	case c.host == "codex": // which does not tell the exit status
		c.tell(part{"PostToolUse-Bash", map[string]any{"tool_input.command": line, "tool_response": text}})
	case c.host == "claude" && code != 0:
		c.tell(part{"PostToolUseFailure-Bash", map[string]any{
			"tool_input.command": line, "error": fmt.Sprintf("Exit code %d\n%s", code, text),
		}})
	case c.host == "claude":
		c.tell(part{"PostToolUse-Bash", map[string]any{"tool_input.command": line, "tool_response.stdout": text}})
	case code != 0:
		c.tell(part{"AfterTool-shell-failed", map[string]any{
			"tool_input.command": line, "tool_response.returnDisplay": text,
			"tool_response.llmContent": fmt.Sprintf("<untrusted_context>\nOutput: %s\nExit Code: %d\n</untrusted_context>", text, code),
		}})
	default:
		c.tell(part{"AfterTool-shell", map[string]any{
			"tool_input.command": line, "tool_response.returnDisplay": text,
			"tool_response.llmContent": "<untrusted_context>\nOutput: " + text + "\n</untrusted_context>",
		}})
	}
}

func runsFile(c talk, args []string) { runs(c, []string{c.ts.ReadFile(args[0])}) }

func delegates(c talk, args []string) {
	c.tools++
	set := map[string]any{"tool_name": "Task", "tool_input.prompt": args[0], "tool_response.stdout": "Done."}
	if c.host == "gemini" {
		c.tell(part{"AfterTool-shell", map[string]any{"tool_name": "codebase_investigator_agent"}})
		return
	}
	c.tell(part{"PostToolUse-Bash", set})
}
