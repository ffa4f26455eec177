package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/desk"
)

func (a *app) noteCommand() *cobra.Command {
	var r desk.NoteRequest
	cmd := &cobra.Command{
		Use:     "note TEXT…",
		Short:   "Add a line with today's date to the month's notes",
		Example: `  handrail note "Moved the cache to the runner's disk" --outcome worked --tag ci`,
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: ask[desk.NoteLine]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, words []string) (desk.NoteLine, error) {
			r.Text = strings.Join(words, " ")
			return s.Note(cmd.Context(), r)
		}, func(n desk.NoteLine) { a.print("%s\n", plain(n.Path)) }}.run(a),
	}
	cmd.Flags().StringVar(&r.Outcome, "outcome", "", "how it ended: worked, failed or mixed")
	cmd.Flags().StringArrayVar(&r.Tags, "tag", nil, "a `tag` (repeatable)")
	return cmd
}
