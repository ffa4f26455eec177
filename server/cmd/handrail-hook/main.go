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
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/handrail-dev/handrail/server/daemon/socket"
	"github.com/handrail-dev/handrail/server/relay"
)

// maxPayload is what is handed on. Larger ones take longer to read than the command to begin.
const maxPayload = 256 << 10

var errLate = errors.New("no answer in time")

func main() {
	began := time.Now()
	if err := run(os.Args[1:], began); err != nil {
		log, done := relay.Log(strings.Clone)
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
		return command(args, os.Stdin, nil, os.Stdout)
	}
	c.until, c.event = began.Add(c.within), relay.NewEvent(began)
	c.end = c.until

	type input struct {
		raw []byte
		err error
	}
	read := make(chan input, 1)
	go func() {
		raw, err := io.ReadAll(io.LimitReader(os.Stdin, maxPayload+1))
		read <- input{raw, err}
	}()
	var in input
	select {
	case in = <-read:
	case <-time.After(c.within): // too late for an answer, not for the loop to hear of it
		select {
		case in = <-read:
		case <-time.After(relay.Patience): // a host that does not close its end
			return errLate
		}
	}
	var rest io.Reader = bytes.NewReader(in.raw)
	if in.err != nil || len(in.raw) > maxPayload {
		rest = io.MultiReader(rest, os.Stdin)
	} else if to, event, ok := listeners(in.raw); ok {
		if relay.Begins(cmp.Or(event, c.name)) {
			c.end = c.end.Add(relay.Start - relay.Within)
		}
		return c.tell(to, in.raw)
	}
	return command(append(c.flags(listener{}), args...), rest, nil, os.Stdout)
}

// tell tells an event to those who listen, all at once, and prints what they answer.
func (c call) tell(to []listener, raw []byte) error {
	outs, errs := make([]string, len(to)), make([]error, len(to))
	var wg sync.WaitGroup
	for i, l := range to {
		wg.Go(func() {
			var done bool
			outs[i], done, errs[i] = c.answer(l, raw)
			if !done {
				var out strings.Builder
				errs[i] = command(append(c.flags(l), c.args...), bytes.NewReader(raw), l.env, &out)
				outs[i] = out.String()
			}
		})
	}
	wg.Wait()
	_, _ = os.Stdout.WriteString(merge(outs)) // a host that has gone needs no answer
	return errors.Join(errs...)
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

// command runs "handrail hook", which keeps to its time by itself, with more variables than this process has.
func command(args []string, stdin io.Reader, env []string, out io.Writer) error {
	exe, err := program()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe, append([]string{"hook"}, args...)...) //nolint:forbidigo // Handrail itself
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), env...), out, os.Stderr
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
	until  time.Time // for a daemon to greet
	end    time.Time // for the answer
	event  string    // names this very event
	name   string    // of the kind of event, as the host calls it; "" where the payload says so
}

// flags tells "handrail hook" when the time is over, the event's name, and whether another brain asks the person.
func (c call) flags(to listener) []string {
	return []string{
		"--" + relay.Until + "=" + strconv.FormatInt(c.end.UnixMilli(), 10), "--" + relay.Event + "=" + c.event,
		"--" + relay.Beside + "=" + strconv.FormatBool(to.beside),
	}
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
	c.name = f.Arg(0)
	return c, err == nil && f.NArg() <= 1
}

// answer has the daemon of one brain answer the event. Not done means that the command has to see to it.
func (c call) answer(to listener, raw []byte) (out string, done bool, err error) {
	brain, err := filepath.Abs(to.brain)
	if err == nil {
		brain, err = filepath.EvalSymlinks(brain)
	}
	if err != nil {
		return "", false, nil //nolint:nilerr // the command says what is wrong with it
	}
	place, err := socket.Locate(socket.Folders{}, brain, socket.Protocol)
	if err != nil {
		return "", false, nil //nolint:nilerr // the same
	}
	run := socket.Run{
		Args: append(append([]string{"hook"}, c.flags(to)...), c.args...), Dir: to.dir, Env: append(to.env, relay.Environment()...), Event: c.event,
	}
	answer, err := ask(place, run, raw, c.until, c.end)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", true, errors.Join(errLate, place.Keep(socket.Event{Run: run, Payload: raw}))
	case err != nil:
		return "", false, nil //nolint:nilerr // nobody is there, or nobody for this event
	}
	return string(answer), true, nil
}

// exitElsewhere is the status of a daemon's program that leaves the event to this machine's.
const exitElsewhere = 75

var errElsewhere = errors.New("the daemon does not answer this event")

// ask has the daemon of a brain run "handrail hook" with the payload as its input, and
// returns what it printed. It has to greet until then; the answer may take until end.
func ask(place socket.Place, run socket.Run, payload []byte, until, end time.Time) (out []byte, err error) {
	note, _ := place.Owner()
	if note.Protocol != socket.Protocol {
		return nil, errElsewhere
	}
	ctx, cancel := context.WithDeadline(context.Background(), until)
	defer cancel()
	conn, there, err := socket.Dial(ctx, note.Socket, socket.Greeting{Protocol: socket.Protocol, Run: &run})
	if err != nil {
		return nil, err
	}
	if there.Protocol != socket.Protocol {
		return nil, errors.Join(errElsewhere, conn.Close())
	}
	_ = conn.SetDeadline(end) // fails on a closed connection alone
	var said bytes.Buffer
	status, err := conn.Pipe(context.Background(), bytes.NewReader(payload), &said, io.Discard)
	if err == nil && status == exitElsewhere {
		err = errElsewhere
	}
	return said.Bytes(), err
}
