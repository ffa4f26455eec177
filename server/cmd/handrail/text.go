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
	textCall           = text{"Too few or too many arguments; the call is \"%s\".", "인자 개수가 맞지 않습니다. \"%s\"처럼 쓰세요."}
	textUnknownCommand = text{"There is no command %q.", "%q 명령은 없습니다."}
	textUnknownFlag    = text{"There is no flag %q.", "%q 플래그는 없습니다."}
	textMeantFlag      = text{"There is no flag %q; did you mean %q?", "%q 플래그는 없습니다. %q을(를) 쓰려던 것인가요?"}
	textMeantCommand   = text{"There is no command %q; did you mean %q?", "%q 명령은 없습니다. %q을(를) 쓰려던 것인가요?"}
	textFlagNeedsValue = text{"The flag %q needs a value.", "%q 플래그에는 값이 필요합니다."}
	textFlagValue      = text{"The flag %q cannot be %q.", "%q 플래그에 %q 값을 쓸 수 없습니다."}
	textFlagSyntax     = text{"%q is not a flag.", "%q은(는) 플래그가 아닙니다."}
	textSee            = text{"See \"%s --help\".", "\"%s --help\"를 보세요."}

	textMore = text{"\"handrail help --all\" lists all commands.", "\"handrail help --all\"은 모든 명령을 보여 줍니다."}

	textNeedText   = text{"Give a text, or --jsonl and texts on standard input.", "텍스트를 적거나, --jsonl을 붙여 표준 입력으로 주세요."}
	textNeedAnswer = text{"Give --answer, and --card or --query.", "--answer와 함께 --card나 --query를 주세요."}

	textOneBase    = text{"Give --diff at most one commit, and neither cards nor --strict, --hints or --fix.", "--diff에는 커밋 하나만 줄 수 있고, 카드나 --strict, --hints, --fix와 함께 쓸 수 없습니다."}
	textSettles    = text{"What a merge left in conflict: \"handrail check --fix\" settles counters, dates, lists and items.", "병합 충돌 가운데 횟수, 날짜, 목록, 항목은 \"handrail check --fix\"로 합칠 수 있습니다."}
	textSettled    = text{"%s: counters, dates, lists and items of the merge are settled. \"handrail undo\" reverts it.", "%s: 병합의 횟수, 날짜, 목록, 항목을 합쳤습니다. \"handrail undo\"로 되돌립니다."}
	textNotAllRead = text{"%s: the check of \"%s\" did not read all of the change, which is too large for its pattern.", "%s: 변경이 패턴에 비해 너무 커서 \"%s\"의 check가 끝까지 읽지 못했습니다."}
	textNoPatch    = text{"The patch could not be read from standard input, or is larger than 256 MiB.", "표준 입력에서 패치를 읽을 수 없거나 패치가 256MiB보다 큽니다."}

	textWhichCard = text{"Name the card as well: why QUERY PATH.", "카드도 지정해 주세요: why QUERY PATH."}

	textRunning = text{"A daemon serves this brain already.", "이 brain을 맡은 데몬이 이미 있습니다."}

	textPanic = text{"Handrail failed inside %q and goes on; the daemon's log in the state folder says where. Try again, and report it if it stays.", "%q 처리 중 Handrail 내부 오류가 났습니다. 계속 동작하며, 자세한 내용은 상태 폴더의 데몬 로그에 있습니다. 다시 해 보고 계속되면 알려 주세요."}

	textSecond     = text{"This repository has a brain: %s. Add --yes to make another one for this folder; what is done in it then no longer finds that one.", "이 저장소에는 이미 brain이 있습니다: %s. 이 폴더에 따로 만들려면 --yes를 붙이세요. 그러면 이 폴더에서는 그 brain을 쓰지 않습니다."}
	textTwoFolders = text{"Name the workspace's folder or --brain, not both.", "작업 폴더와 --brain 가운데 하나만 주세요."}

	textNotMine     = text{"You have no brain of your own yet. Make it with \"handrail init --mine\".", "아직 자신의 brain이 없습니다. \"handrail init --mine\"으로 만드세요."}
	textNeedSource  = text{"Name a file, a folder or a URL, or use --refresh alone.", "파일, 폴더 또는 URL을 지정하거나 --refresh만 쓰세요."}
	textUnchanged   = text{"%s has not changed.", "%s은(는) 그대로입니다."}
	textKeptAs      = text{"%s: %d notes, from %s on", "%s: 노트 %d개, %s부터"}
	textNotRead     = text{"%s was not read: %s.", "%s을(를) 읽지 않았습니다: %s."}
	textOutdated    = text{"a card names code that goes here; change the card, or put it away", "여기서 없어지는 코드를 카드가 가리킵니다. 카드를 고치거나 보관하세요"}
	textNotTidied   = text{"Not changed, because it was not safe: %s.", "안전하게 고칠 수 없어 그대로 두었습니다: %s."}
	textArchive     = text{"archive", "보관"}
	textMergeInto   = text{"merge into %s", "%s에 합치기"}
	textStatsHead   = text{"card\tserved\taddressed\tnot addressed\tcame back\tlast used", "카드\t제공\t반영\t반영 안 됨\t재발\t마지막 사용"}
	textOnlySaid    = text{"only the answer says so", "답변에만 있음"}
	textBrokenAt    = text{"broken at %s", "어긴 곳: %s"}
	textNeverServed = text{"%d of %d active cards have matched no request yet", "활성 카드 %[2]d개 가운데 %[1]d개는 아직 어떤 요청에도 쓰이지 않았습니다"}

	textWaiting   = text{"Candidates waiting: %d. Drafts: %d.", "기다리는 후보: %d개. 초안: %d개."}
	textLooksLike = text{"says the same as %s", "%s와(과) 같은 내용"}
	textNevers    = text{"Cards excluded from requests like these (\"handrail review unmute ID\" ends it):", "이런 요청에는 쓰지 않는 카드 (\"handrail review unmute ID\"로 되돌립니다):"}

	textNoCardYet   = text{"The brain has no card yet. \"handrail new TITLE\" writes one; or tell your agent what it did wrong, and \"handrail review\" shows what there is to record.", "아직 카드가 없습니다. \"handrail new 제목\"으로 쓰거나, 에이전트에게 무엇이 틀렸는지 말한 다음 \"handrail review\"에서 기록할 것을 보세요."}
	textNoCardSuits = text{"No card is like that. \"handrail list\" alone shows all.", "조건에 맞는 카드가 없습니다. \"handrail list\"만 쓰면 모두 보여 줍니다."}
	textNothingDone = text{"Nothing was changed through Handrail yet. \"handrail new TITLE\" writes a card, \"handrail list\" shows those there are.", "Handrail로 바꾼 것이 아직 없습니다. \"handrail new 제목\"으로 카드를 쓰고, \"handrail list\"로 있는 카드를 볼 수 있습니다."}
	textNothingTidy = text{"Nothing to tidy: no card repeats another or has gone out of use. \"handrail stats\" shows how each was used.", "정리할 것이 없습니다. 서로 겹치거나 쓰이지 않는 카드가 없습니다. \"handrail stats\"에서 카드마다 쓰임을 볼 수 있습니다."}
	textNoneNear    = text{"No card is near this request. Name one to see why: handrail why QUERY PATH.", "이 요청에 가까운 카드가 없습니다. 카드를 지정하면 이유를 볼 수 있습니다: handrail why 요청 경로."}
	textNoneSimilar = text{"No card is similar to it.", "비슷한 카드가 없습니다."}

	textGoneAgain    = text{"%s is gone again", "%s 파일을 만들기 전으로 되돌렸습니다"}
	textShared       = text{"Another Handrail owns this brain's index; answering from one in memory.", "다른 Handrail이 이 brain의 색인을 쓰고 있어 메모리에 만든 색인으로 답합니다."}
	textIndexing     = text{"Indexing the brain…", "brain 색인 중…"}
	textEveryRequest = text{"It comes with every request, whatever that is about; with severity medium only with those that speak of it.", "내용과 상관없이 모든 요청에 붙습니다. severity를 medium으로 하면 관련된 요청에만 붙습니다."}
	textBadLine      = text{"Line %d is not a JSON object with a text and was passed over.", "%d번째 줄은 text가 있는 JSON 객체가 아니어서 건너뛰었습니다."}
	textTwin         = text{"The card %[1]q says the same. Run \"handrail bump %[1]s\", or use --allow-twins.", "같은 내용의 카드 %[1]q이(가) 있습니다. \"handrail bump %[1]s\"를 실행하거나 --allow-twins를 쓰세요."}
	textWrongTwin    = text{"The card %[1]q says the same and was put away as wrong: %[2]s. Run \"handrail archive --back %[1]s\", or use --allow-twins.", "같은 내용의 카드 %[1]q이(가) 틀린 카드로 보관되어 있습니다: %[2]s. \"handrail archive --back %[1]s\"를 실행하거나 --allow-twins를 쓰세요."}

	textTakenBack = text{"taken back", "되돌림"}
	textNotDone   = text{"failed, nothing was changed", "실패, 바뀐 것 없음"}

	textNoAnswer   = text{"The answer %q could not be read. Name a file, or - for standard input.", "답변 %q을(를) 읽을 수 없습니다. 파일 이름을 주거나, 표준 입력이면 -를 쓰세요."}
	textBadRan     = text{"The commands in %q could not be read: line %d is no command and no JSON object with one.", "%q의 명령을 읽을 수 없습니다. %d번째 줄이 명령도, 명령이 있는 JSON 객체도 아닙니다."}
	textNoPage     = text{"The page could not be written to %q.", "페이지를 %q에 쓸 수 없습니다."}
	textNotWritten = text{"The result could not be written to standard output; the disk may be full.", "결과를 표준 출력에 쓸 수 없습니다. 디스크가 가득 찼을 수 있습니다."}
)

func say(t text, args ...any) said { return said{Text: t, Args: args} }

// explain returns one clear sentence about err in the person's language.
func (a *app) explain(err error) string {
	if a.mine && errors.Is(err, lessons.ErrNoBrain) {
		return a.word(say(textNotMine))
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
	return a.explain(flagSentence(cmd, err)) + " " + a.word(say(textSee, cmd.CommandPath())), true
}

// unknownCommand says that a command has no such subcommand, and which may be meant: one that begins so or is a letter
// from it, of a long word two.
func unknownCommand(cmd *cobra.Command, name string) error {
	cmd.SuggestionsMinimumDistance = 1
	if len(name) > 4 {
		cmd.SuggestionsMinimumDistance = 2
	}
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		return say(textMeantCommand, name, near[0])
	}
	return say(textUnknownCommand, name)
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
			return say(textMeantFlag, dashes(name, unknown.GetSpecifiedShortnames()), near)
		}
		return say(textUnknownFlag, dashes(name, unknown.GetSpecifiedShortnames()))
	case errors.As(err, &needs):
		return say(textFlagNeedsValue, dashes(needs.GetSpecifiedName(), needs.GetSpecifiedShortnames()))
	case errors.As(err, &value) && errors.As(err, &choice):
		return &lessons.ValueError{Field: value.GetFlag().Name, Value: choice.Value, Allowed: choice.Allowed}
	case errors.As(err, &value):
		return say(textFlagValue, "--"+value.GetFlag().Name, value.GetValue())
	case errors.As(err, &syntax):
		return say(textFlagSyntax, syntax.GetSpecifiedFlag())
	}
	return err
}

func dashes(name, shorthands string) string {
	if shorthands != "" {
		return "-" + name
	}
	return "--" + name
}
