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
				return usageError{say(text{"Name the workspace's folder or --brain, not both.", "작업 폴더와 --brain 가운데 하나만 주세요."})}
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
		return "", usageError{say(text{"This repository has a brain: %s. Add --yes to make another one for this folder; what is done in it then no longer finds that one.", "이 저장소에는 이미 brain이 있습니다: %s. 이 폴더에 따로 만들려면 --yes를 붙이세요. 그러면 이 폴더에서는 그 brain을 쓰지 않습니다."}, there)}
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
				sentence := say(text{"The card %[1]q says the same. Run \"handrail bump %[1]s\", or use --allow-twins.", "같은 내용의 카드 %[1]q이(가) 있습니다. \"handrail bump %[1]s\"를 실행하거나 --allow-twins를 쓰세요."}, made.DuplicateOf)
				if made.Quarantined != "" {
					sentence = say(text{"The card %[1]q says the same and was put away as wrong: %[2]s. Run \"handrail archive --back %[1]s\", or use --allow-twins.", "같은 내용의 카드 %[1]q이(가) 틀린 카드로 보관되어 있습니다: %[2]s. \"handrail archive --back %[1]s\"를 실행하거나 --allow-twins를 쓰세요."}, made.DuplicateOf, made.Quarantined)
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
				a.warn(a.word(say(text{"It comes with every request, whatever that is about; with severity medium only with those that speak of it.", "내용과 상관없이 모든 요청에 붙습니다. severity를 medium으로 하면 관련된 요청에만 붙습니다."})))
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
				a.next(text{"No card is like that. \"handrail list\" alone shows all.", "조건에 맞는 카드가 없습니다. \"handrail list\"만 쓰면 모두 보여 줍니다."})
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
				a.print("%s\n", a.word(say(text{"%s is gone again", "%s 파일을 만들기 전으로 되돌렸습니다"}, plain(path))))
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
		a.next(text{"Nothing was changed through Handrail yet. \"handrail new TITLE\" writes a card, \"handrail list\" shows those there are.", "Handrail로 바꾼 것이 아직 없습니다. \"handrail new 제목\"으로 카드를 쓰고, \"handrail list\"로 있는 카드를 볼 수 있습니다."})
	}
	var cells [][]any
	for _, row := range rows {
		note := ""
		if row.Verb == "quarantine" || row.Verb == "never" { // a person's own words; why something was tidied is a code
			note = row.Why
		}
		if row.Undone {
			note = strings.TrimSpace(a.word(say(text{"taken back", "되돌림"})) + " " + note)
		}
		if row.Failed {
			note = strings.TrimSpace(a.word(say(text{"failed, nothing was changed", "실패, 바뀐 것 없음"})) + " " + note)
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
