package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"handrail/server"
	"handrail/server/mcp"
)

func (a *app) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve one agent over the Model Context Protocol on stdin and stdout",
		Long: `Serve one agent over the Model Context Protocol on stdin and stdout: tools to get the
lessons for a request, to check an answer and to draft a card. Each call looks for the
brain if there is none yet: where the program was started, then in the agent's roots.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, ok := a.in.(io.ReadCloser)
			if !ok {
				in = io.NopCloser(a.in)
			}
			log := slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
			return mcp.Serve(cmd.Context(), mcp.Config{
				In: in, Out: a.stdout, Locale: a.locale(), Version: versionText(), Log: log,
				Open: func(ctx context.Context, folders []string) (mcp.Loop, error) {
					brain, err := a.findBrain(folders...)
					if err != nil {
						return nil, err
					}
					s, err := shared(ctx, server.Config{Brain: brain, Watch: true, Log: log})
					if err != nil {
						return nil, err
					}
					dir, err := workingFolder(folders)
					if err != nil {
						return nil, errors.Join(err, s.Close())
					}
					return inProject{s, projectOf(dir)}, nil
				},
			})
		},
	}
}

// workingFolder returns the first of the folders that an agent names, else the one that the
// program was started in.
func workingFolder(folders []string) (string, error) {
	if len(folders) > 0 {
		return folders[0], nil
	}
	return os.Getwd()
}

// inProject is a loop that keeps the cards of other projects out of requests which name none.
type inProject struct {
	loop
	project string
}

func (l inProject) Preflight(ctx context.Context, r server.PreflightRequest) (server.Preflight, error) {
	r.Project = cmp.Or(r.Project, l.project)
	return l.loop.Preflight(ctx, r)
}

func (l inProject) Heads(ctx context.Context, r server.HeadsRequest) (server.Heads, error) {
	r.Project = l.project
	return l.loop.Heads(ctx, r)
}

func (l inProject) Why(ctx context.Context, r server.WhyRequest) (server.Explanation, error) {
	r.Project = cmp.Or(r.Project, l.project)
	return l.loop.Why(ctx, r)
}
