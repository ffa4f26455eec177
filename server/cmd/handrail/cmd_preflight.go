package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"handrail/server"
)

func (a *app) preflightCommand() *cobra.Command {
	block := false
	q := question{
		first: func(ctx context.Context, s *server.Server) {
			if p := s.Paused(ctx); !p.Until.IsZero() {
				a.warn(a.paused(p))
			}
		},
		ask: func(ctx context.Context, s *server.Server, q *question, text string) ([]server.Hit, error) {
			p, err := s.Preflight(ctx, server.PreflightRequest{Query: text, Files: a.absolute(q.files), Project: q.project, Aside: true}) // a measurement
			return p.Lessons, err
		},
		show: func(ctx context.Context, s *server.Server, q *question, text string) error {
			p, err := s.Preflight(ctx, server.PreflightRequest{Query: text, Files: a.absolute(q.files), Project: q.project, Aside: true})
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
