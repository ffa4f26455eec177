package main

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"handrail/server"
	"handrail/server/lsp"
)

func (a *app) lspCommand() *cobra.Command {
	var standalone bool
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve one editor over the Language Server Protocol on stdin and stdout",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, ok := a.in.(io.ReadCloser)
			if !ok {
				in = io.NopCloser(a.in)
			}
			// The editor gets the log as messages; here goes what it may not live to see.
			log := slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
			open := shared
			if standalone {
				open = alone
			}
			a.status = lsp.Serve(cmd.Context(), stdio{in, a.stdout}, func(ctx context.Context, cfg server.Config) (lsp.Loop, error) { return open(ctx, cfg) }, log)
			return nil
		},
	}
	cmd.Flags().BoolVar(&standalone, "standalone", false, "keep the brain's index in this process instead of the daemon")
	return cmd
}

// stdio is standard input and output as one stream.
type stdio struct {
	io.ReadCloser
	io.Writer
}

// Close closes both ends where they can be closed.
func (s stdio) Close() error {
	err := s.ReadCloser.Close()
	if c, ok := s.Writer.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return err
}
