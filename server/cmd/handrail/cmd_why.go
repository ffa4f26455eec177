package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"handrail/server"
)

func (a *app) whyCommand() *cobra.Command {
	var r server.WhyRequest
	var files, always []string
	never, like := false, ""
	cmd := &cobra.Command{
		Use:   "why QUERY [PATH]",
		Short: "Explain why cards come before a request, or why a card does not",
		Long: `Explain in one sentence each which cards come before a request and which nearly do, or why
the card at PATH does or does not. --never keeps that card from similar requests, --always
adds a file or folder to its paths; undo reverts either. --like lists the cards most similar
to one.`,
		Example: `  handrail why "add a telegram command that restarts the server"
  handrail why "clean up the bot's tests" lessons/telegram-allowlist.md --never
  handrail why --like lessons/telegram-allowlist.md`,
		Args: args(func(cmd *cobra.Command, list []string) error {
			if like != "" {
				return cobra.NoArgs(cmd, list)
			}
			return cobra.RangeArgs(1, 2)(cmd, list)
		}),
		RunE: func(cmd *cobra.Command, list []string) error {
			if like != "" {
				return a.showSimilar(cmd.Context(), like)
			}
			if (never || len(always) > 0) && len(list) < 2 {
				return usageError{say(textWhichCard)}
			}
			s, err := a.openReady(cmd.Context())
			if err != nil {
				return err
			}
			r.Query, r.Files, r.Language = list[0], a.absolute(files), a.locale()
			if len(list) == 2 {
				r.Path = a.cardPath(s.Brain(), list[1])
			}
			if a.untrusted(cmd.Context(), s) {
				return nil
			}
			if never {
				if _, err := s.NeverFor(cmd.Context(), server.NeverRequest{Path: r.Path, Query: r.Query}); err != nil {
					return err
				}
			}
			if len(always) > 0 {
				if _, err := s.AlwaysFor(cmd.Context(), server.AlwaysRequest{Path: r.Path, Files: a.absolute(always)}); err != nil {
					return err
				}
			}
			e, err := s.Why(cmd.Context(), r)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(e)
			}
			if len(e.Cards) == 0 {
				a.noCard(cmd.Context(), s)
			}
			for _, c := range e.Cards {
				mark := "-"
				if c.Comes {
					mark = "+"
				}
				a.print("%s %s · %s\n  %s\n", mark, c.Title, c.Path, c.Text)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.Project, "project", "", "the project of the request")
	f.StringArrayVar(&files, "file", nil, "a `file` the request is about (repeatable)")
	f.BoolVar(&never, "never", false, "keep the card from requests like this")
	f.StringArrayVar(&always, "always", nil, "add a `file` or folder to the card's paths (repeatable)")
	f.StringVar(&like, "like", "", "list the cards most similar to this `card`")
	return cmd
}

// showSimilar lists the cards most similar to one, with the words that they share.
func (a *app) showSimilar(ctx context.Context, card string) error {
	s, err := a.openReady(ctx)
	if err != nil || a.untrusted(ctx, s) {
		return err
	}
	hits, err := s.Similar(ctx, a.cardPath(s.Brain(), card))
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(hits)
	}
	if len(hits) == 0 {
		a.next(textNoneSimilar)
	}
	for _, h := range hits {
		a.print("%s · %s\n  %s\n", h.Title, h.Path, strings.Join(h.Why.Terms, ", "))
	}
	return nil
}
