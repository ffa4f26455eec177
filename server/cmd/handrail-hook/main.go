// Command handrail-hook is what agents' hooks call: a process of a few milliseconds, two for
// every tool that an agent uses. It hands the event to the brain's daemon, which knows all
// there is to say, and prints the answer. Whatever it cannot do at once (there is no daemon,
// it is older, the call has other flags, the payload is large or strange) it leaves to
// "handrail hook" with the same arguments and the same standard input.
//
// It ends with status 0 whatever happens, since hosts take a failure for a veto; what went
// wrong stands in hook.log in the state folder. Start reading with run.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"handrail/lessons/find"
	"handrail/server/daemon/socket"
	"handrail/server/relay"
)

// maxPayload is what is handed on. Larger ones take longer to read than the command to begin.
const maxPayload = 256 << 10

const (
	// silent is how long a daemon that did not greet counts as one that hangs, and brief how long
	// such a one is waited for. Its events wait for it or for its successor.
	silent = time.Minute
	brief  = 25 * time.Millisecond
)

var errLate = errors.New("no answer in time")

func main() {
	began := time.Now()
	if err := run(os.Args[1:], began); err != nil {
		log, done := relay.Log(nil)
		defer done()
		log.Warn("nothing to say", "err", err, "ms", time.Since(began).Milliseconds())
	}
}

// run answers one event, or has the command answer it.
func run(args []string, began time.Time) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	c, ok := parse(args)
	if !ok {
		return command(args, os.Stdin)
	}
	c.until, c.event = began.Add(c.within), relay.NewEvent(began)

	type input struct {
		raw []byte
		err error
	}
	read := make(chan input, 1)
	go func() {
		raw, err := io.ReadAll(io.LimitReader(os.Stdin, maxPayload+1))
		read <- input{raw, err}
	}()
	late := time.NewTimer(c.within)
	defer late.Stop()
	var in input
	select {
	case in = <-read:
	case <-late.C: // too late for an answer, not for the loop to hear of it
		late.Reset(relay.Patience)
		select {
		case in = <-read:
		case <-late.C: // a host that does not close its end
			return errLate
		}
	}
	var rest io.Reader = bytes.NewReader(in.raw)
	if in.err != nil || len(in.raw) > maxPayload {
		rest = io.MultiReader(rest, os.Stdin)
	} else if out, done, err := c.answer(in.raw); done || err != nil {
		_, _ = os.Stdout.WriteString(out) // a host that has gone needs no answer
		return err
	}
	return command(append(c.flags(), args...), rest)
}

// program is the file of handrail: beside this program, else on the PATH.
func program() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	beside := filepath.Join(filepath.Dir(self), "handrail"+filepath.Ext(self))
	if _, err := os.Stat(beside); err == nil {
		return beside, nil
	}
	return exec.LookPath("handrail")
}

// command runs "handrail hook", which keeps to its time by itself.
func command(args []string, stdin io.Reader) error {
	exe, err := program()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe, append([]string{"hook"}, args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if stdin == os.Stdin {
		cmd.Stdin = stdin
		return cmd.Run()
	}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { // not waited for: a host may keep its end open
		_, _ = io.Copy(pipe, stdin)
		_ = pipe.Close()
	}()
	return cmd.Wait()
}

// call is a hook's command line.
type call struct {
	args   []string
	within time.Duration
	until  time.Time
	event  string
}

// flags tells "handrail hook" when the time is over, and the event's name.
func (c call) flags() []string {
	return []string{"--" + relay.Until + "=" + strconv.FormatInt(c.until.UnixMilli(), 10), "--" + relay.Event + "=" + c.event}
}

// parse reads the arguments that hooks are registered with; others are the command's.
func parse(args []string) (c call, ok bool) {
	c.args = args
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.String("host", "", "")
	f.Bool("guard", false, "")
	f.DurationVar(&c.within, "within", relay.Within, "")
	err := f.Parse(args)
	return c, err == nil && f.NArg() <= 1
}

// namesFolder reports whether a payload may name a folder beside its own: some agents give
// one to a command.
func namesFolder(raw []byte) bool {
	for _, name := range []string{`workdir"`, `directory"`, `dir_path"`} {
		if bytes.Contains(raw, []byte(name)) {
			return true
		}
	}
	return bytes.Count(raw, []byte(`"cwd"`)) > 1
}

// answer returns what is to be printed. Not done means that the command has to see to it.
func (c call) answer(raw []byte) (out string, done bool, err error) {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	var p struct {
		Dir     string   `json:"cwd"`
		Folders []string `json:"workspace_roots"`
		Roots   []string `json:"workspaceRoots"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return "", false, nil
	}
	if folders := append(p.Folders, p.Roots...); p.Dir == "" && len(folders) > 0 {
		p.Dir = folders[0]
	}
	if !filepath.IsAbs(p.Dir) {
		return "", false, nil
	}
	brain := os.Getenv("HANDRAIL_BRAIN")
	if brain == "" {
		var ok bool
		if brain, ok = find.Brain(p.Dir); !ok {
			return "", !namesFolder(raw), nil
		}
	}
	if brain, err = filepath.Abs(brain); err == nil {
		brain, err = filepath.EvalSymlinks(brain)
	}
	if err != nil {
		return "", false, nil //nolint:nilerr // the command says what is wrong with it
	}
	place, err := socket.Locate(socket.Folders{}, brain, socket.Protocol)
	if err != nil {
		return "", false, nil //nolint:nilerr // the same
	}
	exe, _ := program() // none: nobody could take the daemon's place
	run := socket.Run{Args: append(append([]string{"hook"}, c.flags()...), c.args...), Dir: p.Dir, Env: relay.Environment(), Event: c.event, Program: exe}
	if info, err := os.Stat(place.Silent()); err == nil && time.Since(info.ModTime()) < silent {
		c.until = time.Now().Add(brief)
	}
	answer, err := ask(place, run, raw, c.until)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", false, errors.Join(errLate, place.Keep(socket.Event{Run: run, Payload: raw}))
	case err != nil:
		return "", false, nil //nolint:nilerr // nobody is there, or nobody for this event
	}
	return string(answer), true, nil
}
