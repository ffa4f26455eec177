package main

import (
	"cmp"
	"context"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"handrail/server"
	"handrail/server/mcp"
)

func (a *app) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "mcp",
		Hidden: true, // for hosts
		Short:  "Serve one agent over the Model Context Protocol on stdin and stdout",
		Long: `Serve one agent over the Model Context Protocol on stdin and stdout: tools to get the
lessons for a request, to check an answer and to draft a card. Each call looks for the
brain if there is none yet: where the program was started, then in the agent's roots.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
			if a.inside != nil {
				return a.serveMCP(cmd.Context(), a.in, a.stdout, log, a.mcpInside)
			}
			return mcp.Relay(cmd.Context(), a.in, a.stdout, mcp.Ends{
				Find: func(folders []string) (string, error) {
					brain, err := a.findBrain(folders...)
					if err == nil {
						err = opens(brain) // one that is named need not be there
					}
					return brain, err
				},
				Daemon: func(ctx context.Context, folders []string, in io.Reader, out io.Writer) (bool, error) {
					brain, err := a.findBrain(folders...)
					if err != nil {
						return false, err
					}
					c := stream{in: in, out: out, err: a.err, log: log}
					if len(folders) > 0 {
						c.dir = folders[0]
					}
					ran, _, err := a.inDaemon(ctx, brain, true, c)
					return ran, err
				},
				Here: func(ctx context.Context, in io.Reader, out io.Writer, open mcp.Open) error {
					return a.serveMCP(ctx, in, out, log, open)
				},
				Alone: func(ctx context.Context, folders []string) (mcp.Loop, error) { return a.mcpAlone(ctx, folders, log) },
				Lost:  a.locale().Explain(server.ErrUncertain),
				Log:   log,
			})
		},
	}
}

func (a *app) serveMCP(ctx context.Context, in io.Reader, out io.Writer, log *slog.Logger, open mcp.Open) error {
	closer, ok := in.(io.ReadCloser)
	if !ok {
		closer = io.NopCloser(in)
	}
	return mcp.Serve(ctx, mcp.Config{In: closer, Out: out, Locale: a.locale(), Version: versionText(), Log: log, Open: open})
}

// mcpInside gives a session the daemon's server. The relay has found it, by whichever folder.
func (a *app) mcpInside(context.Context, []string) (mcp.Loop, error) {
	s, err := a.borrow(a.inside.Server.Brain().Root())
	if err != nil {
		return nil, err
	}
	return inProject{s, a.projectOf(a.inside.Dir), func() error { return nil }}, nil
}

// mcpAlone gives a session a server of its own.
func (a *app) mcpAlone(ctx context.Context, folders []string, log *slog.Logger) (mcp.Loop, error) {
	brain, err := a.findBrain(folders...)
	if err != nil {
		return nil, err
	}
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	if len(folders) > 0 {
		dir = folders[0]
	}
	s, err := a.alone(ctx, server.Config{Brain: brain, Watch: true, Log: log})
	if err != nil {
		return nil, err
	}
	return inProject{s, a.projectOf(dir), s.Close}, nil
}

// inProject is a loop that keeps the cards of other projects out of requests which name none.
type inProject struct {
	*server.Server
	project string
	end     func() error
}

func (l inProject) Close() error { return l.end() }

func (l inProject) Preflight(ctx context.Context, r server.PreflightRequest) (server.Preflight, error) {
	r.Project = cmp.Or(r.Project, l.project)
	return l.Server.Preflight(ctx, r)
}

func (l inProject) Heads(ctx context.Context, r server.HeadsRequest) (server.Heads, error) {
	r.Project = l.project
	return l.Server.Heads(ctx, r)
}

func (l inProject) Why(ctx context.Context, r server.WhyRequest) (server.Explanation, error) {
	r.Project = cmp.Or(r.Project, l.project)
	return l.Server.Why(ctx, r)
}
