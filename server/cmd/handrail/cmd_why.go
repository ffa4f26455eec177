package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
)

func (a *app) whyCommand() *cobra.Command {
	var r deliver.WhyRequest
	var files []string
	never, like := false, ""
	cmd := &cobra.Command{
		Use:   "why QUERY [PATH]",
		Short: "Explain why cards come before a request, or why a card does not",
		Long: `Explain in one sentence each which cards come before a request and which nearly do, or why
the card at PATH does or does not. --never keeps that card from similar requests; undo reverts
it. --like lists the cards most similar to one.`,
		Example: `  handrail why "add a telegram command that restarts the server"
  handrail why "clean up the bot's tests" lessons/telegram-allowlist.md --never
  handrail why --like lessons/telegram-allowlist.md`,
		Args: args(func(cmd *cobra.Command, list []string) error {
			if like != "" {
				return cobra.NoArgs(cmd, list)
			}
			return cobra.RangeArgs(1, 2)(cmd, list)
		}),
	}
	why := ask[deliver.Explanation]{a.openTrusted, func(s *server.Server, cmd *cobra.Command, list []string) (e deliver.Explanation, err error) {
		ctx := cmd.Context()
		r.Query, r.Files, r.Language = list[0], a.absolute(files), a.locale()
		if len(list) == 2 {
			r.Path = a.cardPath(s.Brain(), list[1])
		}
		if never {
			_, err = s.NeverFor(ctx, deliver.NeverRequest{Path: r.Path, Query: r.Query})
		}
		if err != nil {
			return e, err
		}
		e, err = s.Why(ctx, r)
		if err == nil && len(e.Cards) == 0 && !a.noCard(ctx, s) {
			a.next(text{"No card is near this request. Name one to see why: handrail why QUERY PATH.", "이 요청에 가까운 카드가 없습니다. 카드를 지정하면 이유를 볼 수 있습니다: handrail why 요청 경로."})
		}
		return e, err
	}, func(e deliver.Explanation) {
		for _, c := range e.Cards {
			mark := "-"
			if c.Comes {
				mark = "+"
			}
			a.print("%s %s · %s\n  %s\n", mark, c.Title, c.Path, c.Text)
		}
	}}
	similar := ask[[]brain.Hit]{a.openTrusted, func(s *server.Server, cmd *cobra.Command, _ []string) ([]brain.Hit, error) {
		return s.Similar(cmd.Context(), a.cardPath(s.Brain(), like))
	}, func(hits []brain.Hit) {
		if len(hits) == 0 {
			a.next(text{"No card is similar to it.", "비슷한 카드가 없습니다."})
		}
		for _, h := range hits { // with the words that they share
			a.print("%s · %s\n  %s\n", h.Title, h.Path, strings.Join(h.Why.Terms, ", "))
		}
	}}
	cmd.RunE = func(cmd *cobra.Command, list []string) error {
		switch {
		case like != "":
			return similar.run(a)(cmd, list)
		case never && len(list) < 2:
			return usageError{say(text{"Name the card as well: why QUERY PATH.", "카드도 지정해 주세요: why QUERY PATH."})}
		}
		return why.run(a)(cmd, list)
	}
	f := cmd.Flags()
	f.StringVar(&r.Project, "project", "", "the project of the request")
	f.StringArrayVar(&files, "file", nil, "a `file` the request is about (repeatable)")
	f.BoolVar(&never, "never", false, "keep the card from requests like this")
	f.StringVar(&like, "like", "", "list the cards most similar to this `card`")
	return cmd
}
