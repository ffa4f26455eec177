//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pseudo is a terminal of 80 columns and 24 rows: what a program prints there, and where keys
// are typed.
type pseudo struct {
	t      *testing.T
	master *os.File
	heard  string
}

// atTerminal starts a program at a new terminal.
func atTerminal(t *testing.T, cmd *exec.Cmd) *pseudo {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skip("no terminal to be had:", err)
	}
	master := os.NewFile(uintptr(fd), "terminal")
	t.Cleanup(func() { _ = master.Close() })
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	peer, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY)
	if errno != 0 {
		t.Skip("no terminal to be had:", errno)
	}
	tty := os.NewFile(peer, "program's end")
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close() // the program has its own
	return &pseudo{t: t, master: master}
}

// sees waits until the terminal has shown the wanted texts, in this order, since what it was
// asked for before.
func (p *pseudo) sees(want ...string) {
	p.t.Helper()
	buf := make([]byte, 4096)
	for _, w := range want {
		for {
			if _, after, ok := strings.Cut(p.heard, w); ok {
				p.heard = after
				break
			}
			if err := p.master.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil { // so that a test that fails says what it saw
				p.t.Fatal(err)
			}
			n, err := p.master.Read(buf)
			if p.heard += string(buf[:n]); err != nil && n == 0 {
				p.t.Fatalf("%q is not shown before %v:\n%q", w, err, p.heard)
			}
		}
	}
}

func (p *pseudo) types(keys string) {
	p.t.Helper()
	if _, err := io.WriteString(p.master, keys); err != nil {
		p.t.Fatal(err)
	}
}

// TestReviewAtATerminal goes through candidates with keys, in an editor and by questions.
func TestReviewAtATerminal(t *testing.T) {
	need(t, "sh")
	exe, err := exec.LookPath("handrail")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	env := append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_RUNTIME_DIR="+dir, "HANDRAIL_BRAIN="+filepath.Join(dir, "work", ".brain"),
		"LC_ALL=", "LC_MESSAGES=", "LANG=en_US.UTF-8", "TERM=xterm", "VISUAL=", "EDITOR=", quickExit)
	program := func(stdin string, args ...string) *exec.Cmd {
		cmd := exec.Command(exe, args...)
		cmd.Dir, cmd.Env, cmd.Stdin = filepath.Join(dir, "work"), env, strings.NewReader(stdin)
		return cmd
	}
	if err := os.MkdirAll(filepath.Join(dir, "work", ".brain", "lessons"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, told := range []string{
		"add a restart command to the bot", "it still fails, the same as before\x1b[2J", "내보내기에 BOM을 넣어줘", "또 안 돼", "rename the login page", "still broken, it fails again",
	} {
		event := fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s%d","permission_mode":"default","cwd":%q,"prompt":%q}`, i/2, filepath.Join(dir, "work"), told)
		if out, err := program(strings.ReplaceAll(event, `\x1b`, `\u001b`), "hook", "--within", "1m").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	editor := filepath.Join(dir, "the editor")
	script := "#!/bin/sh\nsed -i -e 's/^<!-- Why.*/The flag was never read/' -e 's/^<!-- - .*/- [ ] The flag is read before the restart/' \"$1\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}

	cmd := program("", "review")
	p := atTerminal(t, cmd)
	p.sees(enterScreen, reversed+" 1  Failed again: add a restart command to the bot"+plainly, "same as before[2J", "q quit")
	p.types("j")
	p.sees(reversed+" 2  또 실패함: 내보내기에 BOM을 넣어줘"+plainly, "> 또 안 돼", "q quit")
	p.types("\x1b[B") // down
	p.sees(reversed+" 3  Failed again: rename the login page", "q quit")
	p.types("\x1bOA\x1b[1;5A\x1b[A") // up three times, once with Ctrl
	p.sees(reversed + " 1  Failed again: add a restart")
	p.sees(reversed+" 1  Failed again: add a restart", "q quit")
	p.types(" ")
	p.sees("Where else can this happen", "q quit")
	p.types("jn")
	p.sees("Will not be asked again: 또 실패함: 내보내기에 BOM을 넣어줘", "q quit")
	p.types("l") // what is below comes up
	p.sees(reversed+" 1  Failed again: add a restart", "q quit")
	p.types("r") // no editor: questions, in a terminal that echoes
	p.sees(leaveScreen, "Title: ")
	p.types("The bot restarts for everybody\r")
	p.sees("Root cause (why it happened): ")
	p.types("No handler looks at the sender\r")
	p.sees("Checklist item 1")
	p.types("\r")
	p.sees("The candidate is not a card yet: The card has no concrete checklist item", "q quit")
	p.types("q")
	p.sees(leaveScreen)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}

	env = append(env, "EDITOR='"+editor+"'")
	cmd = program("", "review")
	p = atTerminal(t, cmd)
	p.sees(reversed+" 1  Failed again: add a restart", " 2  Failed again: rename the login page", "q quit") // what was left for later is back
	p.types("r")                                                                                            // a title first, then the editor
	p.sees(leaveScreen, "Title: ")
	p.types("The bot restarts for everybody\r")
	p.sees(enterScreen, reversed+" 1  Failed again: rename the login page", "Recorded: lessons/the-bot-restarts-for-everybody.md", "q quit")
	p.types("\x03")
	p.sees(leaveScreen, "Recorded: lessons/")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	card, err := os.ReadFile(filepath.Join(dir, "work", ".brain", "lessons", "the-bot-restarts-for-everybody.md"))
	if err != nil || !strings.Contains(string(card), "- [ ] The flag is read before the restart") || strings.Contains(string(card), "status: draft") {
		t.Errorf("%v, %s", err, card)
	}

	env = append(env, "TERM=dumb")
	cmd = program("", "review")
	p = atTerminal(t, cmd)
	p.sees("1. Failed again: rename the login page", "[1/1] r record", "or a number: ")
	p.types("q\r")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}
