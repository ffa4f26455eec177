package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/daemon"
	"github.com/handrail-dev/handrail/server/relay"
)

// gcPercent keeps the memory of a process that nobody looks at closer to what it holds, at
// the price of a millisecond of collection now and then.
const gcPercent = 50

// exitElsewhere is the exit status of a command that its daemon cannot carry out: it is
// about another brain. The caller sees to it itself.
const exitElsewhere = 75

// errDone says that nothing is left to do, as where a daemon carried the command out. The status is the app's.
var errDone = errors.New("it is done")

func (a *app) daemonCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "daemon",
		Short: "Own one brain's index and state for every editor and agent",
		Long: `Own one brain's index and state for every editor and agent of this user. They start it, and
it ends by itself.`,
		Hidden: true,
		Args:   args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			folder, err := a.findBrain()
			if err != nil {
				return err
			}
			signal.Ignore(syscall.SIGPIPE) // whoever started it may be gone when it says that it serves
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(gcPercent)
			}
			cfg := daemonConfig(folder)
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
			cfg.Program = func(ctx context.Context, p daemon.Process) int {
				return execute(ctx, call{args: p.Args, inside: &p}, p.In, p.Out, p.Err)
			}
			err = daemon.Serve(cmd.Context(), cfg)
			if errors.Is(err, daemon.ErrRunning) {
				return say(text{"A daemon serves this brain already.", "이 brain을 맡은 데몬이 이미 있습니다."})
			}
			return err
		},
	}
}

// daemonConfig says how the daemon of a brain is found, and started, by this program.
func daemonConfig(folder string) daemon.Config {
	cfg := daemon.Config{Brain: folder, Build: build()}
	if exe, err := os.Executable(); err == nil { // else one that runs has to do
		cfg.Start = []string{exe, "daemon"}
	}
	return cfg
}

// inDaemon has the daemon of a brain carry this very command out, and returns its status.
// With start it starts one that is missing. ran is false where there is no daemon to be had.
func (a *app) inDaemon(ctx context.Context, folder string, start bool, c stream) (ran bool, status int, err error) {
	cfg := daemonConfig(folder)
	cfg.Log, cfg.Find, cfg.Haste = c.log, !start, c.event != ""
	dir, err := a.workDir()
	if err != nil {
		return false, 0, err
	}
	if c.dir != "" {
		dir = c.dir
	}
	conn, err := daemon.Connect(ctx, cfg, daemon.Run{Args: slices.Concat(a.args, c.after), Dir: dir, Env: append(relay.Environment(), os.Environ()...), Event: c.event})
	if err != nil {
		return false, 0, err
	}
	status, err = conn.Pipe(ctx, c.in, c.out, c.err)
	if errors.Is(err, daemon.ErrLost) {
		err = fmt.Errorf("%w: %w", brain.ErrUncertain, err)
	}
	return true, status, err
}

// stream is how a command in a daemon is called beside its own arguments.
type stream struct {
	in       io.Reader
	out, err io.Writer
	log      *slog.Logger
	after    []string // the command's own arguments
	dir      string   // working folder, "" for this process's
	event    string   // name of a hook's event
}

// open opens the brain for one command. A daemon that runs carries the command out, so that every window hears of it:
// errDone says so. None is started: it would outlive the command for nobody's use.
func (a *app) open(ctx context.Context, cfg brain.Config) (*server.Server, error) {
	folder, err := a.findBrain()
	if err != nil {
		return nil, err
	}
	if a.inside != nil {
		return a.borrow(folder)
	}
	ran, status, err := a.inDaemon(ctx, folder, false, stream{in: a.in, out: a.out, err: a.err})
	if ran {
		a.status = status
		if err == nil && status != exitElsewhere {
			return nil, errDone
		}
		if err != nil {
			return nil, err
		}
	}
	cfg.Brain = folder
	s, err := a.alone(ctx, cfg)
	if err == nil {
		a.ends = append(a.ends, s.Close)
	}
	return s, err
}

// borrow returns the daemon's server, told what this command's environment says.
func (a *app) borrow(folder string) (*server.Server, error) {
	s := a.inside.Server
	if !find.SameFile(folder, s.Brain().Root()) {
		a.status = exitElsewhere
		return nil, errDone
	}
	s.Embed(embeddings(a.lookup))
	if extra := extras(a.lookup); extra != nil {
		s.SetExtras(brain.ExtraSettings{Environment: extra})
	}
	return s, nil
}

// alone gives this process a server of its own.
func (a *app) alone(ctx context.Context, cfg brain.Config) (*server.Server, error) {
	cfg.Embeddings, cfg.Extras.Environment = cmp.Or(cfg.Embeddings, embeddings(a.lookup)), extras(a.lookup)
	return server.New(ctx, cfg)
}

// noBrain reports whether an error is about the brain itself: no daemon, and nobody else, can serve it.
func noBrain(err error) bool {
	return errors.Is(err, lessons.ErrNoBrain) || errors.Is(err, lessons.ErrNotAFolder)
}

// opens returns why a brain cannot be opened.
func opens(folder string) error {
	b, err := lessons.OpenBrain(folder)
	if err != nil {
		return err
	}
	return b.Close()
}
