package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"handrail/lessons/find"
	"handrail/server"
	"handrail/server/hook"
	"handrail/server/relay"
)

const (
	// hookClose is how long the process may then take to save what it must remember.
	hookClose = 2 * time.Second
	// maxHookInput bounds a payload. Hosts hand over whole tool results.
	maxHookInput = 8 << 20
)

func (a *app) hookCommand() *cobra.Command {
	var host string
	var guard bool
	var within time.Duration
	var until int64
	cmd := &cobra.Command{
		Use:   "hook [EVENT]",
		Short: "Answer one event of an agent's hooks: JSON in, at most one JSON object out",
		Long: `Hook is what agents call ("handrail agents install" registers it). It reads the host's JSON
from standard input and prints the lessons for a prompt, the card for a file or an error, or
the check of an answer. The exit status is always 0. If the time is up it prints nothing.
Errors go to hook.log in the state folder.`,
		Example: `  handrail hook <payload.json
  handrail hook --host claude UserPromptSubmit <payload.json`,
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		ValidArgsFunction:  cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			event := ""
			if len(args) > 0 {
				event = args[0]
			}
			end := time.Now().Add(within)
			if until != 0 {
				end = time.UnixMilli(until)
			}
			a.hook(cmd.Context(), hook.Config{Host: host, Event: event, Guard: guard}, end)
			return nil
		},
	}
	cmd.Flags().StringVar(&host, "host", "", "the host's `name` (default: from the payload)")
	cmd.Flags().BoolVar(&guard, "guard", false, "ask or refuse before a guarded card's check is broken")
	cmd.Flags().DurationVar(&within, "within", relay.Within, "print nothing after this `time`")
	cmd.Flags().Int64Var(&until, relay.Until, 0, "")
	_ = cmd.Flags().MarkHidden(relay.Until) // it is there
	complete(cmd, "host", cobra.FixedCompletions(hook.Hosts(), cobra.ShellCompDirectiveNoFileComp))
	freeText(cmd, "within")
	return cmd
}

// hook answers one event. Nothing that goes wrong is the host's concern.
func (a *app) hook(ctx context.Context, cfg hook.Config, until time.Time) {
	began := time.Now()
	log, done := relay.Log()
	defer done()
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()

	answer := make(chan []byte, 1)
	saved := make(chan struct{})
	go func() {
		defer close(saved)
		var connected io.Closer
		defer func() {
			if r := recover(); r != nil {
				log.Error("hook failed", "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			}
			close(answer)
			if connected != nil {
				if err := connected.Close(); err != nil {
					log.Warn("state not saved", "err", err)
				}
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
		cfg.Getenv, cfg.Locale, cfg.Log = os.Getenv, a.locale(), log
		cfg.Connect = func(ctx context.Context, dir string) (hook.Loop, string, error) {
			loop, project, closer, err := a.connect(ctx, dir, log)
			connected = closer
			return loop, project, err
		}
		out, err := hook.Answer(ctx, raw, cfg)
		if err != nil {
			log.Warn("nothing to say", "err", err, "bytes", len(raw))
			return
		}
		answer <- out
	}()

	select {
	case out := <-answer:
		if ctx.Err() == nil {
			_, _ = a.out.Write(out) // a host that has gone needs no answer
		}
	case <-ctx.Done():
		log.Warn("no answer in time", "ms", time.Since(began).Milliseconds())
		return
	}
	select {
	case <-saved:
	case <-time.After(hookClose):
		log.Warn("state perhaps not saved")
	}
}

// connect opens the loop over the brain that a folder belongs to, and names the project.
// It is the one place that says how a short command reaches the loop.
func (a *app) connect(ctx context.Context, dir string, log *slog.Logger) (hook.Loop, string, io.Closer, error) {
	brain, err := a.findBrain(dir)
	if err != nil {
		return nil, "", nil, err
	}
	s, err := shared(ctx, server.Config{Brain: brain, Log: log})
	if err != nil {
		return nil, "", nil, err
	}
	awaitReady(ctx, s.Ready())
	if !s.Owner() {
		return forgetful{s}, projectOf(dir), s, nil
	}
	return s, projectOf(dir), s, nil
}

// awaitReady waits for an index to catch up, for half of the time that is left: then what it
// knew when it was closed has to do, or what the files say.
func awaitReady(ctx context.Context, ready <-chan struct{}) {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(relay.Within)
	}
	half := time.NewTimer(time.Until(deadline) / 2)
	defer half.Stop()
	select {
	case <-ready:
	case <-half.C:
	case <-ctx.Done():
	}
}

// forgetful is a loop that remembers nothing after this process. It hands over no card at
// an action: it would be the same one at every action.
type forgetful struct{ loop }

func (forgetful) Touch(context.Context, server.TouchRequest) (server.Touch, error) {
	return server.Touch{}, nil
}

// Heads tells none, which would be the same ones at every prompt.
func (forgetful) Heads(context.Context, server.HeadsRequest) (server.Heads, error) {
	return server.Heads{}, nil
}

// Guard wants nothing: what neither keeps nor follows the brain is no ground to stop anybody on.
func (forgetful) Guard(context.Context, server.GuardRequest) (server.Guarded, error) {
	return server.Guarded{}, nil
}

// projectOf names the project a folder belongs to.
func projectOf(dir string) string { return projectIn(dir, os.Getenv) }

// projectIn does so in an environment.
func projectIn(dir string, getenv func(string) string) string {
	if name := getenv("HANDRAIL_PROJECT"); name != "" {
		return name
	}
	return find.Project(dir)
}
