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

	"handrail/lessons"
	"handrail/server"
	"handrail/server/daemon"
	"handrail/server/lsp"
)

func (a *app) daemonCommand() *cobra.Command {
	var idle time.Duration
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Own one brain's index and state for every editor and agent",
		Long: `Own one brain's index and state for every editor and agent of this user. Whoever needs it
starts it; it ends by itself.`,
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

// build says which build this program is. That of a commit is as old as the commit, one of
// changed files as old as the program's file.
func build() daemon.Build {
	b := daemon.Build{Version: versionText()}
	changed := false
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.time":
				b.Time, _ = time.Parse(time.RFC3339, s.Value) // none, then the file says
			case "vcs.modified":
				changed = s.Value == "true"
			}
		}
	}
	if !changed && !b.Time.IsZero() {
		return b
	}
	if exe, err := os.Executable(); err == nil {
		if info, err := os.Stat(exe); err == nil {
			b.Time = info.ModTime().UTC()
		}
	}
	return b
}

// shared gives an editor or an agent the loop that all of the user's editors and agents
// share, or one of its own where that cannot be had.
func shared(ctx context.Context, cfg server.Config) (loop, error) {
	dcfg := daemonConfig(cfg.Brain)
	dcfg.Workspaces, dcfg.Log = cfg.Workspaces, cfg.Log
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
	Digest(context.Context, server.DigestRequest) (server.Digest, error)
	Consolidate(context.Context) (server.Consolidation, error)
	Retract(context.Context, server.RetractRequest) ([]string, error)
	Relate(context.Context) (server.Related, error)
	Overview(context.Context) (changed bool, err error)
	Diagnoser() func(path string, src []byte) []lessons.Problem
}

// open opens the brain for one command. None starts a daemon: it would outlive the command
// for nobody's use.
func (a *app) open(ctx context.Context, cfg server.Config) (loop, error) {
	brain, err := a.findBrain()
	if err != nil {
		return nil, err
	}
	if c, err := daemon.Connect(ctx, daemonConfig(brain)); err == nil {
		return c, nil
	}
	cfg.Brain = brain
	s, err := server.New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return s, nil
}
