//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/server/relay"
)

// TestAHungDaemonLosesNothing holds that what a person says while the daemon hangs is heard by its successor.
func TestAHungDaemonLosesNothing(t *testing.T) {
	w := newHookWorkspace(t)
	prompt := fmt.Appendf(nil, hookPrompt, w.dir)
	if out := w.hook(t, prompt); !strings.Contains(out, "lessons/telegram-allowlist.md") {
		t.Fatalf("no daemon answers: %q", out)
	}
	pid := w.daemon(t)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"또 안 돼. 재시작 명령이 여전히 실패한다", "계속해"} {
		cmd := exec.Command("handrail-hook", "--within", "1s", "UserPromptSubmit")
		cmd.Dir, cmd.Env, cmd.Stdin = w.dir, w.env, bytes.NewReader(promptOf(t, prompt, text))
		if out, err := cmd.Output(); err != nil || len(out) > 0 {
			t.Errorf("%v, it said %q", err, out)
		}
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if out := w.hook(t, bytes.Replace(prompt, []byte(`"session_id":"`), []byte(`"session_id":"another-`), 1)); !strings.Contains(out, "lessons/telegram-allowlist.md") {
		t.Errorf("the next daemon says %q", out)
	}
	w.awaitCandidate(t, "또 안 돼")
}

// promptOf is a prompt's payload with other words.
func promptOf(t *testing.T, payload []byte, text string) []byte {
	t.Helper()
	var p map[string]any
	if err := json.Unmarshal(payload, &p); err != nil {
		t.Fatal(err)
	}
	p["prompt"] = text
	out, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// daemon is the process that serves the workspace's brain, by its log.
func (w *hookWorkspace) daemon(t *testing.T) int {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(w.state, "handrail", "daemon", "*.log"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	src, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`msg=serving .*pid=(\d+)`).FindAllSubmatch(src, -1)
	if len(m) == 0 {
		t.Fatalf("no daemon in %s", src)
	}
	pid, err := strconv.Atoi(string(m[len(m)-1][1]))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// TestAnEventWhoseTimeIsUpIsKept holds that a hook which begins after its time, as on a busy machine, loses nothing.
func TestAnEventWhoseTimeIsUpIsKept(t *testing.T) {
	w := newHookWorkspace(t)
	prompt := fmt.Appendf(nil, hookPrompt, w.dir)
	cmd := exec.Command("handrail", "hook", "--until", "1", "UserPromptSubmit")
	cmd.Dir, cmd.Env, cmd.Stdin = w.dir, w.env, bytes.NewReader(promptOf(t, prompt, "또 안 돼. 재시작 명령이 여전히 실패한다"))
	if out, err := cmd.Output(); err != nil || len(out) > 0 {
		t.Errorf("%v, it said %q", err, out)
	}
	w.awaitCandidate(t, "또 안 돼") // of a daemon that the hook started and did not wait for
}

// TestAPromptThatComesLateIsHeard holds that an event is not lost whose payload its host writes when the time is up.
func TestAPromptThatComesLateIsHeard(t *testing.T) {
	w := newHookWorkspace(t)
	prompt := fmt.Appendf(nil, hookPrompt, w.dir)
	cmd := exec.Command("handrail-hook", "--within", "1ns", "UserPromptSubmit") // over before anything can be read
	cmd.Dir, cmd.Env, cmd.Stdin = w.dir, w.env, bytes.NewReader(promptOf(t, prompt, "또 안 돼. 재시작 명령이 여전히 실패한다"))
	if out, err := cmd.Output(); err != nil || len(out) > 0 {
		t.Errorf("%v, it said %q", err, out)
	}
	w.awaitCandidate(t, "또 안 돼")
}

// awaitCandidate waits until something asks to be recorded.
func (w *hookWorkspace) awaitCandidate(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		cmd := exec.Command("handrail", "review", "--list", "--json")
		cmd.Dir, cmd.Env = w.dir, w.env
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(out, []byte(text)) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it is not asked for: %s", out)
		}
	}
}

// TestBeginnings holds that the program of hooks, which knows no hosts, knows the name of each recorded event that begins a
// conversation.
func TestBeginnings(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/hooks/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "-")
		if want := strings.HasSuffix(strings.ToLower(name), "start"); relay.Begins(name) != want {
			t.Errorf("%s: %v", file, !want)
		}
	}
}
