package main

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"handrail/lessons"
	"handrail/lessons/life"
	"handrail/server"
)

var (
	textPaused      = text{"No card comes without being asked for until \"handrail resume\".", "\"handrail resume\"를 실행할 때까지 카드가 저절로 나가지 않습니다."}
	textPausedUntil = text{"No card comes without being asked for until %s; \"handrail resume\" ends that.", "%s까지 카드가 저절로 나가지 않습니다. \"handrail resume\"로 끝낼 수 있습니다."}
	textResumed     = text{"Cards come again.", "카드가 다시 나갑니다."}
)

func (a *app) promoteCommand() *cobra.Command {
	title := ""
	cmd := a.cardCommand("promote", "Make a draft a card, when it clears the quality bar", func(s *server.Server, cmd *cobra.Command, path string) (server.Card, error) {
		return s.Promote(cmd.Context(), path, title)
	})
	cmd.Flags().StringVar(&title, "title", "", "the draft's title from now on")
	return cmd
}

func (a *app) verifyCommand() *cobra.Command {
	off := false
	cmd := a.cardCommand("verify", "Say of a card that you have checked it: it weighs more and is never put away", func(s *server.Server, cmd *cobra.Command, path string) (server.Card, error) {
		return s.Verify(cmd.Context(), path, !off)
	})
	cmd.Flags().BoolVar(&off, "off", false, "remove the mark")
	return cmd
}

func (a *app) quarantineCommand() *cobra.Command {
	var r server.QuarantineRequest
	cmd := a.cardCommand("quarantine", "Keep a card that is wrong from being injected and from taking up what says the same", func(s *server.Server, cmd *cobra.Command, path string) (server.Card, error) {
		r.Path = path
		return s.Quarantine(cmd.Context(), r)
	})
	cmd.Example = `  handrail quarantine lessons/old-api.md --reason "The API it warns of is gone"
  handrail quarantine lessons/old-api.md --lift`
	cmd.Flags().StringVar(&r.Reason, "reason", "", "why, up to 300 characters")
	cmd.Flags().BoolVar(&r.Lift, "lift", false, "end the quarantine: the card is active again")
	return cmd
}

func (a *app) pauseCommand() *cobra.Command {
	var length time.Duration
	cmd := &cobra.Command{
		Use:   "pause",
		Short: "Let no card come without being asked for, for a while or until resume",
		Long: `Pause keeps the cards of this brain from all agents and editors of yours. Searches answer as
ever, and what happens is still noticed.`,
		Example: `  handrail pause --for 1h
  handrail resume`,
		Args: args(cobra.NoArgs),
		RunE: ask[server.Paused]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, _ []string) (server.Paused, error) {
			minutes := int(math.Ceil(length.Minutes()))
			if length < 0 {
				minutes = min(minutes, -1) // which is refused; 0 would be without an end
			}
			return s.Pause(cmd.Context(), server.PauseRequest{Minutes: minutes})
		}, a.showPaused}.run(a),
	}
	cmd.Flags().DurationVar(&length, "for", 0, "how long; without it until resume")
	return cmd
}

func (a *app) resumeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "resume",
		Short: "End a pause: cards come again",
		Args:  args(cobra.NoArgs),
		RunE: ask[server.Paused]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, _ []string) (server.Paused, error) {
			return s.Pause(cmd.Context(), server.PauseRequest{Off: true})
		}, a.showPaused}.run(a),
	}
}

func (a *app) showPaused(p server.Paused) { a.print("%s\n", a.paused(p)) }

func (a *app) paused(p server.Paused) string {
	switch {
	case p.Until.IsZero():
		return a.word(say(textResumed))
	case p.Until.Equal(server.Endless):
		return a.word(say(textPaused))
	}
	return a.word(say(textPausedUntil, p.Until.Local().Format("2006-01-02 15:04")))
}

func (a *app) mergeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "merge INTO FROM",
		Short: "Add the content of one card to another, and move the first to the trash",
		Args:  args(cobra.ExactArgs(2)),
		RunE: ask[server.Card]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, list []string) (server.Card, error) { // the counters go along
			return s.Merge(cmd.Context(), server.MergeRequest{Into: a.cardPath(s.Brain(), list[0]), From: a.cardPath(s.Brain(), list[1])})
		}, a.showCard}.run(a),
	}
}

func (a *app) tidyCommand() *cobra.Command {
	var r server.TidyRequest
	var hot atMost
	cmd := &cobra.Command{
		Use:   "tidy [PATH...]",
		Short: "Show which cards could be merged or archived; --apply does it, and undo takes it back",
		RunE: ask[server.Tidied]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, list []string) (server.Tidied, error) {
			r.Hot = int(hot)
			for _, p := range list {
				r.Paths = append(r.Paths, a.cardPath(s.Brain(), p))
			}
			done, err := s.Tidy(cmd.Context(), r)
			if len(done.Failed) > 0 {
				a.status = exitFailed
				a.warn(a.word(say(textNotTidied, strings.Join(done.Failed, ", "))))
			} else if err == nil && len(done.Suggestions)+len(done.Crowd) == 0 && !a.noCard(cmd.Context(), s) {
				a.next(textNothingTidy)
			}
			return done, err
		}, func(done server.Tidied) {
			a.showSuggestions(done.Suggestions)
			if len(done.Crowd) > 0 {
				a.print("%s\n", plain(a.locale().Crowd(done.Crowd)))
			}
		}}.run(a),
	}
	cmd.Flags().Var(&hot, "hot", "maximum number of active cards; also suggest to archive the least useful beyond")
	cmd.Flags().BoolVar(&r.Apply, "apply", false, "do what is suggested")
	return cmd
}

func (a *app) showSuggestions(list []life.Suggestion) {
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	for _, g := range list {
		what := a.word(say(textArchive))
		if g.Into != "" {
			what = a.word(say(textMergeInto, plain(g.Into)))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", plain(g.Path), what, a.locale().Reason(g))
	}
	_ = w.Flush() // what cannot be written shows at the end
}

func (a *app) consolidateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "consolidate",
		Short: "Show duplicate cards, candidates that repeat a card, and items that contradict each other",
		Args:  args(cobra.NoArgs),
		RunE: ask[server.Consolidation]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, _ []string) (server.Consolidation, error) {
			return s.Consolidate(cmd.Context())
		}, func(c server.Consolidation) {
			if len(c.Twins)+len(c.Recurring)+len(c.Contradictions) == 0 {
				a.next(textNothingTwice)
			}
			a.showSuggestions(c.Twins)
			for _, x := range a.locale().Named(c.Recurring...) {
				a.print("%s\n", a.word(say(textRepeats, plain(x.Title), plain(x.Similar))))
			}
			for _, x := range c.Contradictions {
				a.print("%s\n  %s: %s\n  %s: %s\n", a.word(say(textContradicts)),
					plain(x.A), plain(x.ItemA), plain(x.B), plain(x.ItemB))
			}
		}}.run(a),
	}
}

func (a *app) retractCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "retract TURN",
		Short: "Move the cards that a turn created to the trash; log names the turns",
		Args:  args(cobra.ExactArgs(1)),
		RunE: ask[[]string]{a.openFiles, func(s *server.Server, cmd *cobra.Command, list []string) ([]string, error) {
			return s.Retract(cmd.Context(), server.RetractRequest{Origin: list[0]})
		}, a.showTrashed}.run(a),
	}
}

func (a *app) showTrashed(paths []string) {
	for _, path := range paths {
		a.print("%s\n", a.word(say(textInTrash, plain(path))))
	}
}

// overviewResult says where the list of the cards is.
type overviewResult struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"`
}

func (a *app) overviewCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "overview",
		Short: "Write the list of cards to BRAIN.md in the brain",
		Args:  args(cobra.NoArgs),
		RunE: ask[overviewResult]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, _ []string) (overviewResult, error) {
			changed, err := s.Overview(cmd.Context())
			return overviewResult{lessons.OverviewFile, changed}, err
		}, func(r overviewResult) { a.print("%s\n", r.Path) }}.run(a),
	}
}

func (a *app) statsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "Show how often each card was served and addressed, and whether its mistake came back",
		Args:  args(cobra.NoArgs),
		RunE: ask[server.Stats]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, _ []string) (server.Stats, error) {
			return s.Stats(cmd.Context())
		}, a.showStats}.run(a),
	}
}

func (a *app) showStats(stats server.Stats) {
	if len(stats.Cards)+stats.Active == 0 {
		a.next(textNoCardYet)
		return
	}
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, a.word(say(textStatsHead)))
	for _, c := range stats.Cards {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\t%s\n", plain(c.Path), c.Served, c.Addressed, c.Unaddressed, c.Recurred,
			spark(c.Weeks), dash(c.LastUsed))
	}
	_ = w.Flush() // what cannot be written shows at the end
	for _, c := range stats.Cards {
		if c.Recurred > 0 {
			a.print("\n%s", a.word(say(textCameBack, plain(c.Title), c.Served, c.Recurred)))
		}
	}
	for _, c := range stats.Cards {
		if c.Succeeded+c.Failed > 0 {
			a.print("\n%s", a.word(say(textEnded, plain(c.Title), c.Succeeded, c.Failed)))
		}
	}
	a.print("\n%s\n", a.word(say(textNeverServed, len(stats.Never), stats.Active)))
}

// spark draws how often a card was served in each week, the most often highest.
func spark(weeks []server.WeekStats) string {
	const bars = "▁▂▃▄▅▆▇█"
	most := 1
	for _, w := range weeks {
		most = max(most, w.Served)
	}
	var b strings.Builder
	for _, w := range weeks {
		if w.Served <= 0 {
			b.WriteByte('.')
			continue
		}
		b.WriteRune([]rune(bars)[(w.Served*8-1)/most])
	}
	return b.String()
}
