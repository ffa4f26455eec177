package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
)

func (a *app) retrieveCommand() *cobra.Command {
	limit, all := uint32(0), false
	var q question
	request := func(text string) brain.RetrieveRequest {
		return brain.RetrieveRequest{Query: text, All: all, Files: q.files, Project: q.project, Limit: int(limit)}
	}
	q = question{
		ask: func(ctx context.Context, s *server.Server, text string) ([]brain.Hit, error) {
			return s.Rank(ctx, request(text))
		},
		show: func(ctx context.Context, s *server.Server, text string) error {
			got, err := s.Retrieve(ctx, request(text))
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(got)
			}
			if len(got.Lessons)+len(got.Notes) == 0 {
				a.noCard(ctx, s)
			}
			for _, h := range append(got.Lessons, got.Notes...) {
				status := ""
				if h.Status != "" {
					status = " · " + a.locale().Status(h.Status)
				}
				a.print("%.3f  %s · %s%s\n", h.Score, h.Title, h.Path, status)
				why := strings.Join(h.Why.Terms, ", ")
				if h.Why.Similarity > 0 {
					why = strings.TrimPrefix(fmt.Sprintf("%s · similarity %.2f", why, h.Why.Similarity), " · ")
				}
				if why != "" {
					a.print("       %s\n", why)
				}
			}
			return nil
		},
	}
	cmd := a.questionCommand(&q)
	cmd.Use = "retrieve QUERY…"
	cmd.Short = "Search cards and notes, best first"
	cmd.Example = `  handrail retrieve telegram remote command
  handrail retrieve --jsonl <queries.jsonl`
	cmd.Flags().Uint32Var(&limit, "limit", 10, "most hits to show")
	cmd.Flags().BoolVar(&all, "all", false, "cards of every status")
	return cmd
}

// question is a command that asks the brain about a text: one on the command line, or a line each on standard input.
type question struct {
	jsonl   bool
	project string
	files   []string
	ask     func(ctx context.Context, s *server.Server, text string) ([]brain.Hit, error) // for --jsonl
	show    func(ctx context.Context, s *server.Server, text string) error                // for a person, or --json
}

func (a *app) questionCommand(q *question) *cobra.Command {
	cmd := &cobra.Command{
		RunE: func(cmd *cobra.Command, words []string) (err error) {
			if a.inside == nil && !q.jsonl && !a.json && len(words) > 0 && a.namedBrain() == "" {
				defer func() { err = a.behind(cmd.Context(), err) }()
			}
			if q.jsonl == (len(words) > 0) {
				return usageError{say(textNeedText)}
			}
			ctx := cmd.Context()
			s, err := a.openTrusted(cmd)
			if err != nil {
				return err
			}
			q.files = a.absolute(q.files)
			if !q.jsonl {
				return q.show(ctx, s, strings.Join(words, " "))
			}
			return a.eachLine(ctx, func(m message) (any, error) {
				start := time.Now()
				hits, err := q.ask(ctx, s, m.Text)
				out := struct {
					ID   json.RawMessage `json:"id"`
					Hits []row           `json:"hits"`
					MS   float64         `json:"ms"`
				}{m.ID, []row{}, float64(time.Since(start).Microseconds()) / 1000}
				for _, h := range hits {
					out.Hits = append(out.Hits, row{h.Path, h.Score, string(h.Kind)})
				}
				return out, err
			})
		},
	}
	cmd.Flags().BoolVar(&q.jsonl, "jsonl", false, `read {"id","text"} a line, print {"id","hits","ms"} a line`)
	cmd.Flags().StringVar(&q.project, "project", "", "leave out cards of other projects")
	cmd.Flags().StringArrayVar(&q.files, "file", nil, "a `file` the text is about (repeatable)")
	return cmd
}

// behind asks the person's own brain the same, once the project's has answered, or where there is none.
func (a *app) behind(ctx context.Context, err error) error {
	if _, ok := find.Mine(); !ok || err != nil && !errors.Is(err, errDone) && !noBrain(err) || a.status != exitDone {
		return err
	}
	var out bytes.Buffer
	status := execute(ctx, call{args: append([]string{"--mine"}, a.args...)}, nil, &out, a.err)
	if noBrain(err) {
		a.status = status
	}
	if out.Len() == 0 {
		return errDone
	}
	if r, ok := a.out.(*results); ok && r.some {
		a.print("\n")
	}
	a.print("%s", &out)
	return errDone
}

// absolute makes file names absolute. One whose folder is not here stays as it is: a name within the project.
func (a *app) absolute(files []string) []string {
	out := slices.Clone(files)
	for i, f := range files {
		abs := a.abs(f)
		if _, err := os.Stat(filepath.Dir(abs)); err == nil {
			out[i] = abs
		}
	}
	return out
}

// row is one hit in a line of --jsonl output.
type row struct {
	Path  string  `json:"path"`
	Score float64 `json:"score"`
	Kind  string  `json:"kind"`
}

func (a *app) printJSON(v any, inert ...string) error {
	if err := a.encoder("  ", inert...)(v); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

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
