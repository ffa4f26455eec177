package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/desk"
)

var textTitle = text{"Title", "제목"}

func (a *app) reviewCommand() *cobra.Command {
	list := false
	cmd := &cobra.Command{
		Use:   "review",
		Short: "Go through what waits to be recorded: record it, leave it for later, or never",
		Long: `Review shows the candidates and drafts that wait, one at a time, and records those that
you want to keep: one key each at a terminal, else a line each. Record asks for what is missing. --list only
lists them, with their evidence; the subcommands decide on candidates by their ID. A candidate expires
after 30 days.`,
		Example: `  handrail review
  handrail review --list
  handrail review accept 3f2a 91bc`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, words []string) error {
			if list || a.json {
				return ask[desk.Inbox]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, _ []string) (desk.Inbox, error) {
					return s.Inbox(cmd.Context(), a.locale())
				}, a.showInbox}.run(a)(cmd, words)
			}
			r := &reviewer{app: a, ctx: cmd.Context(), in: bufio.NewReader(interruptible(cmd.Context(), a.in))}
			if in, ok := r.terminal(); ok {
				r.keys = in
			}
			box, err := asks[desk.Inbox](r.ctx, a, nil, "review", "--list")
			if err != nil {
				return err
			}
			var all []waits
			for _, c := range box.Candidates {
				all = append(all, waits{Candidate: c})
			}
			for _, d := range box.Drafts {
				untitled := slices.Contains(d.Weak, string(lessons.MissingTitle))
				all = append(all, waits{brain.Candidate{Title: d.Title, Evidence: d.Evidence, Untitled: untitled}, d.Path})
			}
			if len(all) == 0 {
				a.tell(text{"Nothing waits to be recorded.", "기록할 것이 없습니다."})
			}
			return r.ask(all)
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list what waits, and decide nothing")
	cmd.AddCommand(
		a.promoteCommand(),
		a.decision("accept", "Turn candidates into drafts, and print their paths"),
		a.decision("dismiss", "Remove candidates; the same event does not raise them again"),
		a.decision("unmute", "Let a card come again before requests that it was kept from; the list has the keys"),
	)
	return cmd
}

// reviewer goes through what waits. It asks the loop by the program's own commands, so that a
// daemon carries them out and every window hears of it.
type reviewer struct {
	*app
	ctx  context.Context
	in   *bufio.Reader
	keys *os.File // the terminal that single keys are read from; nil where lines are
}

// waits is a candidate, or a draft where Path is set.
type waits struct {
	brain.Candidate
	Path string
}

// answers are what a person typed of a card.
type answers struct {
	title, cause string
	items        []string
}

// command runs one of the program's commands as if it had been typed, with what it reads or nil, and returns what it
// printed. Its error is what it said on standard error.
func (a *app) command(ctx context.Context, in []byte, args ...string) ([]byte, error) {
	if a.mine {
		args = append([]string{"--mine"}, args...)
	}
	if a.brain != "" {
		args = append([]string{"--brain", a.brain}, args...)
	}
	if a.lang != "" {
		args = append([]string{"--lang", a.lang}, args...)
	}
	var out, failed bytes.Buffer
	if status := execute(ctx, call{args: args}, bytes.NewReader(in), &out, &failed); status != exitDone {
		sentence, _, _ := strings.Cut(failed.String(), "\n")
		return nil, said{Text: text{"%s", "%s"}, Args: []any{strings.TrimPrefix(sentence, "handrail: ")}}
	}
	return out.Bytes(), nil
}

// asks is command of one that answers JSON.
func asks[R any](ctx context.Context, a *app, in []byte, args ...string) (answer R, err error) {
	out, err := a.command(ctx, in, append([]string{"--json"}, args...)...)
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	return answer, err
}

// ask goes through what waits.
func (r *reviewer) ask(list []waits) error {
	for len(list) > 0 {
		w, typed := list[0], answers{items: list[0].Items()}
		if !w.Untitled && w.Path == "" {
			typed.title = w.Title
		}
		r.show(w)
		for settled := false; !settled; {
			keys := text{"%d left · r record · l later · n never · q quit: ", "%d개 남음 · r 기록 · l 나중에 · n 안 함 · q 끝내기: "}
			r.print("\n%s", r.word(say(keys, len(list))))
			key, err := r.key()
			if err != nil && key == "" {
				r.print("\n")
				return r.ctx.Err()
			}
			switch key {
			case "q":
				return r.ctx.Err()
			case "l":
				settled = true
			case "r":
				settled = r.record(w, &typed)
			case "n":
				settled = r.drop(w)
			}
		}
		list = list[1:]
	}
	return nil
}

// drop takes what waits off the list for good, and reports whether it did.
func (r *reviewer) drop(w waits) bool {
	line, what := []string{"review", "dismiss", w.ID}, text{"Will not be asked again: %s", "다시 묻지 않습니다: %s"}
	if w.Path != "" {
		line, what = []string{"rm", w.Path}, text{"Deleted: %s", "지웠습니다: %s"}
	}
	_, err := r.command(r.ctx, nil, line...)
	if err != nil {
		r.print("%s\n", r.explain(err))
		return false
	}
	r.tell(what, w.Title)
	return true
}

// record makes a card of what waits, and reports whether it did. A person confirms it by this.
func (r *reviewer) record(w waits, typed *answers) bool {
	var line []string
	switch wrote := r.typed(w, typed); {
	case !wrote:
		r.tell(text{"Not recorded.", "기록하지 않았습니다."})
		return false
	case w.Path != "":
		line = []string{"review", "promote", w.Path, "--title", typed.title}
	default:
		line = []string{"new", "--candidate", w.ID, "--root-cause", typed.cause}
		for _, item := range typed.items {
			line = append(line, "--item", item)
		}
		line = append(line, "--", typed.title)
	}
	made, err := asks[brain.Created](r.ctx, r.app, nil, line...)
	switch {
	case err == nil:
		r.tell(text{"Recorded: %s", "기록했습니다: %s"}, made.Path)
		for _, p := range made.Nowhere {
			r.print("%s\n", r.locale().Problem(lessons.Problem{Code: brain.NoSuchPath, Args: []string{p}}))
		}
	case w.Path != "":
		r.tell(text{"Not complete yet: %s Edit %s, then record it again.", "아직 완성되지 않았습니다. %s %s 파일을 고친 뒤 다시 기록하세요."}, r.explain(err), w.Path)
	default:
		r.print("%s\n", r.explain(err))
	}
	return err == nil
}

// typed asks for what a card needs beyond what was seen, and reports whether the person wrote it.
func (r *reviewer) typed(w waits, typed *answers) bool {
	if w.Path != "" {
		return !w.Untitled || r.answer(&typed.title, textTitle) && typed.title != ""
	}
	rule := w.Kind == lessons.Policy || w.Kind == lessons.Preference // needs no root cause
	open := r.answer(&typed.title, textTitle) && (rule || r.answer(&typed.cause, text{"Root cause (why it happened)", "근본 원인 (왜 그렇게 되었는지)"}))
	var items []string
	for open {
		item := ""
		if n := len(items); n < len(typed.items) {
			item = typed.items[n]
		}
		open = r.answer(&item, text{"Checklist item %d (a fact to check next time; empty: no more)", "체크리스트 항목 %d (다음에 확인할 사실. 비우면 끝)"}, len(items)+1)
		if item == "" {
			break
		}
		items = append(items, item)
	}
	typed.items = items
	return typed.cause != "" || len(items) > 0
}

// answer asks for a line and reports whether there was one; an empty one leaves what was there.
func (r *reviewer) answer(to *string, question text, args ...any) bool {
	prompt := r.word(say(question, args...))
	if *to != "" {
		prompt += " [" + *to + "]"
	}
	r.print("%s: ", prompt)
	line, err := r.in.ReadString('\n')
	line = strings.TrimSpace(line)
	if line != "" {
		*to = line
	}
	return err == nil
}

// terminal returns this process's terminal, where there is one that can tell of single keys. A console of Windows knows no
// control sequences unless it is asked to.
func (r *reviewer) terminal() (in *os.File, ok bool) {
	in, isFile := r.app.in.(*os.File)
	out, also := r.stdout.(*os.File)
	return in, isFile && also && term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd())) && r.getenv("TERM") != "dumb" && runtime.GOOS != "windows"
}

// key waits for a key, or for a line where there is no terminal.
func (r *reviewer) key() (string, error) {
	if r.keys == nil {
		line, err := r.in.ReadString('\n')
		return strings.ToLower(strings.TrimSpace(line)), err
	}
	cooked, err := term.MakeRaw(int(r.keys.Fd()))
	if err != nil {
		return "", fmt.Errorf("take over the terminal: %w", err)
	}
	c, _, err := r.in.ReadRune()
	_ = term.Restore(int(r.keys.Fd()), cooked) // a terminal that is gone needs it no more
	if err != nil || c == 3 || c == 4 {        // Ctrl-C and Ctrl-D
		c = 'q'
	}
	r.print("%s\n", string(c))
	return strings.ToLower(string(c)), err
}

// show prints what is known of what waits.
func (r *reviewer) show(w waits) {
	text := strings.Join([]string{w.Situation, w.Mistake, w.Fix, w.Proof}, "\n")
	if w.Path == "" {
		r.showCandidate(w.Candidate)
	} else {
		r.print("\n%s  %s\n", w.Path, w.Title)
		r.showEvidence(w.Evidence)
		if folder, err := r.findBrain(); err == nil {
			src, _ := os.ReadFile(filepath.Join(folder, filepath.FromSlash(w.Path))) // one that is gone has no text
			text = string(src)
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if line != "" && !strings.HasPrefix(line, "<!--") { // which the template says
			r.print("  %s\n", strings.ReplaceAll(line, "\t", "    "))
		}
	}
}
