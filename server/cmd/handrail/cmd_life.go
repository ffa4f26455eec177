package main

import (
	"cmp"
	"context"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/desk"
)

func (a *app) promoteCommand() *cobra.Command {
	title := ""
	cmd := a.cardCommand("promote", "Make a draft a card, when it clears the quality bar", func(s *server.Server, ctx context.Context, path string) (brain.Card, error) {
		return s.Promote(ctx, path, title)
	})
	cmd.Flags().StringVar(&title, "title", "", "the draft's title from now on")
	return cmd
}

func (a *app) verifyCommand() *cobra.Command {
	off := false
	cmd := a.cardCommand("verify", "Say of a card that you have checked it: it weighs more and is never put away", func(s *server.Server, ctx context.Context, path string) (brain.Card, error) {
		return s.Verify(ctx, path, !off)
	})
	cmd.Flags().BoolVar(&off, "off", false, "remove the mark")
	return cmd
}

func (a *app) archiveCommand() *cobra.Command {
	wrong, back := "", false
	var cmd *cobra.Command
	cmd = a.cardCommand("archive", "Put a card away: no agent gets it, retrieve --all still finds it", func(s *server.Server, ctx context.Context, path string) (brain.Card, error) {
		switch {
		case back:
			return s.SetStatus(ctx, path, lessons.Active)
		case cmd.Flags().Changed("wrong"):
			return s.Quarantine(ctx, desk.QuarantineRequest{Path: path, Reason: wrong})
		}
		return s.SetStatus(ctx, path, lessons.Archived)
	})
	cmd.Example = `  handrail archive lessons/old-api.md
  handrail archive lessons/old-api.md --wrong "The API it warns of is gone"
  handrail archive lessons/old-api.md --back`
	cmd.Flags().StringVar(&wrong, "wrong", "", "it is wrong, and why: whoever records the same again is told (up to 300 characters)")
	cmd.Flags().BoolVar(&back, "back", false, "make a card that was put away, or a draft, active")
	cmd.MarkFlagsMutuallyExclusive("wrong", "back")
	return cmd
}

func (a *app) pauseCommand() *cobra.Command {
	var length time.Duration
	off := false
	cmd := &cobra.Command{
		Use:   "pause",
		Short: "Let no card come without being asked for, for a while or until --off",
		Long: `Pause keeps the cards of this brain from all agents and editors of yours. Searches answer as
ever, and what happens is still noticed.`,
		Example: `  handrail pause --for 1h
  handrail pause --off`,
		Args: args(cobra.NoArgs),
		RunE: ask[brain.Paused]{a.openListed, func(s *server.Server, cmd *cobra.Command, _ []string) (brain.Paused, error) {
			minutes := int(math.Ceil(length.Minutes()))
			if length < 0 {
				minutes = min(minutes, -1) // which is refused; 0 would be without an end
			}
			return s.Pause(cmd.Context(), brain.PauseRequest{Minutes: minutes, Off: off})
		}, func(p brain.Paused) { a.print("%s\n", a.paused(p)) }}.run(a),
	}
	cmd.Flags().DurationVar(&length, "for", 0, "how long; without it until --off")
	cmd.Flags().BoolVar(&off, "off", false, "end it: cards come again")
	return cmd
}

func (a *app) paused(p brain.Paused) string {
	switch {
	case p.Until.IsZero():
		return a.word(say(text{"Cards come again.", "카드를 다시 전달합니다."}))
	case p.Until.Equal(brain.Endless):
		return a.word(say(text{"No card comes without being asked for until \"handrail pause --off\".", "\"handrail pause --off\"를 실행할 때까지 카드가 저절로 전달되지 않습니다."}))
	}
	return a.word(say(text{"No card comes without being asked for until %s; \"handrail pause --off\" ends that.", "%s까지 카드가 저절로 전달되지 않습니다. \"handrail pause --off\"로 끝낼 수 있습니다."}, p.Until.Local().Format("2006-01-02 15:04")))
}

func (a *app) mergeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "merge INTO FROM",
		Short: "Add the content of one card to another, and delete the first",
		Args:  args(cobra.ExactArgs(2)),
		RunE: ask[brain.Card]{a.openFiles, func(s *server.Server, cmd *cobra.Command, list []string) (brain.Card, error) {
			return s.Merge(cmd.Context(), desk.MergeRequest{Into: a.cardPath(s.Brain(), list[0]), From: a.cardPath(s.Brain(), list[1])})
		}, a.showCard}.run(a),
	}
}

func (a *app) tidyCommand() *cobra.Command {
	var r desk.TidyRequest
	cmd := &cobra.Command{
		Use:   "tidy [PATH...]",
		Short: "Show which cards could be merged or archived; --apply does it",
		RunE: ask[desk.Tidied]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, list []string) (desk.Tidied, error) {
			for _, p := range list {
				r.Paths = append(r.Paths, a.cardPath(s.Brain(), p))
			}
			done, err := s.Tidy(cmd.Context(), r)
			if len(done.Failed) > 0 {
				a.status = exitFailed
				a.warn(a.word(say(text{"Not changed, because it was not safe: %s.", "안전하게 고칠 수 없어 그대로 두었습니다: %s."}, strings.Join(done.Failed, ", "))))
			} else if err == nil && len(done.Suggestions)+len(done.Outdated) == 0 && !a.noCard(cmd.Context(), s) {
				a.next(text{"Nothing to tidy: no card repeats another or has gone out of use. \"handrail stats\" shows how each was used.", "정리할 것이 없습니다. 서로 겹치거나 쓰이지 않는 카드가 없습니다. \"handrail stats\"에서 카드마다 쓰임을 볼 수 있습니다."})
			}
			return done, err
		}, func(done desk.Tidied) {
			var rows [][]any
			for _, g := range done.Suggestions {
				what := a.word(say(text{"archive", "보관"}))
				if g.Into != "" {
					what = a.word(say(text{"merge into %s", "%s에 합치기"}, plain(g.Into)))
				}
				rows = append(rows, []any{g.Path, what, a.locale().Reason(g)})
			}
			a.table(rows)
			for _, o := range done.Outdated {
				a.print("%s  %s\n", plain(o.Path), plain(a.locale().Outdated(o)))
			}
		}}.run(a),
	}
	cmd.Flags().BoolVar(&r.Apply, "apply", false, "do what is suggested")
	return cmd
}

func (a *app) statsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "Show how often each card was served and addressed, and whether its mistake came back",
		Args:  args(cobra.NoArgs),
		RunE: ask[desk.Stats]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, _ []string) (desk.Stats, error) {
			return s.Stats(cmd.Context())
		}, a.showStats}.run(a),
	}
}

func (a *app) showStats(stats desk.Stats) {
	if len(stats.Cards)+stats.Active == 0 {
		a.next(textNoCardYet)
		return
	}
	if week := a.locale().Week(stats.Week, stats.Model); week != "" {
		a.print("%s\n\n", week)
	}
	rows := [][]any{{}}
	for name := range strings.SplitSeq(a.word(say(text{"card\tserved\taddressed\tnot addressed\tcame back\tlast used", "카드\t제공\t반영\t반영 안 됨\t재발\t마지막 사용"})), "\t") {
		rows[0] = append(rows[0], name)
	}
	for _, c := range stats.Cards {
		rows = append(rows, []any{c.Path, c.Served, c.Addressed, c.Unaddressed, c.Recurred, cmp.Or(c.LastUsed, "-")})
	}
	a.table(rows)
	a.print("\n%s\n", a.word(say(text{"%d of %d active cards have matched no request yet", "활성 카드 %[2]d개 가운데 %[1]d개는 아직 어떤 요청에도 쓰이지 않았습니다"}, len(stats.Never), stats.Active)))
}
