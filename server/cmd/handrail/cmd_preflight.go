package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"handrail/server"
)

func (a *app) preflightCommand() *cobra.Command {
	var jsonl bool
	var project string
	var files []string
	cmd := &cobra.Command{
		Use:   "preflight QUERY…",
		Short: "Print the lessons that belong before a request, or nothing",
		Example: `  handrail preflight "add a telegram command that restarts the server"
  handrail preflight --jsonl <requests.jsonl`,
		RunE: func(cmd *cobra.Command, words []string) (err error) {
			if jsonl == (len(words) > 0) {
				return usageError{errors.New("give a request, or --jsonl and requests on standard input")}
			}
			s, err := a.openReady(cmd.Context())
			if err != nil {
				return err
			}
			defer closing(s, &err)
			if jsonl {
				return a.lines(cmd.Context(), func(ctx context.Context, text string) ([]row, error) {
					p, err := s.Preflight(ctx, server.PreflightRequest{Query: text, Project: project})
					return rows(p.Lessons), err
				})
			}
			p, err := s.Preflight(cmd.Context(), server.PreflightRequest{Query: strings.Join(words, " "), Files: absolute(files), Project: project})
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(p)
			}
			if p.Block != "" {
				fmt.Fprintln(a.out, p.Block)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&jsonl, "jsonl", false, `read {"id","text"} a line, print {"id","hits","ms"} a line`)
	cmd.Flags().StringVar(&project, "project", "", "leave out cards of other projects")
	cmd.Flags().StringArrayVar(&files, "file", nil, "a `file` the request is about (repeatable)")
	return cmd
}

// absolute makes file names absolute; one that cannot be is used as it is.
func absolute(files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = f
		if abs, err := filepath.Abs(f); err == nil {
			out[i] = abs
		}
	}
	return out
}
