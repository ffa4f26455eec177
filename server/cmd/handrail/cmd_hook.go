package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/daemon"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/hook"
	"github.com/handrail-dev/handrail/server/judge"
	"github.com/handrail-dev/handrail/server/relay"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

const (
	// hookClose is how long the process may then take to save what it must remember.
	hookClose = 2 * time.Second
	// maxHookInput bounds a payload. Hosts hand over whole tool results.
	maxHookInput = 8 << 20
)

func (a *app) hookCommand() *cobra.Command {
	var host string
	var guard, late, beside bool
	var event string
	var within time.Duration
	var until int64
	cmd := &cobra.Command{
		Use:    "hook [EVENT]",
		Hidden: true, // for hosts
		Short:  "Answer one event of an agent's hooks: JSON in, at most one JSON object out",
		Long: `Hook is what agents call ("handrail setup" registers it). It reads the host's JSON
from standard input and prints the lessons for a prompt, the card for a file or an error, or
the check of an answer. The exit status is always 0. If the time is up it prints nothing.
Errors go to hook.log in the state folder.`,
		Example: `  handrail hook <payload.json
  handrail hook --host claude UserPromptSubmit <payload.json`,
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg := hook.Config{Host: host, Guard: guard, Late: late, Beside: beside}
			if len(args) > 0 {
				cfg.Event = args[0]
			}
			e := &hookEvent{app: a, until: time.Now().Add(within), event: cmp.Or(event, relay.NewEvent(time.Now())), begun: make(chan func() error, 1)}
			e.timed = until != 0
			if e.timed && !late {
				e.until = time.UnixMilli(until)
			}
			e.answer(cmd.Context(), cfg)
			return nil
		},
	}
	cmd.Flags().StringVar(&host, "host", "", "the host's `name` (default: from the payload)")
	cmd.Flags().BoolVar(&guard, "guard", false, "ask or refuse before a guarded card's check is broken")
	cmd.Flags().DurationVar(&within, "within", relay.Within, "print nothing after this `time`")
	cmd.Flags().Int64Var(&until, relay.Until, 0, "")
	cmd.Flags().StringVar(&event, relay.Event, "", "")
	cmd.Flags().BoolVar(&late, relay.Late, false, "")
	cmd.Flags().BoolVar(&beside, relay.Beside, false, "")
	for _, name := range []string{relay.Until, relay.Event, relay.Late, relay.Beside} {
		_ = cmd.Flags().MarkHidden(name) // it is there
	}
	return cmd
}

// answer answers one event. Nothing that goes wrong is the host's concern. In a daemon the loop hears of the event even
// when its host does not wait any more; without one the event is kept for the next.
func (e *hookEvent) answer(ctx context.Context, cfg hook.Config) {
	began := time.Now()
	log, done := relay.Log(leaks.Keep)
	defer done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	answer := make(chan []byte, 1)
	saved := make(chan struct{})
	a := e.app
	e.log, e.over = log, time.AfterFunc(time.Until(e.until), cancel)
	defer e.over.Stop()
	printed := false
	defer func() { e.deliver(printed) }()
	go func() {
		defer close(saved)
		defer func() {
			if r := recover(); r != nil {
				log.Error("hook failed", "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			}
			close(answer)
			if e.end == nil {
				return
			}
			if err := e.end(); err != nil {
				log.Warn("state not saved", "err", err)
			}
		}()
		raw, err := io.ReadAll(io.LimitReader(a.in, maxHookInput+1))
		if err == nil && len(raw) > maxHookInput {
			_, err = io.Copy(io.Discard, a.in) // a host may mind when nobody reads on
			err = errors.Join(fmt.Errorf("the payload has more than %d bytes", maxHookInput), err)
		}
		if err != nil {
			log.Warn("payload not read", "err", err)
			return
		}
		e.raw = raw
		cfg.Getenv, cfg.Locale, cfg.Log, cfg.Connect, cfg.Seen = a.getenv, a.locale(), log, e.connect, sawHost
		cfg.Delivered = func(receipt func(came bool)) {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.receipts = append(e.receipts, receipt)
		}
		out, err := hook.Answer(ctx, raw, cfg)
		switch {
		case errors.Is(err, errDone):
			out = e.out.Bytes()
		case err != nil:
			log.Warn("nothing to say", "err", errors.Join(err, e.keep()), "bytes", len(raw))
			return
		}
		answer <- out
	}()

	select {
	case out := <-answer:
		if ctx.Err() == nil {
			_, err := a.out.Write(out)
			printed = err == nil // a host that has gone needs no answer
		}
	case <-ctx.Done():
		var err error
		if a.inside == nil { // on a busy machine the time may be over when this process begins, and nothing is known of the event
			select {
			case keep := <-e.begun:
				err = keep()
			case <-saved:
				err = e.keep()
			case <-time.After(relay.Patience):
			}
		}
		log.Warn("no answer in time", "ms", time.Since(began).Milliseconds(), "err", err)
		if a.inside == nil {
			return
		}
	}
	select {
	case <-saved:
	case <-time.After(hookClose):
		log.Warn("state perhaps not saved")
	}
}

// hookEvent is one event on its way to the loop of its brain.
type hookEvent struct {
	*app
	raw   []byte
	event string // its name
	until time.Time
	timed bool        // by the program that called this one
	over  *time.Timer // ends the wait then
	log   *slog.Logger
	out   bytes.Buffer // what a daemon answered
	end   func() error
	begun chan func() error // once the brain is known, and no daemon has the event for sure: keeps it for later

	mu       sync.Mutex        // guards receipts: an answer may come too late
	receipts []func(came bool) // are to be told whether the answer came to the host
}

// deliver tells those who asked whether the answer was printed and, where a daemon prints it for another process, came there.
func (e *hookEvent) deliver(printed bool) {
	e.mu.Lock()
	list := e.receipts
	e.mu.Unlock()
	tell := func(came bool) {
		for _, receipt := range list {
			receipt(printed && came)
		}
	}
	if e.inside != nil && e.inside.Delivered != nil && len(list) > 0 {
		e.inside.Delivered(tell)
		return
	}
	tell(true)
}

// wait moves the end of the wait.
func (e *hookEvent) wait(until time.Time) {
	if e.over.Stop() {
		e.until = until
		e.over.Reset(time.Until(until))
	}
}

// keep keeps the event for the next daemon, where it is a brain's at all.
func (e *hookEvent) keep() error {
	select {
	case keep := <-e.begun:
		return keep()
	default:
		return nil
	}
}

// connect opens the loop of the brain that a folder belongs to, and names the project. Where
// that brain's daemon can be had it answers the whole event: errDone says so.
func (e *hookEvent) connect(ctx context.Context, dir string, begins bool) (hook.Loop, string, error) {
	folder, err := e.findBrain(dir)
	if err != nil {
		return nil, "", err
	}
	if begins && !e.timed {
		e.wait(e.until.Add(relay.Start - relay.Within))
	}
	if e.inside != nil {
		s, err := e.borrow(folder)
		if err != nil {
			return nil, "", err
		}
		share := time.Duration(2) // of the time, for the index alone
		if begins {
			share = 1
		}
		e.awaitReady(ctx, s.Ready(), share)
		s.CatchUp(ctx)
		return s, e.projectOf(dir), nil
	}
	e.begun <- func() error {
		return daemon.Keep(daemonConfig(folder), daemon.Run{Args: e.args, Dir: dir, Env: relay.Environment(), Event: e.event}, e.raw)
	}
	until := "--" + relay.Until + "=" + strconv.FormatInt(e.until.UnixMilli(), 10)
	to := stream{in: bytes.NewReader(e.raw), out: &e.out, err: io.Discard, log: e.log, after: []string{until}, dir: dir, event: e.event}
	ran, _, err := e.inDaemon(ctx, folder, true, to)
	if ran {
		return nil, "", cmp.Or(err, errDone)
	}
	if noBrain(err) {
		return nil, "", err
	}
	if begins { // there is no daemon to wait for
		e.wait(e.until.Add(relay.Within - relay.Start))
	}
	beside := errors.Is(err, daemon.ErrBeyond) || errors.Is(err, daemon.ErrOwned)
	if beside {
		err = errors.Join(err, e.keep()) // the owner hears of it
	}
	e.log.Warn("no daemon; this process works alone", "err", err)
	s, err := e.alone(ctx, brain.Config{Brain: folder, Beside: beside, Log: e.log})
	if err != nil {
		return nil, "", err
	}
	e.end = s.Close
	if !s.Owner() {
		return forgetful{s, e}, e.projectOf(dir), nil
	}
	e.awaitReady(ctx, s.Ready(), 2)
	return s, e.projectOf(dir), nil
}

// awaitReady waits for an index to catch up, for a share of the time that is left: then what it
// knew when it was closed has to do, or what the files say.
func (e *hookEvent) awaitReady(ctx context.Context, ready <-chan struct{}, share time.Duration) {
	select {
	case <-ready:
	case <-time.After((time.Until(e.until) - answerTakes) / share):
	case <-ctx.Done():
	}
}

// answerTakes is what an answer takes from a loop that is ready, on a busy machine.
const answerTakes = 20 * time.Millisecond

// forgetful is a loop that remembers nothing after this process. It hands over no card at
// an action: it would be the same one at every action.
type forgetful struct {
	*server.Server
	e *hookEvent
}

// Preflight answers from the files, which are read for it alone.
func (f forgetful) Preflight(ctx context.Context, r deliver.PreflightRequest) (deliver.Preflight, error) {
	f.e.awaitReady(ctx, f.Ready(), 1)
	return f.Server.Preflight(ctx, r)
}

func (forgetful) Touch(context.Context, deliver.TouchRequest) (deliver.Touch, error) {
	return deliver.Touch{}, nil
}

// Heads tells them where a conversation begins: later it would be the same ones at every prompt.
func (f forgetful) Heads(ctx context.Context, r deliver.HeadsRequest) (deliver.Heads, error) {
	if !r.Begins {
		return deliver.Heads{}, nil
	}
	f.e.awaitReady(ctx, f.Ready(), 1)
	return f.Server.Heads(ctx, r)
}

// Guard wants nothing: what neither keeps nor follows the brain is no ground to stop anybody on.
func (forgetful) Guard(context.Context, judge.GuardRequest) (judge.Guarded, error) {
	return judge.Guarded{}, nil
}
