package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/judge"
	"github.com/handrail-dev/handrail/triggers"
)

// maxAnswer bounds an answer that is read from a file, in bytes; what a model writes is far below.
const maxAnswer = 64 << 20

func (a *app) postcheckCommand() *cobra.Command {
	var answer, query, diff, ran string
	var cards []string
	cmd := &cobra.Command{
		Use:   "postcheck --answer FILE (--card PATH… | --query TEXT) [--diff FILE] [--ran FILE]",
		Short: "List the checklist items that a turn broke or left open",
		Long: `List the checklist items that a turn broke or left open, one a line, broken ones first, and what only the answer says. Give a patch and the commands that ran
to judge what was done. With the answer alone only words are compared, which can show "not visible", never "not done". The exit status is 0
either way. A line of --ran is a command, or {"command": "…", "failed": true}.`,
		Example: `  handrail postcheck --answer answer.md --card lessons/telegram-allowlist.md
  handrail postcheck --answer - --query "add a telegram command"
  git diff | handrail postcheck --answer answer.md --diff - --query "add a telegram command"`,
		Args: args(cobra.NoArgs),
		RunE: ask[brain.Footer]{func(cmd *cobra.Command) (*server.Server, error) {
			if answer == "" || len(cards) == 0 && query == "" {
				return nil, usageError{say(text{"Give --answer, and --card or --query.", "--answer와 함께 --card나 --query를 주세요."})}
			}
			return a.openTrusted(cmd) // before any input: a daemon reads it itself
		}, func(s *server.Server, cmd *cobra.Command, _ []string) (footer brain.Footer, err error) {
			req := judge.AnswerRequest{Locale: a.locale(), Watched: diff != "" || ran != ""}
			req.Answer, err = a.readAnswer(cmd.Context(), answer)
			if err == nil {
				err = a.readDeeds(cmd.Context(), diff, ran, &req)
			}
			if err != nil {
				return footer, err
			}
			for _, p := range cards {
				req.Lessons = append(req.Lessons, a.cardPath(s.Brain(), p))
			}
			if len(cards) == 0 {
				p, err := s.Preflight(cmd.Context(), deliver.PreflightRequest{Query: query, Aside: true})
				if err != nil {
					return footer, err
				}
				req.AnswerID = p.AnswerID
			}
			return s.Answered(cmd.Context(), req)
		}, func(footer brain.Footer) {
			saids := slices.DeleteFunc(slices.Clone(footer.Verdicts), func(v brain.Verdict) bool { return v.State != "said" })
			for _, v := range slices.Concat(footer.Unaddressed, saids) {
				why := strings.Join(v.Missing, ", ")
				switch v.State {
				case "broken":
					why = a.word(say(text{"broken at %s", "어긴 곳: %s"}, v.Place.String()))
				case "said":
					why = a.word(say(text{"only the answer says so", "답변에만 있음"}))
				}
				if why != "" {
					why = " (" + why + ")"
				}
				a.print("%s:%d: %s%s\n", v.Path, v.Line, v.Item, why)
			}
		}}.run(a),
	}
	cmd.Flags().StringVar(&answer, "answer", "", "the answer's `file`, - for standard input")
	cmd.Flags().StringArrayVar(&cards, "card", nil, "a card's `path` (repeatable)")
	cmd.Flags().StringVar(&query, "query", "", "check against the cards that preflight picks for this `text`")
	cmd.Flags().StringVar(&diff, "diff", "", "a patch of what was changed: its `file`, - for standard input")
	cmd.Flags().StringVar(&ran, "ran", "", "the commands that ran: their `file`")
	return cmd
}

// readDeeds reads the patch and the commands of a turn.
func (a *app) readDeeds(ctx context.Context, diff, ran string, req *judge.AnswerRequest) error {
	if diff != "" {
		patch, err := a.readAnswer(ctx, diff)
		if err != nil {
			return err
		}
		req.Changes = triggers.ReadPatch(patch)
	}
	if ran == "" {
		return nil
	}
	text, err := a.readAnswer(ctx, ran)
	if err != nil {
		return err
	}
	for n, line := range strings.Split(text, "\n") {
		c := brain.Ran{Command: strings.TrimSpace(line)}
		if strings.HasPrefix(c.Command, "{") {
			if err := json.Unmarshal([]byte(c.Command), &c); err != nil {
				return said{Text: textBadRan, Args: []any{ran, n + 1}, Err: err}
			}
		}
		if c.Command != "" {
			req.Ran = append(req.Ran, c)
		}
	}
	return nil
}

func (a *app) readAnswer(ctx context.Context, name string) (string, error) {
	answer, err := a.read(ctx, name, maxAnswer)
	if err != nil && ctx.Err() == nil {
		err = said{Text: text{"The answer %q could not be read. Name a file, or - for standard input.", "답변 %q을(를) 읽을 수 없습니다. 파일 이름을 주거나, 표준 입력이면 -를 쓰세요."}, Args: []any{name}, Err: err}
	}
	return string(answer), err
}
