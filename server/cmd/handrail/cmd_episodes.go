package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"handrail/server"
)

var (
	textEpisodeAgent = text{"agent", "에이전트"}
	textEpisodeFiles = text{"files", "파일"}
	textEpisodeCards = text{"cards", "카드"}
	textEpisodeTests = text{"tests", "테스트"}
	textTestsPassed  = text{"passed", "통과"}
	textTestsFailed  = text{"failed", "실패"}
	textNeedEpisodes = text{"Name an episode, or --all.", "기록을 지정하거나 --all을 주세요."}
)

func (a *app) episodesCommand() *cobra.Command {
	var limit atMost
	cmd := &cobra.Command{
		Use:   "episodes",
		Short: "Show what came of the turns of the last 90 days, if recorded (HANDRAIL_EPISODES=1)",
		Example: `  handrail episodes --limit 10
  handrail episodes show ID
  handrail new "Name the mistake" --episode ID
  handrail episodes rm --all`,
		Args: args(cobra.NoArgs),
		RunE: ask[[]server.Episode]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, _ []string) ([]server.Episode, error) {
			return s.Episodes(cmd.Context(), server.EpisodesRequest{Limit: int(limit)})
		}, a.listEpisodes}.run(a),
	}
	cmd.Flags().Var(&limit, "limit", "most episodes to show; 0 means all")
	freeText(cmd, "limit")
	cmd.AddCommand(a.episodeShow(), a.episodesForget())
	return cmd
}

func (a *app) listEpisodes(list []server.Episode) {
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	for _, x := range list {
		asked, _, _ := strings.Cut(x.Asked, "\n")
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", plain(x.ID), x.At.Format(time.DateTime), dash(a.tests(x)), len(x.Cards), plain(asked))
	}
	_ = w.Flush() // what cannot be written shows at the end
}

// tests says how an episode's tests ended, "" where none ran.
func (a *app) tests(x server.Episode) string {
	how, ok := map[string]text{"passed": textTestsPassed, "failed": textTestsFailed}[x.Tests]
	if !ok {
		return plain(x.Tests)
	}
	return a.word(say(how))
}

func (a *app) episodeShow() *cobra.Command {
	return &cobra.Command{
		Use:               "show ID",
		Short:             "Show what came of one turn",
		Args:              args(cobra.ExactArgs(1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: ask[server.Episode]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, list []string) (server.Episode, error) {
			found, err := s.Episodes(cmd.Context(), server.EpisodesRequest{ID: list[0]})
			if err != nil {
				return server.Episode{}, err
			}
			return found[0], nil
		}, func(x server.Episode) {
			a.print("%s  %s\n", x.ID, x.At.Format(time.DateTime))
			for _, row := range []struct {
				name text
				text string
			}{
				{textEpisodeAgent, x.Agent},
				{textEpisodeTests, a.tests(x)},
				{textEpisodeFiles, strings.Join(x.Files, ", ")},
				{textEpisodeCards, strings.Join(x.Cards, ", ")},
			} {
				if row.text != "" {
					a.print("%s: %s\n", a.word(say(row.name)), row.text)
				}
			}
			a.print("\n")
			for line := range strings.Lines(x.Asked) {
				a.print("%s\n", strings.TrimRight(line, "\n"))
			}
		}}.run(a),
	}
}

func (a *app) episodesForget() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:               "rm ID...",
		Short:             "Delete episodes for good; --all deletes all",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: ask[[]string]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, ids []string) ([]string, error) {
			if (len(ids) == 0) != all {
				return nil, usageError{say(textNeedEpisodes)}
			}
			if all {
				list, err := s.Episodes(cmd.Context(), server.EpisodesRequest{})
				if err != nil {
					return nil, err
				}
				ids = []string{}
				for _, x := range list {
					ids = append(ids, x.ID)
				}
			}
			return ids, s.ForgetEpisodes(cmd.Context(), ids)
		}, func([]string) {}}.run(a),
	}
	cmd.Flags().BoolVar(&all, "all", false, "all episodes")
	return cmd
}
