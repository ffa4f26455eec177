package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/textproto"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/handrail-dev/handrail/server/agents"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/testdata/home"
)

var update = flag.Bool("update", false, "rewrite what the transcripts compare with")

func TestMain(m *testing.M) {
	testscript.Main(withHook{m}, map[string]func(){
		"handrail":   main,
		"bump-times": bumpTimes,
	})
}

// withHook puts handrail-hook beside handrail before the tests run. It is a program of its
// own: the test binary would bring in what it does without.
type withHook struct{ *testing.M }

func (m withHook) Run() int {
	handrail, err := exec.LookPath("handrail")
	if err == nil {
		err = goBuild(agents.Beside(handrail), "github.com/handrail-dev/handrail/server/cmd/handrail-hook")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build handrail-hook:", err)
		return 1
	}
	return home.Run(m.M)
}

// goBuild builds a program, or copies it from the folder HANDRAIL_BUILT, for a system
// that runs tests and has no Go.
func goBuild(file, program string) error {
	if built := os.Getenv("HANDRAIL_BUILT"); built != "" {
		exe, err := os.ReadFile(filepath.Join(built, path.Base(program)+filepath.Ext(file)))
		if err != nil {
			return err
		}
		return os.WriteFile(file, exe, 0o755)
	}
	out, err := exec.Command("go", "build", "-o", file, program).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// TestScripts runs the command line's transcripts, one file a subject.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "../../../testdata/cli",
		UpdateScripts: *update,
		Setup:         isolate,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root": // permission bits do not bind root
				return os.Geteuid() == 0, nil
			case "sockets":
				return sockets(t), nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"demo":   copyDemo,
			"fill":   fill,
			"frame":  frame,
			"git":    gitIn,
			"half":   half,
			"own":    own,
			"repeat": repeat,
			"serve":  serve,
			"shown":  shown,
			"stamp":  stamp,
			"status": status,
		},
	})
}

// sockets reports whether a daemon can have its Unix socket, which Wine 8 lacks.
func sockets(t testing.TB) bool {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err == nil {
		_ = l.Close()
	}
	return err == nil
}

// need skips a test where something is not to be had, as under Wine: "sockets", or a
// program.
func need(t testing.TB, things ...string) {
	t.Helper()
	for _, thing := range things {
		_, err := exec.LookPath(thing)
		if thing == "sockets" && !sockets(t) || thing != "sockets" && err != nil {
			t.Skipf("%s: not to be had here", thing)
		}
	}
}

// quickExit keeps the race detector from waiting a second at the end of every process.
const quickExit = "GORACE=atexit_sleep_ms=20"

// isolate keeps a script from the brain, the language and the side data of whoever runs
// the tests.
func isolate(env *testscript.Env) error {
	for name, value := range map[string]string{
		"HOME": "home", "XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config",
		"XDG_RUNTIME_DIR": "run", "LocalAppData": "cache", "USERPROFILE": "home", // the last two are Windows'
	} {
		env.Setenv(name, filepath.Join(env.WorkDir, value))
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "HANDRAIL_BRAIN"} {
		env.Setenv(name, "")
	}
	env.Setenv("LANG", "en_US.UTF-8")
	env.Vars = append(env.Vars, quickExit)
	if err := os.MkdirAll(filepath.Join(env.WorkDir, "run"), 0o700); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Join(env.WorkDir, ".git"), 0o755) // no brain above it is looked for
}

// copyDemo copies the demo brain: demo FOLDER.
func copyDemo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: demo FOLDER")
	}
	ts.Check(copyBrain(ts.MkAbs(args[0]), ts.Getenv("XDG_STATE_HOME")))
}

// copyBrain copies the demo brain into a new one, which counts as made by whoever has a state folder.
func copyBrain(dir, stateHome string) error {
	if err := brain.MakeBrain(dir, filepath.Join(stateHome, "handrail")); err != nil {
		return err
	}
	return os.CopyFS(dir, os.DirFS("../../../testdata/brains/demo"))
}

// fill puts the script's folder, with slashes, where a file says $WORK: fill FILE….
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: fill FILE...")
	}
	for _, file := range args {
		text := strings.ReplaceAll(ts.ReadFile(file), "$WORK", filepath.ToSlash(ts.Getenv("WORK")))
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o600))
	}
}

// frame turns a file with a JSON-RPC message a line into a language server's input:
// frame FROM TO. $WORK in a message is the script's folder.
func frame(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: frame FROM TO")
	}
	var out bytes.Buffer
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		work := filepath.ToSlash(ts.Getenv("WORK"))
		line = strings.ReplaceAll(strings.TrimSpace(line), "file://$WORK", "file:///"+strings.TrimPrefix(work, "/"))
		line = strings.ReplaceAll(line, "$WORK", work)
		if line != "" {
			fmt.Fprintf(&out, "Content-Length: %d\r\n\r\n%s", len(line), line)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out.Bytes(), 0o600))
}

// half cuts every file below a folder to half its length: half FOLDER.
func half(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: half FOLDER")
	}
	cut := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Size() == 0 {
			return err
		}
		cut++
		return os.Truncate(name, info.Size()/2)
	}))
	if cut == 0 {
		ts.Fatalf("%s holds no file to cut", args[0])
	}
}

// repeat writes a file of one text many times over, between a beginning and an end:
// repeat FILE BEGIN TEXT TIMES END.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 {
		ts.Fatalf("usage: repeat FILE BEGIN TEXT TIMES END")
	}
	n, err := strconv.Atoi(args[3])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[1]+strings.Repeat(args[2], n)+args[4]+"\n"), 0o600))
}

// stamp holds a file's bytes in a variable: stamp NAME FILE.
func stamp(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: stamp NAME FILE")
	}
	ts.Setenv(args[0], fmt.Sprintf("%x", ts.ReadFile(args[1])))
}

// status runs a program that must end with this exit status: status N PROGRAM ARGS…
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N PROGRAM ARGS")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, not %s", got, args[0])
	}
}

// own starts an editor's server that owns a brain's index until the script ends: own
// FOLDER, which holds the brain.
func own(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: own FOLDER")
	}
	self, err := os.Executable()
	ts.Check(err)
	cmd := program(ts, self, args[0], "lsp", "--standalone")
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = in.Close() // a server whose input ends goes
		_ = cmd.Wait()
	})
	send := func(message string) {
		_, err := fmt.Fprintf(in, "Content-Length: %d\r\n\r\n%s", len(message), message)
		ts.Check(err)
	}
	send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"capabilities":{},"rootUri":"file:///%s"}}`, strings.TrimPrefix(filepath.ToSlash(cmd.Dir), "/")))
	send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	send(`{"jsonrpc":"2.0","id":2,"method":"handrail/lessons","params":{}}`)
	for r := bufio.NewReader(out); ; {
		head, err := textproto.NewReader(r).ReadMIMEHeader()
		ts.Check(err)
		n, err := strconv.Atoi(head.Get("Content-Length"))
		ts.Check(err)
		body := make([]byte, n)
		_, err = io.ReadFull(r, body)
		ts.Check(err)
		var reply struct {
			ID     int
			Result json.RawMessage
			Error  json.RawMessage
		}
		ts.Check(json.Unmarshal(body, &reply))
		if reply.ID == 2 && reply.Error != nil {
			ts.Fatalf("the editor's server: %s", reply.Error)
		}
		if reply.ID == 2 && reply.Result != nil {
			go io.Copy(io.Discard, out) // until it ends
			return
		}
	}
}

// program prepares the test binary to run as handrail in a folder of a script.
func program(ts *testscript.TestScript, self, dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(self, args...)
	cmd.Args[0] = "handrail" // by this name the test binary is the program
	cmd.Dir = ts.MkAbs(dir)
	cmd.Env = os.Environ()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "LocalAppData", "USERPROFILE", "LANG"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	return cmd
}

// serve starts a daemon that serves a brain until the script ends: serve FOLDER, which
// holds the brain.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve FOLDER")
	}
	self, err := os.Executable()
	ts.Check(err)
	cmd := program(ts, self, args[0], "daemon")
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "serving\n" {
		ts.Fatalf("the daemon says %q, %v", line, err)
	}
}
