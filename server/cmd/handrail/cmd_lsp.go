package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/lsp"
	"github.com/handrail-dev/handrail/server/mcp"
)

func (a *app) lspCommand() *cobra.Command {
	var standalone bool
	cmd := &cobra.Command{
		Use:    "lsp",
		Hidden: true, // for hosts
		Short:  "Serve one editor over the Language Server Protocol on stdin and stdout",
		Args:   args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := slog.New(slog.NewTextHandler(a.err, nil)) // editors show a server's standard error
			open, from := a.openAlone, a.in
			switch {
			case a.inside != nil:
				open = a.openInside
			case !standalone:
				open = a.lspInDaemon(cmd.Context(), log)
			}
			if open == nil {
				return nil
			}
			a.status = lsp.Serve(cmd.Context(), stdio{a.in, a.stdout, from}, lsp.Config{Open: open, Own: ownBrain(log), Version: versionText(), Log: log, Getenv: a.getenv, Now: time.Now})
			return nil
		},
	}
	cmd.Flags().BoolVar(&standalone, "standalone", false, "keep the brain's index in this process instead of the daemon")
	return cmd
}

// lspInDaemon passes the editor on to the daemon of its brain, which its first message names, and returns nil. While it
// has none the session stays in this process with what is returned, openNone: it ends when a brain turns up.
func (a *app) lspInDaemon(ctx context.Context, log *slog.Logger) lsp.Open {
	first, folder, err := lsp.Peek(a.in)
	a.in = io.MultiReader(bytes.NewReader(first), a.in)
	switch {
	case err != nil:
		return a.openAlone // the session says what is wrong with the message
	case folder == "":
		return openNone
	}
	ran, status, err := a.inDaemon(ctx, folder, true, stream{in: a.in, out: a.stdout, err: a.err, log: log})
	if ran {
		a.status = status
		if err != nil {
			log.Warn("the editor has to start the server again", "err", err)
			a.status = exitFailed
		}
		return nil
	}
	if noBrain(err) {
		return openNone
	}
	log.Warn("no daemon; this process works alone", "err", err)
	return a.openAlone
}

// openAlone gives a session a server of its own.
func (a *app) openAlone(ctx context.Context, cfg brain.Config) (*server.Server, func() error, error) {
	s, err := a.alone(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// openNone opens nothing: the brain that turned up is another process's to serve. One that is
// configured and not there is waited for.
func openNone(_ context.Context, cfg brain.Config) (*server.Server, func() error, error) {
	return nil, nil, cmp.Or(opens(cfg.Brain), lsp.ErrElsewhere)
}

// openInside gives a session the daemon's server.
func (a *app) openInside(_ context.Context, cfg brain.Config) (*server.Server, func() error, error) {
	s, err := a.borrow(cfg.Brain)
	if errors.Is(err, errDone) {
		return nil, nil, lsp.ErrElsewhere
	}
	if err != nil {
		return nil, nil, err
	}
	s.Embed(cfg.Embeddings)
	if cfg.Extras.Editor != nil {
		s.SetExtras(brain.ExtraSettings{Editor: cfg.Extras.Editor})
	}
	s.Git.Follow(cfg.Workspaces)
	return s, func() error { return nil }, nil
}

// ownBrain asks the daemon of the person's own brain, as an agent does.
func ownBrain(log *slog.Logger) lsp.Own {
	g := &agent{app: &app{call: call{args: []string{"mcp"}}}, log: log}
	return func(ctx context.Context, dir string, r deliver.PreflightRequest) (own deliver.Preflight) {
		folder, ok := find.Mine()
		if !ok {
			return own
		}
		ask := func(name string, args, to any) {
			raw, err := json.Marshal(args)
			var reply mcp.Reply
			if err == nil {
				reply, err = g.ask(ctx, folder, dir, mcp.Request{Name: name, Args: raw, Session: r.SessionID})
			}
			if err == nil && !reply.Refused {
				err = json.Unmarshal(reply.Structure, to)
			}
			if err != nil {
				log.Warn("your own brain cannot be asked", "err", err)
			}
		}
		ask(mcp.PreflightTool, mcp.PreflightArgs{Query: r.Query, Files: r.Files, Project: r.Project}, &own)
		if r.SessionID != "" {
			var titles deliver.Heads
			ask(mcp.AsksTitles, nil, &titles)
			own.Titles = titles.Text
		}
		return own
	}
}

// stdio is standard input and output as one stream.
type stdio struct {
	io.Reader
	io.Writer
	from io.Reader // where all of it comes from
}

// Close closes both ends where they can be closed.
func (s stdio) Close() (err error) {
	for _, end := range []any{s.from, s.Writer} {
		if c, ok := end.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
	}
	return err
}
