package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/side"
	"github.com/handrail-dev/handrail/lessons/terms"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/desk"
	words "github.com/handrail-dev/handrail/server/say"
)

type (
	text = words.Text
	said = words.Said
)

// What the command line itself has to say. Sentences about cards and brains are the server's.
var (
	textFlagValue  = text{"The flag %q cannot be %q.", "%q 플래그에 %q 값을 쓸 수 없습니다."}
	textNeedText   = text{"Give a text, or --jsonl and texts on standard input.", "텍스트를 적거나, --jsonl을 붙여 표준 입력으로 주세요."}
	textNotAllRead = text{"%s: the check of \"%s\" did not read all of the change, which is too large for its pattern.", "%s: 변경이 패턴에 비해 너무 커서 \"%s\"의 check가 끝까지 읽지 못했습니다."}
	textOutdated   = text{"a card names code that goes here; change the card, or put it away", "여기서 없어지는 코드를 카드가 가리킵니다. 카드를 고치거나 보관하세요"}
	textNoCardYet  = text{"The brain has no card yet. \"handrail new TITLE\" writes one; or tell your agent what it did wrong, and \"handrail review\" shows what there is to record.", "아직 카드가 없습니다. \"handrail new 제목\"으로 쓰거나, 에이전트에게 무엇이 틀렸는지 말한 다음 \"handrail review\"에서 기록할 것을 보세요."}
	textBadRan     = text{"The commands in %q could not be read: line %d is no command and no JSON object with one.", "%q의 명령을 읽을 수 없습니다. %d번째 줄이 명령도, 명령이 있는 JSON 객체도 아닙니다."}
)

func say(t text, args ...any) said { return said{Text: t, Args: args} }

// explain returns one clear sentence about err in the person's language.
func (a *app) explain(err error) string {
	if a.mine && errors.Is(err, lessons.ErrNoBrain) {
		return a.word(say(text{"You have no brain of your own yet. Make it with \"handrail init --mine\".", "아직 자신의 brain이 없습니다. \"handrail init --mine\"으로 만드세요."}))
	}
	return a.locale().Explain(err)
}

// print writes a result for a person. Text of cards is data: what a terminal or a host of
// agents would obey, or hide, is spelled out.
func (a *app) print(format string, args ...any) {
	for i, arg := range args {
		if s, ok := arg.(string); ok {
			args[i] = plain(s)
		}
	}
	fmt.Fprint(a.out, lessons.LogSafe(lessons.VisibleLines(fmt.Sprintf(format, args...))))
}

// table prints rows of cells, the columns below each other. Text of cards is data here too.
func (a *app) table(rows [][]any) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			shown := plain(fmt.Sprint(cell))
			row[i] = shown
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], words.Columns(shown))
		}
	}
	out := bufio.NewWriter(a.out)
	for _, row := range rows {
		for i, cell := range row {
			fmt.Fprint(out, cell)
			if i < len(row)-1 {
				fmt.Fprint(out, strings.Repeat(" ", widths[i]-words.Columns(cell.(string))+2))
			}
		}
		fmt.Fprintln(out)
	}
	_ = out.Flush() // what cannot be written shows at the end
}

// plain is a text of a card or a file's name for one line.
func plain(s string) string { return lessons.LogSafe(lessons.Shown(s)) }

// encoder returns a writer of JSON, a value a line or indented, in which texts are inert but for
// some that are so, and what a terminal or a log would obey or hide is escaped.
func (a *app) encoder(indent string, inert ...string) func(v any) error {
	return func(v any) error {
		raw, err := side.JSON(v, "", indent)
		if err != nil {
			return err
		}
		var b strings.Builder
		for _, r := range string(lessons.InertJSON(raw, false, inert...)) {
			if r < 0x7f || lessons.Visible(string(r)) == string(r) {
				b.WriteRune(r)
				continue
			}
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, "\\u%04x", unit)
			}
		}
		_, err = io.WriteString(a.out, lessons.LogSafeJSON(b.String()))
		return err
	}
}

// next tells on standard error what a person can do where a result is empty. Whoever reads JSON
// sees by itself that it is.
func (a *app) next(t text) {
	if !a.json {
		a.warn(a.word(say(t)))
	}
}

// noCard reports whether the brain has no card at all, and tells the next step then.
func (a *app) noCard(ctx context.Context, s *server.Server) bool {
	cards, err := s.Cards(ctx, desk.CardFilter{Limit: 1})
	if err != nil || len(cards) > 0 || a.mine {
		return false
	}
	a.next(textNoCardYet)
	return true
}

// warn tells a person one sentence on standard error.
func (a *app) warn(sentence string) {
	sentence = strings.ReplaceAll(sentence, "\n", "; ") // several errors in one
	fmt.Fprintf(a.err, "handrail: %s\n", plain(a.called(sentence)))
}

func (a *app) word(s said) string {
	for i, sentence := range s.Text {
		s.Text[i] = a.called(sentence)
	}
	return s.Text.In(string(a.locale()), s.Args...)
}

// npxed puts npx before commands of the program: neither twice, nor into a path.
var npxed = strings.NewReplacer("npx handrail ", "npx handrail ", "/handrail ", "/handrail ", `\handrail `, `\handrail `, "handrail ", "npx handrail ")

// called writes commands of the program as this person calls it: npx leaves none on the PATH.
func (a *app) called(sentence string) string {
	exe, _ := os.Executable() // none, then the environment says
	if a.getenv("npm_lifecycle_event") == "npx" || strings.Contains(filepath.ToSlash(exe), "/_npx/") {
		return npxed.Replace(sentence)
	}
	return sentence
}

// wrongUsage reports whether err is about the words of the call, and says so.
func (a *app) wrongUsage(cmd *cobra.Command, err error) (sentence string, ok bool) {
	var usage usageError
	var request *brain.RequestError
	switch {
	case errors.As(err, &request): // it comes from flags alone
	case errors.As(err, &usage):
	case strings.HasPrefix(err.Error(), "unknown command"): // cobra has no type for it
		_ = cmd.Root().ParseFlags(a.args) // no command was found to read --lang for; what is wrong beside it waits
		name := ""
		_, _ = fmt.Sscanf(err.Error(), "unknown command %q", &name) // an unreadable name is said as none
		err, cmd = unknownCommand(cmd.Root(), name), cmd.Root()
	default:
		return "", false
	}
	return a.explain(flagSentence(cmd, err)) + " " + a.word(say(text{"See \"%s --help\".", "\"%s --help\"를 보세요."}, cmd.CommandPath())), true
}

// unknownCommand says that a command has no such subcommand, and which may be meant: one that begins so or is a letter
// from it, of a long word two.
func unknownCommand(cmd *cobra.Command, name string) error {
	cmd.SuggestionsMinimumDistance = 1
	if len(name) > 4 {
		cmd.SuggestionsMinimumDistance = 2
	}
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		return say(text{"There is no command %q; did you mean %q?", "%q 명령은 없습니다. %q을(를) 쓰려던 것인가요?"}, name, near[0])
	}
	return say(text{"There is no command %q.", "%q 명령은 없습니다."}, name)
}

// flagSentence words what is wrong with a flag; other errors are returned as they are.
func flagSentence(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var needs *pflag.ValueRequiredError
	var value *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	var choice *lessons.ValueError
	switch {
	case errors.As(err, &unknown):
		name, near, least := unknown.GetSpecifiedName(), "", 3 // letters apart
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if d := terms.Distance(name, f.Name); d < min(least, max(2, len(name)/2)) {
				near, least = "--"+f.Name, d
			}
		})
		if near != "" {
			return say(text{"There is no flag %q; did you mean %q?", "%q 플래그는 없습니다. %q을(를) 쓰려던 것인가요?"}, dashes(name, unknown.GetSpecifiedShortnames()), near)
		}
		return say(text{"There is no flag %q.", "%q 플래그는 없습니다."}, dashes(name, unknown.GetSpecifiedShortnames()))
	case errors.As(err, &needs):
		return say(text{"The flag %q needs a value.", "%q 플래그에는 값이 필요합니다."}, dashes(needs.GetSpecifiedName(), needs.GetSpecifiedShortnames()))
	case errors.As(err, &value) && errors.As(err, &choice):
		return &lessons.ValueError{Field: value.GetFlag().Name, Value: choice.Value, Allowed: choice.Allowed}
	case errors.As(err, &value):
		return say(textFlagValue, "--"+value.GetFlag().Name, value.GetValue())
	case errors.As(err, &syntax):
		return say(text{"%q is not a flag.", "%q은(는) 플래그가 아닙니다."}, syntax.GetSpecifiedFlag())
	}
	return err
}

func dashes(name, shorthands string) string {
	if shorthands != "" {
		return "-" + name
	}
	return "--" + name
}
