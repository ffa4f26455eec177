package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnAgentOutlivesItsDaemon: one that is killed is followed by another without the agent's
// noticing.
func TestAnAgentOutlivesItsDaemon(t *testing.T) {
	need(t, "sockets")
	exe, err := exec.LookPath("handrail")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	folder := filepath.Join(dir, "work", ".brain")
	if err := os.MkdirAll(filepath.Join(folder, "lessons"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "run")
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_RUNTIME_DIR="+run, "LocalAppData="+dir, "USERPROFILE="+dir, "HANDRAIL_BRAIN="+folder, "LC_ALL=", "LANG=en_US.UTF-8", quickExit)
	daemon := exec.Command(exe, "daemon")
	daemon.Env = env
	told, err := daemon.StdoutPipe()
	if err == nil {
		err = daemon.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = daemon.Process.Kill() }() // which it was before, unless the test has failed
	if line, err := bufio.NewReader(told).ReadString('\n'); line != "serving\n" {
		t.Fatalf("%q, %v", line, err)
	}

	cmd := exec.Command(exe, "mcp")
	cmd.Env, cmd.Stderr = env, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewScanner(pipe)
	say := func(format string, args ...any) {
		t.Helper()
		if _, err := fmt.Fprintf(in, format+"\n", args...); err != nil {
			t.Fatal(err)
		}
	}
	next := func(want string) {
		t.Helper()
		for out.Scan() {
			if strings.Contains(out.Text(), want) {
				return
			}
			t.Logf("not %s: %s", want, out.Text())
		}
		t.Fatalf("it ends before %s", want)
	}
	draft := func(id int, title, item string) {
		t.Helper()
		say(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"lessons_draft","arguments":{"title":%q,"task":"a restart","mistake":"It went wrong.","rootCause":"Nobody was asked about it.","solution":"Ask.","checklist":[%q]}}}`, id, title, item)
	}
	say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}}`)
	next(`"serverInfo"`)
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	draft(1, "Restarts need a person", "A person confirms the restart in the chat")
	next(`drafts/restarts-need-a-person.md`)
	if err := daemon.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = daemon.Wait() // it was killed
	// The person's word for one more.
	prompt := exec.Command(exe, "hook", "--within", "1m")
	prompt.Env, prompt.Dir = env, dir
	prompt.Stdin = strings.NewReader(fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s","permission_mode":"default","transcript_path":"","cwd":%q,"prompt":"record all of these lessons"}`, dir))
	if said, err := prompt.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", said, err)
	}
	draft(3, "Backups forget the uploads folder", "The archive lists the uploads folder")
	next(`drafts/backups-forget-the-uploads-folder.md`)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, pipe); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"restarts-need-a-person.md", "backups-forget-the-uploads-folder.md"} {
		if _, err := os.Stat(filepath.Join(folder, "drafts", name)); err != nil {
			t.Error(err)
		}
	}
	end := exec.Command(exe, "uninstall", "--yes") // the other daemon goes before its folders do
	end.Env, end.Dir = env, dir
	if said, err := end.CombinedOutput(); err != nil || !strings.Contains(string(said), "daemons ended: 1\n") {
		t.Errorf("%v: %s", err, said)
	}
}
