package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"handrail/server"
)

// decisions are what "handrail review" does to named candidates, for scripts.
func (a *app) decisions() []*cobra.Command {
	anyway := false
	accept := a.decision("accept", "Turn candidates into drafts, one at a time for each conversation", func(ids []string) server.ReviewRequest {
		return server.ReviewRequest{Accept: ids, Anyway: anyway, Language: a.locale()}
	})
	accept.Flags().BoolVar(&anyway, "anyway", false, "accept despite a duplicate card or missing files")
	return []*cobra.Command{
		accept,
		a.decision("dismiss", "Remove candidates; the same event does not raise them again", func(ids []string) server.ReviewRequest {
			return server.ReviewRequest{Dismiss: ids}
		}),
		a.decision("mute", "Dismiss candidates and never ask about their pattern again", func(ids []string) server.ReviewRequest {
			return server.ReviewRequest{Mute: ids}
		}),
		a.decision("unmute", "Ask about a pattern again, or let a card come again before the requests it was kept from; the list has the keys", func(ids []string) server.ReviewRequest {
			return server.ReviewRequest{Unmute: ids}
		}),
		a.decision("reopen", "Put dismissed or expired candidates back on the list", func(ids []string) server.ReviewRequest {
			return server.ReviewRequest{Reopen: ids}
		}),
		a.promoteCommand(),
		a.pastCommand(),
	}
}

// decision does one thing to the named candidates, or with --all to all of those that
// wait.
func (a *app) decision(verb, short string, request func(ids []string) server.ReviewRequest) *cobra.Command {
	all := false
	takesAll := verb == "accept" || verb == "dismiss"
	cmd := &cobra.Command{
		Use:   verb + " ID...",
		Short: short,
		Args: args(func(cmd *cobra.Command, list []string) error {
			if all {
				return cobra.NoArgs(cmd, list)
			}
			return cobra.MinimumNArgs(1)(cmd, list)
		}),
		RunE: ask[server.Reviewed]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, ids []string) (server.Reviewed, error) {
			if all {
				for _, c := range s.Candidates() {
					ids = append(ids, c.ID)
				}
			}
			done, err := s.Review(cmd.Context(), request(ids))
			for _, l := range done.Left {
				a.status = exitFailed
				a.warn(l.ID + ": " + a.locale().Left(l))
			}
			return done, err
		}, func(done server.Reviewed) {
			for _, d := range done.Drafts {
				a.print("%s\n", d.Path)
			}
		}}.run(a),
	}
	if takesAll {
		cmd.Flags().BoolVar(&all, "all", false, "all waiting candidates")
	}
	return cmd
}

func (a *app) pastCommand() *cobra.Command {
	var limit atMost
	cmd := &cobra.Command{
		Use:   "past",
		Short: "Show what became of candidates, newest first",
		Args:  args(cobra.NoArgs),
		RunE: ask[[]server.Past]{a.openFiles, func(s *server.Server, cmd *cobra.Command, _ []string) ([]server.Past, error) {
			return s.Past(cmd.Context(), server.PastRequest{Limit: int(limit)})
		}, func(list []server.Past) {
			w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
			for _, p := range list {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.At.Local().Format("2006-01-02 15:04:05"), p.Candidate.ID, p.Verb, plain(dash(p.Made)), plain(a.locale().Named(p.Candidate)[0].Title))
			}
			_ = w.Flush() // what cannot be written shows at the end
		}}.run(a),
	}
	cmd.Flags().Var(&limit, "limit", "rows at most")
	return cmd
}

func (a *app) showInbox(box server.Inbox) {
	a.print("%s\n", a.word(say(textWaiting, len(box.Candidates), len(box.Drafts))))
	evidence := func(list []string) {
		for _, e := range list {
			a.print("    %s\n", strings.Join(strings.Fields(e), " "))
		}
	}
	for _, c := range box.Candidates {
		times := ""
		if c.Times > 1 {
			times = fmt.Sprintf(" %d×", c.Times)
		}
		a.print("\n%s  %s%s  %s  %s\n", c.ID[:min(8, len(c.ID))], c.Trigger, times, strings.Join(c.Days(), ", "), c.Title)
		evidence(c.Evidence)
		if c.Similar != "" {
			a.print("    %s\n", a.word(say(textLooksLike, c.Similar)))
		}
	}
	for _, d := range box.Drafts {
		a.print("\n%s  %s\n", d.Path, d.Title)
		evidence(d.Evidence)
	}
	if len(box.Muted) > 0 {
		a.print("\n%s\n", a.word(say(textMuted)))
	}
	for _, m := range box.Muted {
		a.print("%s  %s  %s  %s\n", m.Pattern.Key, m.Pattern.Trigger, m.At.Local().Format("2006-01-02"), m.Pattern.Words)
	}
	if len(box.Never) > 0 {
		a.print("\n%s\n", a.word(say(textNevers)))
	}
	for _, n := range box.Never {
		a.print("%s  %s  %s  %s\n", n.ID[:min(8, len(n.ID))], n.At.Local().Format("2006-01-02"), n.Path, n.Request)
	}
}
