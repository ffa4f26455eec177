// Package relay answers a hook before the program has begun. A hook is a process of a few
// milliseconds, two for every tool that an agent uses, and most of them went into the
// initialisation of packages that it never calls. Where a daemon runs it knows everything
// there is to say, so the relay only hands it the event and prints its answer.
//
// Go initialises packages in the order of their import paths, as soon as those that they
// import are ready; the language promises it. This one imports little, not even the net
// package, and so comes before nearly all others. It does its work while it is initialised
// and ends the process there. Nothing depends on the order but the time: whatever the
// relay cannot do at once (there is no daemon, it is older, the call has other flags, the
// payload is large or strange) it leaves to the command, which does the same at length.
//
// Start reading with pass.
package relay

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"handrail/lessons/where"
	"handrail/server/daemon/socket"
)

const (
	// Within is how long a host waits for us at most: less than a person notices between a
	// prompt and the first word.
	Within = 300 * time.Millisecond
	// maxPayload is what the relay hands on. Larger ones take the command longer to read
	// than to begin.
	maxPayload = 256 << 10
	// Method is the daemon's name for an Event.
	Method = "hook"
)

// Event is a hook's event on its way to the daemon.
type Event struct {
	Host    string            `json:"host,omitempty"`
	Name    string            `json:"name,omitempty"`
	Guard   bool              `json:"guard,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Brain   string            `json:"brain,omitempty"`   // when it was named, whatever folder the event is from
	Program string            `json:"program,omitempty"` // file; one of a newer build is not answered
	Within  time.Duration     `json:"within"`            // that is left to answer
	Payload json.RawMessage   `json:"payload"`
}

// Reply is what the daemon makes of it.
type Reply struct {
	Out       string `json:"out,omitempty"`       // to be printed
	Elsewhere bool   `json:"elsewhere,omitempty"` // it is not this daemon's to answer: nothing was done
	Wrong     string `json:"wrong,omitempty"`     // for the log of hooks
}

// Env names the variables of a hook's environment that count.
func Env() []string {
	return []string{"COPILOT_HOOK_DIR", "CURSOR_VERSION", "GEMINI_SESSION_ID", "HANDRAIL_DIGEST", "HANDRAIL_EPISODES", "HANDRAIL_HINTS", "HANDRAIL_HOLD_OUT", "HANDRAIL_OVERVIEW", "HANDRAIL_PROJECT", "LC_ALL", "LC_MESSAGES", "LANG"}
}

var errLate = errors.New("no answer in time")

// passed is what the relay leaves to the command.
var passed = pass()

type rest struct {
	began time.Time // zero: the relay had nothing to do
	stdin io.Reader // what there is to read; nil: all of standard input
	err   error     // the event was handed over, and this went wrong
}

// Stdin is standard input, what the relay has read of it included.
func Stdin() io.Reader {
	if passed.stdin != nil {
		return passed.stdin
	}
	return os.Stdin
}

// Began is when the process began to answer an event, as far as the relay knows.
func Began() time.Time {
	if passed.began.IsZero() {
		return time.Now()
	}
	return passed.began
}

// Err says what went wrong with an event that is not to be answered any more.
func Err() error { return passed.err }

// pass hands an event to the daemon, prints the answer and ends the process, or returns
// what is left to do.
func pass() (r rest) {
	if len(os.Args) < 2 || os.Args[1] != "hook" {
		return rest{}
	}
	c, ok := parse(os.Args[2:])
	if !ok {
		return rest{}
	}
	r.began = time.Now()
	c.until = r.began.Add(c.within)

	payload := make(chan []byte, 1)
	var failed error
	go func() {
		var raw []byte
		raw, failed = io.ReadAll(io.LimitReader(os.Stdin, maxPayload+1))
		payload <- raw
	}()
	late := time.NewTimer(c.within)
	defer late.Stop()
	select {
	case raw := <-payload:
		r.stdin = bytes.NewReader(raw)
		if failed != nil || len(raw) > maxPayload {
			r.stdin = io.MultiReader(r.stdin, os.Stdin)
			return r
		}
		out, done, err := c.answer(raw)
		if r.err = err; err != nil || !done {
			return r
		}
		_, _ = os.Stdout.WriteString(out) // a host that has gone needs no answer
		os.Exit(0)                        //nolint:forbidigo // before main there is nobody to return to
	case <-late.C: // a host that does not close its end
		r.err = errLate
	}
	return r
}

// call is a hook's command line.
type call struct {
	host, event string
	guard       bool
	within      time.Duration
	until       time.Time
}

// parse reads the arguments that hooks are registered with; others are the command's.
func parse(args []string) (c call, ok bool) {
	c.within = Within
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if args[i] == "--guard" {
			c.guard = true
			continue
		}
		if !strings.HasPrefix(name, "-") {
			if c.event != "" {
				return c, false
			}
			c.event = args[i]
			continue
		}
		if !joined {
			if i++; i == len(args) {
				return c, false
			}
			value = args[i]
		}
		switch name {
		case "--host":
			c.host = value
		case "--within":
			d, err := time.ParseDuration(value)
			if err != nil {
				return c, false
			}
			c.within = d
		default:
			return c, false
		}
	}
	return c, true
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
	}
	if json.Unmarshal(raw, &p) != nil {
		return "", false, nil
	}
	if p.Dir == "" && len(p.Folders) > 0 {
		p.Dir = p.Folders[0]
	}
	if !filepath.IsAbs(p.Dir) {
		return "", false, nil
	}
	named := os.Getenv("HANDRAIL_BRAIN")
	brain := named
	if brain == "" {
		var ok bool
		if brain, ok = where.Brain(p.Dir); !ok {
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
	exe, err := os.Executable()
	if err != nil {
		return "", false, nil //nolint:nilerr // the same
	}
	e := Event{Program: exe, Within: time.Until(c.until), Host: c.host, Name: c.event, Guard: c.guard, Brain: named, Env: map[string]string{}, Payload: raw}
	for _, name := range Env() {
		if v := os.Getenv(name); v != "" {
			e.Env[name] = v
		}
	}
	r, err := ask(place.Socket(), e, c.until)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", false, errLate
	case err != nil || r.Elsewhere:
		return "", false, nil //nolint:nilerr // nobody is there, or nobody for this event
	case r.Wrong != "":
		return "", false, errors.New(r.Wrong)
	}
	return r.Out, true, nil
}
