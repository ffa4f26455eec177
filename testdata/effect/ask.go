package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// given is what a conversation gets before its first answer.
type given struct {
	Titles  string   // where it begins
	Block   string   // with the request
	Actions []string // with each file that it reads
}

// deliver asks the programs, in a home of their own, what Claude Code gets in a conversation about
// a case, from a brain with the cards of all cases.
func (s *study) deliver(ctx context.Context, c *testCase) (g given, err error) {
	top, err := os.MkdirTemp("", "effect-home-")
	if err != nil {
		return g, err
	}
	defer os.RemoveAll(top)
	work, disk := filepath.Join(top, "work"), &txtar.Archive{Files: slices.Clone(c.Files)}
	for _, other := range s.Cases {
		if other.Card != "" {
			disk.Files = append(disk.Files, txtar.File{Name: ".brain/" + other.File(), Data: []byte(other.Card)})
		}
	}
	files, err := txtar.FS(disk)
	if err == nil {
		err = os.CopyFS(work, files)
	}
	env := append(environment(), "LANG=en_US.UTF-8", "LC_ALL=")
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
		env = append(env, name+"="+filepath.Join(top, name))
		err = cmp.Or(err, os.Mkdir(filepath.Join(top, name), 0o700))
	}
	if err != nil {
		return g, err
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...)
		cmd.Dir, cmd.Env = work, env
		return cmd
	}
	if out, err := command("handrail", "trust", "--yes").CombinedOutput(); err != nil {
		return g, fmt.Errorf("trust the cards: %w: %s", err, out)
	}
	daemon := command("handrail", "daemon")
	ready, err := daemon.StdoutPipe()
	if err == nil {
		err = daemon.Start()
	}
	if err != nil {
		return g, err
	}
	defer daemon.Wait()
	defer daemon.Process.Kill()
	if _, err := bufio.NewReader(ready).ReadString('\n'); err != nil {
		return g, fmt.Errorf("start the daemon: %w", err)
	}
	tell := func(event string, of map[string]any) string {
		of["hook_event_name"], of["session_id"], of["cwd"], of["permission_mode"] = event, "effect", work, "default"
		in, _ := json.Marshal(of) // texts alone
		hook := command("handrail-hook", "--within", "1m")
		hook.Stdin = bytes.NewReader(in)
		out, failed := hook.Output()
		var told struct {
			HookSpecificOutput struct{ AdditionalContext string }
		}
		if failed == nil && len(bytes.TrimSpace(out)) > 0 {
			failed = json.Unmarshal(out, &told)
		}
		if failed != nil {
			err = fmt.Errorf("the hook of %s: %w", event, failed)
		}
		return strings.TrimSpace(told.HookSpecificOutput.AdditionalContext)
	}
	g.Titles = tell("SessionStart", map[string]any{"source": "startup"})
	g.Block = tell("UserPromptSubmit", map[string]any{"prompt": c.Request})
	for _, f := range c.Files {
		of := map[string]any{"file_path": filepath.Join(work, filepath.FromSlash(f.Name))}
		of = map[string]any{"tool_name": "Read", "tool_use_id": f.Name, "tool_input": of}
		g.Actions = append(g.Actions, tell("PreToolUse", of))
	}
	return g, err
}

// environment returns this one without Handrail's variables: no brain may speak but the study's.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "HANDRAIL_") })
}

// answer is one call of the agent, as it is kept.
type answer struct {
	Agent, Prompt, Text string
	Input, Output       int     // tokens, where the agent tells them
	Cost                float64 // dollars, likewise
}

var (
	receipt = regexp.MustCompile(`\(ref [0-9A-Z]{8}\)`) // what changes in a block from one conversation to the next
	colour  = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// ask returns the answer that is kept for this command and prompt, or asks for one and keeps it.
// read says whether it is one.
func (s *study) ask(ctx context.Context, name, prompt string, read func(string) error) (is answer, err error) {
	key := sha256.Sum256([]byte(s.Command + "\n" + receipt.ReplaceAllString(prompt, "")))
	file := filepath.Join(s.out, "answers", fmt.Sprintf("%s.%x.json", name, key[:4]))
	kept, err := os.ReadFile(file)
	switch {
	case err == nil:
		err = json.Unmarshal(kept, &is)
		return is, cmp.Or(err, read(is.Text))
	case !errors.Is(err, os.ErrNotExist):
		return is, err
	}
	begun := time.Now()
	is, err = s.call(ctx, prompt)
	if err != nil {
		return is, fmt.Errorf("the agent %q %w", s.Command, err)
	}
	fmt.Fprintf(os.Stderr, "%s: %.1f s\n", name, time.Since(begun).Seconds())
	if err := read(is.Text); err != nil {
		return is, err
	}
	text, err := json.MarshalIndent(is, "", "  ")
	if err == nil {
		err = os.WriteFile(file+".new", text, 0o644)
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	return is, err
}

// call runs the agent's command once, in an empty folder: it finds no project there.
func (s *study) call(ctx context.Context, prompt string) (is answer, err error) {
	dir, err := os.MkdirTemp("", "effect-agent-")
	if err != nil {
		return is, err
	}
	defer os.RemoveAll(dir)
	limit, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	line := strings.ReplaceAll(s.Command, "{}", `"$1"`)
	if !strings.ContainsAny(line, ";&|\n") { // in the shell's place, so that its end is the agent's
		line = "exec " + line
	}
	cmd := exec.CommandContext(limit, "sh", "-c", line, "sh", prompt)
	if !strings.Contains(s.Command, "{}") {
		cmd.Args, cmd.Stdin = cmd.Args[:4], strings.NewReader(prompt)
	}
	var out, said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, environment(), &out, &said
	cmd.WaitDelay = 5 * time.Second // for what it started itself
	err = cmd.Run()
	var told struct { // by "claude -p --output-format json", or Gemini CLI
		Result, Response string
		Failed           bool    `json:"is_error"`
		Cost             float64 `json:"total_cost_usd"`
		Usage            struct {
			Input  int `json:"input_tokens"`
			Made   int `json:"cache_creation_input_tokens"`
			Read   int `json:"cache_read_input_tokens"`
			Output int `json:"output_tokens"`
		}
	}
	_ = json.Unmarshal(out.Bytes(), &told) // or plain text
	text := strings.TrimSpace(cmp.Or(told.Result, told.Response, out.String()))
	complaint := strings.TrimSpace(colour.ReplaceAllString(said.String(), ""))
	why, _, _ := strings.Cut(cmp.Or(complaint, text, "it said nothing"), "\n")
	switch {
	case ctx.Err() != nil:
		return is, errors.New("was interrupted")
	case limit.Err() != nil:
		return is, fmt.Errorf("gave no answer within %v", s.timeout)
	case err != nil:
		return is, fmt.Errorf("failed (%w): %.300s", err, why)
	case told.Failed || text == "":
		return is, fmt.Errorf("gave no answer: %.300s", why)
	}
	use := told.Usage
	return answer{s.Command, prompt, text, use.Input + use.Made + use.Read, use.Output, told.Cost}, nil
}
