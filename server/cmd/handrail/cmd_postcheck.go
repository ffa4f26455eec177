package main

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"handrail/server"
)

// maxAnswer bounds an answer that is read from a file, in bytes; what a model writes is
// far below.
const maxAnswer = 64 << 20

func (a *app) postcheckCommand() *cobra.Command {
	var answer, query string
	var cards []string
	cmd := &cobra.Command{
		Use:   "postcheck --answer FILE (--card PATH… | --query TEXT)",
		Short: "Name the checklist items an answer does not show",
		Long: `Name the checklist items an answer does not show, a line each. It compares words, so it
says "not visible", never "not done"; the exit status is 0 either way.`,
		Example: `  handrail postcheck --answer answer.md --card lessons/telegram-allowlist.md
  handrail postcheck --answer - --query "add a telegram command"`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if answer == "" || len(cards) == 0 && query == "" {
				return usageError{say(textNeedAnswer)}
			}
			text, err := a.readAnswer(cmd.Context(), answer)
			if err != nil {
				return err
			}
			s, err := a.openReady(cmd.Context())
			if err != nil {
				return err
			}
			defer closing(s, &err)
			for i, p := range cards {
				cards[i] = cardPath(s.Brain(), p)
			}
			req := server.AnswerRequest{Answer: text, Lessons: cards, Locale: a.locale()}
			if len(cards) == 0 {
				p, err := s.Preflight(cmd.Context(), server.PreflightRequest{Query: query, Aside: true})
				if err != nil {
					return err
				}
				req.AnswerID = p.AnswerID
			}
			footer, err := s.Answered(cmd.Context(), req)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(footer)
			}
			for _, u := range footer.Unaddressed {
				a.print("%s:%d: %s (%s)\n", u.Path, u.Line, u.Item, strings.Join(u.Missing, ", "))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&answer, "answer", "", "the answer's `file`, - for standard input")
	cmd.Flags().StringArrayVar(&cards, "card", nil, "a card's `path` (repeatable)")
	cmd.Flags().StringVar(&query, "query", "", "check against the cards that preflight picks for this `text`")
	complete(cmd, "card", a.completeCards)
	freeText(cmd, "query")
	return cmd
}

func (a *app) readAnswer(ctx context.Context, name string) (string, error) {
	var in io.Reader = &interruptible{ctx: ctx, r: a.in}
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", said{textNoAnswer, []any{name}, err}
		}
		defer f.Close() //nolint:errcheck // read only
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxAnswer))
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", said{textNoAnswer, []any{name}, err}
	}
	return string(text), nil
}
