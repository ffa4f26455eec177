package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
)

func (a *app) preflightCommand() *cobra.Command {
	block, told := false, false
	var q question
	preflight := func(ctx context.Context, s *server.Server, text string) (deliver.Preflight, error) {
		if p := s.Paused(ctx); !told && !p.Until.IsZero() {
			told = true
			a.warn(a.paused(p))
		}
		return s.Preflight(ctx, deliver.PreflightRequest{Query: text, Files: q.files, Project: q.project, Aside: true}) // a measurement
	}
	q = question{
		ask: func(ctx context.Context, s *server.Server, text string) ([]brain.Hit, error) {
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
			out := p.Block
			if !block {
				out = strings.Trim(p.Block+"\n\n"+p.Context, "\n")
				dir, _ := a.workDir()
				h, err := s.Heads(ctx, deliver.HeadsRequest{Project: cmp.Or(q.project, a.projectOf(dir)), Locale: a.locale(), Beside: out, Whole: p.Lessons})
				if err != nil {
					return err
				}
				out = strings.Trim(h.Text+"\n\n"+out, "\n")
			}
			if out != "" {
				fmt.Fprintln(a.out, out)
			} else {
				a.noCard(ctx, s)
			}
			return nil
		},
	}
	cmd := a.questionCommand(&q)
	cmd.Use = "preflight QUERY…"
	cmd.Short = "Print what an agent gets with such a request, if it is a conversation's first: titles, lessons, notes"
	cmd.Example = `  handrail preflight "add a telegram command that restarts the server"
  handrail preflight --jsonl <requests.jsonl`
	cmd.Flags().BoolVar(&block, "block", false, "only the block")
	return cmd
}
