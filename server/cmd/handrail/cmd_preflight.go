package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"handrail/server"
)

func (a *app) preflightCommand() *cobra.Command {
	block, told := false, false
	var q question
	preflight := func(ctx context.Context, s *server.Server, text string) (server.Preflight, error) {
		if p := s.Paused(ctx); !told && !p.Until.IsZero() {
			told = true
			a.warn(a.paused(p))
		}
		return s.Preflight(ctx, server.PreflightRequest{Query: text, Files: q.files, Project: q.project, Aside: true}) // a measurement
	}
	q = question{
		ask: func(ctx context.Context, s *server.Server, text string) ([]server.Hit, error) {
			p, err := preflight(ctx, s, text)
			return p.Lessons, err
		},
		show: func(ctx context.Context, s *server.Server, text string) error {
			p, err := preflight(ctx, s, text)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(p, p.Block, p.Context)
			}
			parts := []string{p.Block, p.Context}
			if block {
				parts = parts[:1]
			}
			if text := strings.Trim(strings.Join(parts, "\n\n"), "\n"); text != "" {
				fmt.Fprintln(a.out, text)
			} else {
				a.noCard(ctx, s)
			}
			return nil
		},
	}
	cmd := a.questionCommand(&q)
	cmd.Use = "preflight QUERY…"
	cmd.Short = "Print the lessons and notes that belong before a request, or nothing"
	cmd.Example = `  handrail preflight "add a telegram command that restarts the server"
  handrail preflight --jsonl <requests.jsonl`
	cmd.Flags().BoolVar(&block, "block", false, "only the block")
	return cmd
}
