package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/mcp"
)

func (a *app) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve one agent over the Model Context Protocol on stdin and stdout",
		Long: `Serve one agent over the Model Context Protocol on stdin and stdout: tools to get the
lessons for a request, to check an answer and to draft a card. Each call looks for the
brain if there is none yet: where the program was started, then in the agent's roots.`,
		Hidden: true,
		Args:   args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.inside != nil { // the one request that is the command's input
				var r mcp.Request
				if err := json.NewDecoder(a.in).Decode(&r); err != nil {
					return fmt.Errorf("read what an agent asks: %w", err)
				}
				s, err := a.borrow(a.inside.Server.Brain().Root()) // the agent's process has found it, by whichever folder
				if err != nil {
					return err
				}
				return json.NewEncoder(a.out).Encode(mcp.Answer(cmd.Context(), a.loopOf(s, a.inside.Dir), r))
			}
			log := slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
			return a.serveAgent(cmd.Context(), log, (&agent{app: a, log: log}).do)
		},
	}
}

// serveAgent speaks MCP with an agent, whose requests do carries out.
func (a *app) serveAgent(ctx context.Context, log *slog.Logger, do mcp.Do) error {
	err := mcp.Serve(ctx, mcp.Config{
		In: a.in, Out: a.stdout, Locale: a.locale(), Version: versionText(), Log: log, Do: do,
	})
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return said{Text: text{"What came is not one JSON-RPC 2.0 message a line, so the session ends.", "한 줄에 JSON-RPC 2.0 메시지 하나가 아닌 것이 와서 세션을 끝냅니다."}, Err: err}
	}
	return err
}

func (a *app) loopOf(s *server.Server, dir string) mcp.Loop {
	return mcp.Loop{Server: s, Locale: a.locale(), Project: a.projectOf(dir)}
}

// agent is an agent's own process.
type agent struct {
	*app
	log *slog.Logger

	once sync.Once // says that there is no daemon
}

// do carries out a request in the folders' brain and, where it asks what is known, in the person's
// own, which stands behind all.
func (g *agent) do(ctx context.Context, folders []string, r mcp.Request) (mcp.Reply, error) {
	folder, err := g.findBrain(folders...)
	if err == nil {
		err = opens(folder) // one that is named need not be there
	}
	mine, ok := find.Mine()
	ok = ok && r.Asks() && g.namedBrain() == ""
	if err != nil && (!ok || !errors.Is(err, lessons.ErrNoBrain)) {
		return mcp.Reply{}, err
	}
	dir, derr := g.workDir()
	if len(folders) > 0 {
		dir, derr = folders[0], nil
	}
	if derr != nil {
		return mcp.Reply{}, fmt.Errorf("find the project: %w", derr)
	}
	var reply mcp.Reply
	if err == nil {
		reply, err = g.ask(ctx, folder, dir, r)
	}
	if !ok || err != nil && !errors.Is(err, lessons.ErrNoBrain) {
		return reply, err
	}
	own, oerr := g.ask(ctx, mine, dir, r)
	switch {
	case oerr != nil:
		g.log.Warn("your own brain cannot be asked", "err", oerr)
		return reply, err
	case err == nil:
		return r.With(reply, own), nil
	case own.Refused:
		return reply, err
	case len(folders) > 0:
		err = nil
	}
	return own, err
}

// ask has the daemon of a brain carry out a request, and does so itself where there is none to be had.
func (g *agent) ask(ctx context.Context, folder, dir string, r mcp.Request) (reply mcp.Reply, err error) {
	in, err := json.Marshal(r)
	if err != nil {
		return reply, fmt.Errorf("pass a request on: %w", err)
	}
	var out, failed bytes.Buffer
	c := stream{in: bytes.NewReader(in), out: &out, err: &failed, log: g.log, dir: dir}
	ran, status, err := g.inDaemon(ctx, folder, true, c)
	switch {
	case !ran && !noBrain(err):
		g.once.Do(func() { g.log.Warn("no daemon; this process works alone", "err", err) })
		return g.alone(ctx, folder, dir, r)
	case err != nil:
		return reply, err
	case status != exitDone:
		sentence, _, _ := strings.Cut(failed.String(), "\n")
		return mcp.Reply{Text: strings.TrimPrefix(sentence, "handrail: "), Refused: true}, nil
	}
	err = json.Unmarshal(out.Bytes(), &reply)
	return reply, err
}

// alone carries out a request in this process.
func (g *agent) alone(ctx context.Context, folder, dir string, r mcp.Request) (reply mcp.Reply, err error) {
	s, err := g.app.alone(ctx, brain.Config{Brain: folder, Log: g.log})
	if err != nil {
		return reply, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	select {
	case <-s.Ready():
	case <-ctx.Done():
	}
	return mcp.Answer(ctx, g.loopOf(s, dir), r), nil
}
