package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"handrail/lessons"
	"handrail/server"
)

func (a *app) promoteCommand() *cobra.Command {
	return a.cardCommand("promote", "Make a draft a card, when it clears the quality bar", func(s loop, cmd *cobra.Command, path string) (server.Card, error) {
		return s.Promote(cmd.Context(), path)
	})
}

func (a *app) verifyCommand() *cobra.Command {
	off := false
	cmd := a.cardCommand("verify", "Say of a card that you have checked it: it weighs more and is never put away", func(s loop, cmd *cobra.Command, path string) (server.Card, error) {
		return s.Verify(cmd.Context(), path, !off)
	})
	cmd.Flags().BoolVar(&off, "off", false, "take it back")
	return cmd
}

func (a *app) mergeCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "merge INTO FROM",
		Short:             "Add what one card says to another that says the same, and move it to the trash",
		Args:              args(cobra.ExactArgs(2)),
		ValidArgsFunction: a.completeCard,
		RunE: func(cmd *cobra.Command, list []string) (err error) {
			s, err := a.openFiles(cmd)
			if err != nil {
				return err
			}
			defer closing(s, &err)
			c, err := s.Merge(cmd.Context(), server.MergeRequest{Into: cardPath(s.Brain(), list[0]), From: cardPath(s.Brain(), list[1])})
			if err != nil {
				return err
			}
			return a.printCard(c)
		},
	}
}

func (a *app) tidyCommand() *cobra.Command {
	var r server.TidyRequest
	var hot atMost
	cmd := &cobra.Command{
		Use:   "tidy [PATH...]",
		Short: "Show which cards could be merged or archived; --apply does it, and undo takes it back",
		RunE: func(cmd *cobra.Command, list []string) (err error) {
			s, err := a.openReady(cmd.Context())
			if err != nil {
				return err
			}
			defer closing(s, &err)
			r.Hot = int(hot)
			for _, p := range list {
				r.Paths = append(r.Paths, cardPath(s.Brain(), p))
			}
			done, err := s.Tidy(cmd.Context(), r)
			if err != nil {
				return err
			}
			if len(done.Failed) > 0 {
				a.status = exitFailed
				a.warn(a.word(say(textNotTidied, strings.Join(done.Failed, ", "))))
			}
			if a.json {
				return a.printJSON(done)
			}
			a.printSuggestions(done)
			return nil
		},
	}
	cmd.Flags().Var(&hot, "hot", "active cards wanted at most; the least useful beyond are suggested too")
	cmd.Flags().BoolVar(&r.Apply, "apply", false, "do what is suggested")
	return cmd
}

func (a *app) printSuggestions(done server.Tidied) {
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	for _, g := range done.Suggestions {
		what := a.word(say(textArchive))
		if g.Into != "" {
			what = a.word(say(textMergeInto, lessons.Visible(g.Into)))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", lessons.Visible(g.Path), what, a.locale().Reason(g))
	}
	_ = w.Flush() // what cannot be written shows at the end
}

func (a *app) consolidateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "consolidate",
		Short: "Show cards that say the same, candidates that repeat a card, and items that contradict each other",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			s, err := a.openReady(cmd.Context())
			if err != nil {
				return err
			}
			defer closing(s, &err)
			c, err := s.Consolidate(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(c)
			}
			a.printSuggestions(server.Tidied{Suggestions: c.Twins})
			for _, x := range c.Recurring {
				a.print("%s\n", a.word(say(textRepeats, lessons.Visible(x.Title), lessons.Visible(x.Similar))))
			}
			for _, x := range c.Contradictions {
				a.print("%s\n  %s: %s\n  %s: %s\n", a.word(say(textContradicts)),
					lessons.Visible(x.A), lessons.Visible(x.ItemA), lessons.Visible(x.B), lessons.Visible(x.ItemB))
			}
			return nil
		},
	}
}

func (a *app) retractCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "retract TURN",
		Short: "Move the cards that a turn made to the trash; list them with log",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, list []string) (err error) {
			s, err := a.openFiles(cmd)
			if err != nil {
				return err
			}
			defer closing(s, &err)
			gone, err := s.Retract(cmd.Context(), server.RetractRequest{Origin: list[0]})
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(gone)
			}
			for _, path := range gone {
				a.print("%s\n", a.word(say(textInTrash, lessons.Visible(path))))
			}
			return nil
		},
	}
}

func (a *app) relateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "relate",
		Short: "Link each card to the three most alike, in a section of its own",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			s, err := a.openReady(cmd.Context())
			if err != nil {
				return err
			}
			defer closing(s, &err)
			done, err := s.Relate(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(done)
			}
			for _, path := range done.Changed {
				a.print("%s\n", lessons.Visible(path))
			}
			return nil
		},
	}
}

func (a *app) overviewCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "overview",
		Short: "Write the list of the cards to BRAIN.md in the brain",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			s, err := a.openReady(cmd.Context())
			if err != nil {
				return err
			}
			defer closing(s, &err)
			changed, err := s.Overview(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(struct {
					Path    string `json:"path"`
					Changed bool   `json:"changed"`
				}{lessons.OverviewFile, changed})
			}
			a.print("%s\n", lessons.OverviewFile)
			return nil
		},
	}
}

func (a *app) statsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "Show what came of each card: served, addressed, and whether the mistake came back",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			s, err := a.openReady(cmd.Context())
			if err != nil {
				return err
			}
			defer closing(s, &err)
			stats, err := s.Stats(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(stats)
			}
			w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, a.word(say(textStatsHead)))
			for _, c := range stats.Cards {
				fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\t%s\n", lessons.Visible(c.Path), c.Served, c.Addressed, c.Unaddressed, c.Recurred,
					spark(c.Weeks), dash(c.LastUsed))
			}
			if err := w.Flush(); err != nil {
				return err
			}
			for _, c := range stats.Cards {
				if c.Recurred > 0 {
					a.print("\n%s", a.word(say(textCameBack, lessons.Visible(c.Title), c.Served, c.Recurred)))
				}
			}
			a.print("\n%s\n", a.word(say(textNeverServed, len(stats.Never), stats.Active)))
			return nil
		},
	}
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
