package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/desk"
)

func (a *app) initCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Create the brain folder of a workspace",
		Long: `Init creates the folder .brain in the workspace, and keeps one that is there. In a folder of a
repository that has a brain it needs --yes: what is done below would no longer find that one.`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, list []string) error {
			if a.brain != "" && len(list) == 1 {
				return usageError{say(textTwoFolders)}
			}
			dir, err := a.makeBrain(list, yes)
			if err != nil {
				return err
			}
			return a.result(map[string]string{"path": dir}, func() { a.print("%s\n", dir) })
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "make one beside that of the repository")
	return cmd
}

// makeBrain makes the brain that --brain or HANDRAIL_BRAIN names, else that of the
// workspace. A workspace on the command line is meant more than the environment.
func (a *app) makeBrain(workspace []string, yes bool) (dir string, err error) {
	if len(workspace) == 0 {
		if dir := a.namedBrain(); dir != "" {
			return dir, brain.MakeBrain(dir, "")
		}
		workspace = []string{"."}
	}
	dir = find.New(workspace[0]) // never in a daemon, so relative to this process
	at := a.abs(workspace[0])
	info, err := os.Stat(at)
	_, repository := find.Repository(at)
	there, ok := find.Brain(at)
	if ok && repository && !yes && filepath.Dir(there) != at && (err != nil || info.IsDir()) { // a file is another mistake
		return "", usageError{say(textSecond, there)}
	}
	return dir, brain.MakeBrain(dir, "")
}

func (a *app) newCommand() *cobra.Command {
	var r desk.CreateRequest
	cmd := &cobra.Command{
		Use:   "new TITLE",
		Short: "Write a new card and print its path",
		Long: `Write a new card and print its path. Without a root cause or a concrete item it is a draft, and standard
error says what it lacks. A rule that names no topic comes with every request, unless --severity is given. If a card says
the same already, nothing is written and the status is 1.`,
		Example: `  handrail new "Telegram commands need an allowlist" --severity high \
    --root-cause "The handler trusted every chat." --item "The allowlist is checked before any command runs"`,
		Args: args(func(cmd *cobra.Command, words []string) error {
			if r.CandidateID != "" {
				return nil // it may have a title, or be a draft without one
			}
			return cobra.MinimumNArgs(1)(cmd, words)
		}),
		RunE: func(cmd *cobra.Command, words []string) (err error) {
			s, err := a.openReady(cmd.Context(), brain.Config{}) // the cards must be known to find a twin
			if err != nil {
				return err
			}
			r.Title = strings.Join(words, " ")
			if r.CandidateID != "" && r.Fields.RootCause == "" && len(r.Fields.Checklist) == 0 {
				r.Fields.Status = lessons.Drafted
			}
			r.Language = a.locale()
			made, err := s.Confirm(cmd.Context(), r)
			if err != nil {
				return err
			}
			if made.DuplicateOf != "" {
				sentence := say(textTwin, made.DuplicateOf)
				if made.Quarantined != "" {
					sentence = say(textWrongTwin, made.DuplicateOf, made.Quarantined)
				}
				a.warn(a.word(sentence))
				a.status = exitFailed
				if !a.json {
					return nil
				}
			}
			if a.json {
				return a.printJSON(made)
			}
			a.print("%s\n", made.Path)
			a.mute(cmd.Context(), s)
			if len(made.Lacks) > 0 {
				a.warn(a.locale().Draft(made))
			}
			for _, p := range made.Nowhere {
				a.warn(a.locale().Problem(lessons.Problem{Code: brain.NoSuchPath, Args: []string{p}}))
			}
			if made.EveryRequest && r.Fields.Severity == "" {
				a.warn(a.word(say(textEveryRequest)))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar((*string)(&r.Fields.Kind), "kind", "", "lesson, playbook, qa-finding, policy, preference, architecture, decision or fact")
	f.StringArrayVar(&r.Fields.Tags, "tag", nil, "a `tag` for applies-to (repeatable)")
	f.StringArrayVar(&r.Fields.Paths, "path", nil, "a `glob` of files the card is about (repeatable)")
	f.StringVar(&r.Fields.Project, "project", "", "the project the card is for")
	f.StringVar((*string)(&r.Fields.Severity), "severity", "", "low, medium or high (default: medium; high for a rule that names no topic)")
	f.StringVar(&r.Situation, "situation", "", "what was being done")
	f.StringVar(&r.CandidateID, "candidate", "", "record the candidate with this `ID`; a draft without --root-cause and --item")
	f.StringVar(&r.Fields.Mistake, "mistake", "", "what went wrong")
	f.StringVar(&r.Fields.RootCause, "root-cause", "", "why it happened")
	f.StringVar(&r.Fields.Fix, "fix", "", "how it was fixed")
	f.StringVar(&r.Fields.Evidence, "evidence", "", "what shows it, such as a diff or an output; no agent is told it")
	f.StringArrayVar(&r.Fields.Checklist, "item", nil, "a checklist `item` (repeatable)")
	f.BoolVar(&r.Fields.AllowTwins, "allow-twins", false, "write even though a card with the same title exists")
	return cmd
}

func (a *app) listCommand() *cobra.Command {
	var f desk.CardFilter
	var limit uint32
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List cards, last seen first: path, severity, occurrences, last seen, status, title",
		Args:  args(cobra.NoArgs),
		RunE: ask[[]brain.Card]{a.openListed, func(s *server.Server, cmd *cobra.Command, _ []string) ([]brain.Card, error) {
			f.Limit = int(limit)
			_ = s.Keeper.Distrust(cmd.Context()) // it looks at every file, beside the index; mute says what it found
			cards, err := s.Cards(cmd.Context(), f)
			if err != nil {
				return nil, err
			}
			a.mute(cmd.Context(), s)
			if len(cards) == 0 && !a.noCard(cmd.Context(), s) {
				a.next(textNoCardSuits)
			}
			return cards, nil
		}, func(cards []brain.Card) {
			rows := make([][]any, 0, len(cards))
			for _, c := range cards {
				times := strconv.Itoa(c.Occurrences) + "×"
				rows = append(rows, []any{c.Path, c.Severity, times, cmp.Or(c.LastSeen, "-"), c.Status, strings.TrimSuffix(c.Title+" — "+c.Quarantine, " — ")})
			}
			a.table(rows)
		}}.run(a),
	}
	l := cmd.Flags()
	l.StringVar((*string)(&f.Kind), "kind", "", "only this kind")
	l.StringVar((*string)(&f.Status), "status", "", "active, archived, draft or quarantined")
	l.StringVar((*string)(&f.Source), "source", "", "curated or auto")
	l.StringVar(&f.Project, "project", "", "only this project")
	l.Uint32Var(&limit, "limit", 0, "most cards to show (0: all)")
	return cmd
}

func (a *app) bumpCommand() *cobra.Command {
	cmd := a.cardCommand("bump", "Record that a card's mistake was seen again today", func(s *server.Server, ctx context.Context, path string) (brain.Card, error) {
		return s.Bump(ctx, path, "")
	})
	cmd.Hidden = true // "new" offers it on a twin; for scripts
	return cmd
}

func (a *app) undoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "undo [PATH]",
		Short: "Revert the last change of the cards, or of one card",
		Long: `Revert the last change that was made through Handrail, of any card or of one, to the byte. Repeat it to go
further back. If a card was changed since, nothing is.`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: ask[brain.Undone]{a.openFiles, func(s *server.Server, cmd *cobra.Command, list []string) (brain.Undone, error) {
			return s.Undo(cmd.Context(), desk.UndoRequest{Path: a.cardPath(s.Brain(), strings.Join(list, ""))}) // of one, or none
		}, func(done brain.Undone) {
			for _, c := range done.Cards {
				a.showCard(c)
			}
			for _, path := range done.Removed {
				a.print("%s\n", a.word(say(textGoneAgain, plain(path))))
			}
		}}.run(a),
	}
}

func (a *app) logCommand() *cobra.Command {
	var limit uint32
	cmd := &cobra.Command{
		Use:   "log [PATH]",
		Short: "List changes of the cards, or of one card, newest first",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: ask[[]desk.LogRow]{a.openFiles, func(s *server.Server, cmd *cobra.Command, list []string) ([]desk.LogRow, error) {
			r := desk.LogRequest{Limit: int(limit), Path: a.cardPath(s.Brain(), strings.Join(list, ""))} // of one, or none
			return s.Log(cmd.Context(), r)
		}, a.showLog}.run(a),
	}
	cmd.Flags().Uint32Var(&limit, "limit", 0, "rows at most")
	return cmd
}

func (a *app) showLog(rows []desk.LogRow) {
	if len(rows) == 0 {
		a.next(textNothingDone)
	}
	var cells [][]any
	for _, row := range rows {
		note := ""
		if row.Verb == "quarantine" || row.Verb == "never" { // a person's own words; why something was tidied is a code
			note = row.Why
		}
		if row.Undone {
			note = strings.TrimSpace(a.word(say(textTakenBack)) + " " + note)
		}
		if row.Failed {
			note = strings.TrimSpace(a.word(say(textNotDone)) + " " + note)
		}
		cells = append(cells, []any{row.At.Local().Format(time.DateTime), row.Verb, row.Path, note})
	}
	a.table(cells)
}

// cardCommand is a command that does one thing to one card. It needs no index.
func (a *app) cardCommand(verb, short string, do func(s *server.Server, ctx context.Context, path string) (brain.Card, error)) *cobra.Command {
	return &cobra.Command{
		Use:   verb + " PATH",
		Short: short,
		Args:  args(cobra.ExactArgs(1)),
		RunE: ask[brain.Card]{func(cmd *cobra.Command) (*server.Server, error) {
			return a.open(cmd.Context(), brain.Config{FilesOnly: verb != "archive"}) // whom a card is kept from is in the state
		}, func(s *server.Server, cmd *cobra.Command, list []string) (brain.Card, error) {
			return do(s, cmd.Context(), a.cardPath(s.Brain(), list[0]))
		}, a.showCard}.run(a),
	}
}

// cardPath returns a card's path as the brain names it. A path from the command line is relative to the brain or, where
// no such card is, to the working directory; what leads to no card is returned as it is.
func (a *app) cardPath(b *lessons.Brain, p string) string {
	there := func(p string) (string, bool) {
		rel, err := b.Rel(p)
		if err != nil {
			return "", false
		}
		_, err = b.Lstat(rel)
		return rel, err == nil
	}
	if rel, ok := there(p); ok {
		return rel
	}
	if p != "" {
		if rel, ok := there(a.abs(p)); ok {
			return rel
		}
	}
	return p
}

// openFiles opens a brain for work on its files alone. Without a daemon the index is left
// to whoever owns it, and to the next search.
func (a *app) openFiles(cmd *cobra.Command) (*server.Server, error) {
	return a.open(cmd.Context(), brain.Config{FilesOnly: true})
}

// openListed opens a brain for a command that searches for nothing, and needs no index.
func (a *app) openListed(cmd *cobra.Command) (*server.Server, error) {
	return a.openReady(cmd.Context(), brain.Config{HeadsOnly: true})
}

func (a *app) showCard(c brain.Card) {
	a.print("%s  %s  %d×  %s\n", c.Path, c.Status, c.Occurrences, cmp.Or(c.LastSeen, "-"))
}

func (a *app) noteCommand() *cobra.Command {
	var r desk.NoteRequest
	cmd := &cobra.Command{
		Use:     "note TEXT…",
		Short:   "Add a line with today's date to the month's notes",
		Example: `  handrail note "Moved the cache to the runner's disk" --outcome worked --tag ci`,
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: ask[desk.NoteLine]{a.openListed, func(s *server.Server, cmd *cobra.Command, words []string) (desk.NoteLine, error) {
			r.Text = strings.Join(words, " ")
			return s.Note(cmd.Context(), r)
		}, func(n desk.NoteLine) { a.print("%s\n", plain(n.Path)) }}.run(a),
	}
	cmd.Flags().StringVar(&r.Outcome, "outcome", "", "how it ended: worked, failed or mixed")
	cmd.Flags().StringArrayVar(&r.Tags, "tag", nil, "a `tag` (repeatable)")
	return cmd
}
