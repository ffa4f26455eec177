// Command handrail is the experience memory of AI coding on the command line, and the language server that editors
// start. "handrail help" lists what it can do; docs/cli.md says it at length.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/daemon"
	words "github.com/handrail-dev/handrail/server/say"
)

// version is set when the program is built.
var version = ""

// The exit statuses.
const (
	exitDone   = 0
	exitFailed = 1 // the message is on stderr
	exitUsage  = 2
)

func main() { os.Exit(run()) }

func run() int {
	// bleve tells of damaged segments on the standard logger. The index finds them by
	// itself and is built anew, which is no news for the terminal.
	log.SetOutput(io.Discard)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	return execute(ctx, call{args: os.Args[1:]}, os.Stdin, os.Stdout, os.Stderr)
}

// call is what the program was called with, and where. The zero value is this process's own.
type call struct {
	args   []string
	inside *daemon.Process // a call that this daemon carries out for another process
}

// app is one run of the program.
type app struct {
	in       io.Reader
	out, err io.Writer
	stdout   io.Writer // what out writes to, for the one command that speaks a protocol

	call
	ends []func() error // run when the command has ended, the last first

	strays bool   // a brain that is none until it is trusted is found, too
	brain  string // --brain
	mine   bool   // --mine
	json   bool   // --json
	lang   string // --lang, "" where it is not given
	status int    // exit status when the command itself returns no error
}

// usageError marks errors that are about the words of the call.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func execute(ctx context.Context, c call, in io.Reader, out, errw io.Writer) int {
	results := &results{to: out}
	a := &app{call: c, in: in, out: results, stdout: out, err: errw}
	root := a.root()
	root.SetArgs(c.args)
	cmd, err := a.carryOut(ctx, root)
	for _, end := range slices.Backward(a.ends) {
		err = errors.Join(err, end())
	}
	if results.err != nil {
		err = said{Text: text{"The result could not be written to standard output; the disk may be full.", "결과를 표준 출력에 쓸 수 없습니다. 디스크가 가득 찼을 수 있습니다."}, Err: results.err}
	}
	if err == nil || errors.Is(err, errDone) || cmd != nil && cmd.Name() == "hook" { // a host would take a failure for a veto
		return a.status
	}
	if sentence, ok := a.wrongUsage(cmd, err); ok {
		a.warn(sentence)
		return exitUsage
	}
	a.warn(a.explain(err))
	return exitFailed
}

// carryOut runs the command. In a daemon a panic is the error of this command alone: the caller is told
// one sentence, the log has the rest.
func (a *app) carryOut(ctx context.Context, root *cobra.Command) (cmd *cobra.Command, err error) {
	if a.inside != nil {
		defer func() {
			if v := recover(); v != nil {
				a.inside.Log("panic", "args", a.args, "value", fmt.Sprint(v), "stack", string(debug.Stack()))
				cmd, _, _ = root.Find(a.args) // what ran was found before
				err = say(text{"Handrail failed inside %q and goes on; the daemon's log in the state folder says where. Try again, and report it if it stays.", "%q 처리 중 Handrail 내부 오류가 났습니다. 계속 동작하며, 자세한 내용은 상태 폴더의 데몬 로그에 있습니다. 다시 해 보고 계속되면 알려 주세요."}, cmd.Name())
			}
		}()
	}
	return root.ExecuteContextC(ctx)
}

// results is standard output, and whether all of it was written.
type results struct {
	to   io.Writer
	some bool  // something was
	err  error // the first failure
}

func (r *results) Write(p []byte) (int, error) {
	n, err := r.to.Write(p)
	r.some = r.some || n > 0
	if r.err == nil {
		r.err = err
	}
	return n, err
}

// groups adds the commands as "handrail help" lists them together.
func (a *app) groups(root *cobra.Command) {
	add := func(id, title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: id, Title: title})
		for _, c := range commands {
			c.GroupID = id
		}
		root.AddCommand(commands...)
	}
	add("loop", "The loop:",
		a.initCommand(), a.retrieveCommand(), a.preflightCommand(), a.whyCommand(), a.postcheckCommand(), a.reviewCommand(),
		a.learnCommand(), a.detectCommand(), a.pauseCommand())
	add("cards", "Cards:",
		a.newCommand(), a.noteCommand(), a.ingestCommand(), a.listCommand(), a.checkCommand(), a.bumpCommand(), a.verifyCommand(), a.archiveCommand(),
		a.cardCommand("rm", "Delete a card; undo brings it back", (*server.Server).Delete),
		a.undoCommand(), a.logCommand(), a.statsCommand(), a.tidyCommand(), a.mergeCommand())
	add("programs", "Editors and agents:",
		a.setupCommand(), a.trustCommand(), a.doctorCommand(), a.versionCommand(), a.upgradeCommand(), a.uninstallCommand(),
		a.lspCommand(), a.mcpCommand(), a.hookCommand(), a.daemonCommand())
}

// first are the commands that "handrail help" shows; "handrail help --all" shows the rest.
var first = []string{"setup", "init", "new", "preflight", "why", "review", "list", "check", "undo", "doctor"}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "handrail",
		Short: "Keep mistakes as lesson cards, and show them before the next similar request",
		Long: `Handrail keeps mistakes as lesson cards: markdown files in the workspace's brain
folder (.brain/ or brain/). The next similar request gets the card's checklist first,
and the answer is checked against it afterwards.`,
		Example: `  handrail init
  handrail new "Telegram commands need an allowlist" --item "The allowlist is checked first"
  handrail preflight "add a telegram command that restarts the server"`,
		Version:       versionText(),
		RunE:          a.showState,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("handrail {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = false
	f := root.PersistentFlags()
	f.StringVar(&a.brain, "brain", "", "the brain `folder` (default: HANDRAIL_BRAIN, else .brain or brain of the workspace)")
	f.BoolVar(&a.mine, "mine", false, "your own brain, which stands behind that of every project")
	f.BoolVar(&a.json, "json", false, "print JSON")
	f.Func("lang", "`language` of messages: en or ko (default: the environment's)", a.setLanguage)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	a.groups(root)
	a.helpCommand(root)
	return root
}

// helpCommand replaces cobra's: it fails for a command that nobody knows. The program's own help shows its first
// commands alone, unless all are asked for.
func (a *app) helpCommand(root *cobra.Command) {
	all, show := false, root.HelpFunc()
	help := &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, topic []string) error {
			cmd, _, err := root.Find(topic)
			if err != nil {
				return err
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		},
	}
	help.Flags().BoolVar(&all, "all", false, "list all commands")
	root.SetHelpCommand(help)
	root.SetHelpFunc(func(cmd *cobra.Command, list []string) {
		if cmd != root || all {
			show(cmd, list)
			return
		}
		for _, c := range root.Commands() {
			c.Hidden = c.Hidden || !slices.Contains(first, c.Name())
		}
		show(cmd, list)
		a.print("\n%s\n", a.word(say(text{"\"handrail help --all\" lists all commands.", "\"handrail help --all\"은 모든 명령을 보여 줍니다."})))
	})
}

func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// languageOf returns the language tag of the environment, by the order POSIX gives the variables.
func languageOf(getenv func(string) string) string {
	return cmp.Or(getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG"), "en")
}

func (a *app) locale() words.Locale {
	return words.LocaleOf(cmp.Or(a.lang, languageOf(a.getenv)))
}

// args wraps cobra's check of positional arguments so that a mistake is wrong usage.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, list []string) error {
		if err := check(cmd, list); err != nil {
			if cmd.HasSubCommands() && len(list) > 0 {
				return usageError{unknownCommand(cmd, list[0])}
			}
			return usageError{said{Text: text{"Too few or too many arguments; the call is \"%s\".", "인자 개수가 맞지 않습니다. \"%s\"처럼 쓰세요."}, Args: []any{cmd.UseLine()}, Err: err}}
		}
		return nil
	}
}

// namedBrain returns the brain that --mine, --brain or HANDRAIL_BRAIN names, "" for none.
func (a *app) namedBrain() string {
	switch {
	case a.mine && a.inside != nil: // the caller has found it, by its own settings
		return a.inside.Server.Brain().Root()
	case a.mine:
		return find.MinePlace()
	}
	dir := cmp.Or(a.brain, a.getenv("HANDRAIL_BRAIN"))
	if dir != "" && a.inside != nil {
		return a.abs(dir)
	}
	return dir
}

// findBrain returns the brain that is named, or that of the first of the given folders (the
// working directory where none is given) that belongs to one.
func (a *app) findBrain(from ...string) (string, error) {
	if folder := a.namedBrain(); folder != "" {
		return folder, nil
	}
	if len(from) == 0 {
		dir, err := a.workDir()
		if err != nil {
			return "", fmt.Errorf("find the brain: %w", err)
		}
		from = []string{dir}
	}
	folder, err := brain.FindBrain(from...)
	if stray, ok := errors.AsType[*lessons.PathError](err); ok && a.strays {
		return stray.Path, nil
	}
	return folder, err
}

// openReady opens the brain for a command that searches, or only lists: it waits for the index unless cfg says that it is
// not made for that, and says so when another process owns it and cannot be asked.
func (a *app) openReady(ctx context.Context, cfg brain.Config) (*server.Server, error) {
	cfg.Log = slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelError}))
	s, err := a.open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if !s.Owner() {
		a.warn(a.word(say(text{"Another Handrail owns this brain's index; answering from one in memory.", "다른 Handrail이 이 brain의 색인을 쓰고 있어 메모리에 만든 색인으로 답합니다."})))
	}
	var failures []error // said at the end: the server, which others use too, must not wait for a terminal
	detach := s.Attach(brain.Notify{NoEmbeddings: func(why error) { failures = append(failures, why) }})
	a.ends = append(a.ends, func() error {
		detach()
		for _, why := range failures {
			a.warn(a.locale().NoEmbeddings(why))
		}
		return nil
	})
	if cfg.HeadsOnly {
		return s, nil
	}
	for long := time.After(indexingTold); ; {
		select {
		case <-s.Ready():
			s.CatchUp(ctx)
			return s, nil
		case <-long:
			if at, ok := a.err.(*os.File); ok && term.IsTerminal(int(at.Fd())) {
				a.warn(a.word(say(text{"Indexing the brain…", "brain 색인 중…"})))
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// indexingTold is how long indexing may take before a person at a terminal is told.
const indexingTold = time.Second
