package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"handrail/lessons"
	"handrail/lessons/find"
	"handrail/server"
	"handrail/server/daemon"
	"handrail/server/hook"
	"handrail/server/lsp"
	"handrail/server/relay"
)

// gcPercent keeps the memory of a process that nobody looks at closer to what it holds, at
// the price of a millisecond of collection now and then.
const gcPercent = 50

func (a *app) daemonCommand() *cobra.Command {
	var idle time.Duration
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Own one brain's index and state for every editor and agent",
		Long: `Own one brain's index and state for every editor and agent of this user. They start it, and
it ends by itself.`,
		Hidden: true,
		Args:   args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			brain, err := a.findBrain()
			if err != nil {
				return err
			}
			if idle <= 0 {
				return usageError{say(textFlagValue, "--idle", idle.String())}
			}
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(gcPercent)
			}
			cfg := daemonConfig(brain)
			cfg.Idle = idle
			cfg.Report, _ = a.stdout.(io.WriteCloser)
			log, err := daemon.OpenLog(cfg)
			if err != nil {
				return err
			}
			defer log.Close() //nolint:errcheck // nobody is left to be told
			if err := debug.SetCrashOutput(log.File(), debug.CrashOptions{}); err != nil {
				return fmt.Errorf("keep the last words of a crash: %w", err)
			}
			cfg.Log = slog.New(slog.NewTextHandler(log, nil))
			cfg.Hook = answerEvent(cfg.Log)
			err = daemon.Serve(cmd.Context(), cfg)
			if errors.Is(err, daemon.ErrRunning) {
				return say(textRunning)
			}
			return err
		},
	}
	cmd.Flags().DurationVar(&idle, "idle", daemon.DefaultIdle, "how long to wait without clients before ending")
	freeText(cmd, "idle")
	return cmd
}

// daemonConfig says how the daemon of a brain is found by this program.
func daemonConfig(brain string) daemon.Config {
	return daemon.Config{Brain: brain, Build: build()}
}

// answerEvent answers an event that the relay of a hook handed over.
func answerEvent(log *slog.Logger) daemon.Hook {
	known := programs{own: build().Time}
	return func(ctx context.Context, s *server.Server, raw json.RawMessage) (json.RawMessage, error) {
		var e relay.Event
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, fmt.Errorf("read the event: %w", err)
		}
		if known.newer(e.Program) {
			return json.Marshal(relay.Reply{Elsewhere: true}) // it takes this daemon's place first
		}
		ctx, cancel := context.WithTimeout(ctx, e.Within)
		defer cancel()
		getenv := func(name string) string { return e.Env[name] }
		lookup := func(name string) (string, bool) { v, ok := e.Env[name]; return v, ok }
		elsewhere := errors.New("another brain's")
		out, err := hook.Answer(ctx, e.Payload, hook.Config{
			Host: e.Host, Event: e.Name, Guard: e.Guard, Getenv: getenv, Locale: server.LocaleOf(languageOf(getenv)), Log: log,
			Connect: func(ctx context.Context, dir string) (hook.Loop, string, error) {
				// The client found this brain for the folder of its payload; the event itself may
				// name another one.
				if e.Brain == "" {
					if brain, ok := find.Brain(dir); !ok || !sameFolder(brain, s.Brain().Root()) {
						return nil, "", elsewhere
					}
				}
				s.SetExtras(server.ExtraSettings{Environment: extras(lookup)})
				awaitReady(ctx, s.Ready())
				return s, projectIn(dir, getenv), nil
			},
		})
		r := relay.Reply{Out: string(out)}
		switch {
		case errors.Is(err, elsewhere):
			r.Elsewhere = true
		case ctx.Err() != nil:
			return nil, ctx.Err() // nobody waits any more
		case err != nil:
			r.Wrong = err.Error()
		}
		return json.Marshal(r)
	}
}

func sameFolder(a, b string) bool {
	x, xerr := os.Stat(a)
	y, yerr := os.Stat(b)
	return xerr == nil && yerr == nil && os.SameFile(x, y)
}

// shared gives an editor or an agent the loop that all of the user's editors and agents
// share, or one of its own where that cannot be had.
func shared(ctx context.Context, cfg server.Config) (loop, error) {
	dcfg := daemonConfig(cfg.Brain)
	cfg.Embeddings.Environment, cfg.Extras.Environment = embeddings(os.LookupEnv), extras(os.LookupEnv)
	dcfg.Workspaces, dcfg.Log, dcfg.Embeddings, dcfg.Extras = cfg.Workspaces, cfg.Log, cfg.Embeddings, cfg.Extras
	exe, err := os.Executable()
	if err == nil {
		dcfg.Start = []string{exe, "daemon"}
		var c *daemon.Client
		if c, err = daemon.Connect(ctx, dcfg); err == nil {
			return c, nil
		}
	}
	if errors.Is(err, lessons.ErrNoBrain) || errors.Is(err, lessons.ErrNotAFolder) {
		return nil, err
	}
	cfg.Log.Warn("no daemon; this process works alone", "err", err)
	return alone(ctx, cfg)
}

// alone gives a process a loop of its own.
func alone(ctx context.Context, cfg server.Config) (loop, error) {
	cfg.Embeddings.Environment, cfg.Extras.Environment = embeddings(os.LookupEnv), extras(os.LookupEnv)
	s, err := server.New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// loop is what a command asks: the daemon, if one runs, so that every window hears of it,
// else a Server of this process.
type loop interface {
	lsp.Loop
	Rank(context.Context, server.RetrieveRequest) ([]server.Hit, error)
	Touch(context.Context, server.TouchRequest) (server.Touch, error)
	Guard(context.Context, server.GuardRequest) (server.Guarded, error)
	Digest(context.Context, server.DigestRequest) (server.Digest, error)
	Heads(context.Context, server.HeadsRequest) (server.Heads, error)
	Diagnoser() func(path string, src []byte) []lessons.Problem
}

// open opens the brain for one command. None starts a daemon: it would outlive the command
// for nobody's use.
func (a *app) open(ctx context.Context, cfg server.Config) (loop, error) {
	brain, err := a.findBrain()
	if err != nil {
		return nil, err
	}
	cfg.Embeddings.Environment, cfg.Extras.Environment = embeddings(os.LookupEnv), extras(os.LookupEnv)
	dcfg := daemonConfig(brain)
	dcfg.Embeddings, dcfg.Extras = cfg.Embeddings, cfg.Extras
	if c, err := daemon.Connect(ctx, dcfg); err == nil {
		return c, nil
	}
	cfg.Brain = brain
	s, err := server.New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return s, nil
}
