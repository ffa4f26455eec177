package postcheck

import (
	"strings"
	"testing"

	"handrail/lessons"
	"handrail/postcheck/check"
)

const forbidToken = "forbid: 'log\\..*token'\nmatches: ['log.Info(token)']"

func edit(file string, added ...string) check.Edit {
	e := check.Edit{File: file, Seq: 1}
	for i, l := range added {
		e.Added = append(e.Added, check.Line{Text: l, N: i + 1})
	}
	return e
}

func TestJudge(t *testing.T) {
	allowlist := cardOf("The allowlist is checked before any command runs")
	allowlist.Title, allowlist.Tags = "Telegram remote execution must require allowlist", []string{"telegram"}
	scoped := allowlist
	scoped.Paths = []string{"bot/**"}
	tests := cardOf("A test sends the command from an unknown chat")
	tests.Paths = []string{"bot/**"}
	listed := cardOf("A test sends the command from a chat that is not on the list")
	listed.Paths = []string{"bot/**"}
	checked := cardOf("Handlers never log the token")
	checked.Items[0].Check = forbidToken
	broken := cardOf("Handlers never log the token")
	broken.Items[0].Check = "forbid: '('"
	telegram := "add a telegram command that restarts the server"
	green := cardOf("All tests pass before it is called done")
	green.Paths = []string{"bot/**"}
	ran := func(line string, failed bool, edits ...check.Edit) check.Deeds {
		return check.Deeds{Edits: edits, Commands: []check.Command{{Line: line, Failed: &failed, Seq: 2}}}
	}
	did := func(edits ...check.Edit) check.Deeds { return check.Deeds{Edits: edits} }
	for name, c := range map[string]struct {
		turn Turn
		card lessons.Card
		want State
		by   Source
	}{
		// by words alone
		"told":                   {Turn{Request: telegram, Answer: "The handler verifies the sender against the allowlist, then runs the command."}, allowlist, Said, byAnswer},
		"told in code":           {Turn{Request: telegram, Answer: "```go\nif !allowlist.Contains(msg.ChatID) {\n\treturn errNotAllowed\n}\nrunCommand(msg)\n```"}, allowlist, Said, byAnswer},
		"told in Korean":         {Turn{Request: telegram, Answer: "허용목록을 확인한 다음에만 명령이 실행됩니다."}, allowlist, Said, byAnswer},
		"not told":               {Turn{Request: telegram, Answer: "I added the remote command and registered it with the bot."}, allowlist, Open, byAnswer},
		"denied":                 {Turn{Request: telegram, Answer: "I did not check the allowlist, since the command is harmless."}, allowlist, Open, byAnswer},
		"put off":                {Turn{Request: telegram, Answer: "The command runs now. You should check the allowlist later."}, allowlist, Open, byAnswer},
		"about something else":   {Turn{Request: "change the colour of the button", Answer: "The button is blue now, as in the design."}, allowlist, NotHere, ""},
		"only asked for":         {Turn{Request: "check the allowlist before any telegram command runs", Answer: "I added the remote command and registered it with the bot."}, allowlist, Open, byAnswer},
		"a question back":        {Turn{Request: telegram, Answer: "Which server do you mean?"}, allowlist, NotHere, ""},
		"a refusal":              {Turn{Request: telegram, Answer: "I'm sorry, I can't restart servers."}, allowlist, NotHere, ""},
		"nothing said":           {Turn{Request: telegram, Answer: "Done."}, allowlist, NotHere, ""},
		"asked for by a person":  {Turn{Asked: true, Answer: "The button is blue now, as in the design."}, allowlist, Open, byAnswer},
		"paths in the answer":    {Turn{Answer: "I wrote the handler in `bot/restart.go` and registered it."}, scoped, Open, byAnswer},
		"what is not to be done": {Turn{Asked: true, Answer: "The token is not logged any more."}, cardOf("Never log the token"), Said, byAnswer},
		// by deeds
		"done and not told":              {Turn{Watched: true, Deeds: did(edit("bot/run.go", "if !allowlist.Has(chat) { return }", "runCommand(chat, allowlist.Checked)")), Answer: "Done."}, scoped, Kept, byLine},
		"too little is known":            {Turn{Watched: true, Deeds: did(edit("bot/run.go", "restart()")), Answer: "Done."}, scoped, NotHere, ""},
		"claimed and not done":           {Turn{Watched: true, Deeds: did(edit("bot/run.go", "restart()")), Answer: "The allowlist is checked before any command runs."}, scoped, Said, byAnswer},
		"its files were left":            {Turn{Watched: true, Request: telegram, Deeds: did(edit("web/a.css", "b { color: red }")), Answer: "Done."}, scoped, NotHere, ""},
		"a test is missing":              {Turn{Watched: true, Deeds: did(edit("bot/run.go", "restart()")), Answer: "Done."}, tests, Open, byLine},
		"a test is missing, though told": {Turn{Watched: true, Deeds: did(edit("bot/run.go", "restart()")), Answer: "A test sends the command from a chat that is not on the list."}, listed, Open, byLine},
		"a test was written":             {Turn{Watched: true, Deeds: did(edit("bot/run.go", "restart()"), edit("bot/run_test.go", "func TestRestart(t *testing.T) {")), Answer: "Done."}, tests, NotHere, ""},
		"a test's lines keep it":         {Turn{Watched: true, Deeds: did(edit("bot/run_test.go", "func TestCommandFromAChatNotOnTheList(t *testing.T) { send(command) }")), Answer: "Done."}, listed, Kept, byLine},
		"the words do not keep a test":   {Turn{Watched: true, Deeds: did(edit("bot/run_test.go", "x := 1")), Answer: "A test sends the command from a chat that is not on the list."}, listed, Said, byAnswer},
		"it passed after the edit":       {Turn{Watched: true, Deeds: ran("go test ./...", false, edit("bot/run.go", "restart()")), Answer: "Done."}, green, Kept, byCommand},
		"it failed":                      {Turn{Watched: true, Deeds: ran("go test ./...", true, edit("bot/run.go", "restart()")), Answer: "All tests pass."}, green, Open, byCommand},
		"nothing ran":                    {Turn{Watched: true, Deeds: ran("git status", false, edit("bot/run.go", "restart()")), Answer: "All tests pass."}, green, Open, byCommand},
		"one test is not all":            {Turn{Watched: true, Deeds: ran("go test -run TestA ./bot", false, edit("bot/run.go", "restart()")), Answer: "Done."}, green, NotHere, ""},
		"a script may have run them":     {Turn{Watched: true, Deeds: ran("./scripts/ci.sh", false, edit("bot/run.go", "restart()")), Answer: "Done."}, green, NotHere, ""},
		"words say that it is green":     {Turn{Asked: true, Answer: "All tests pass."}, green, Said, byAnswer},
		"a denial keeps nothing":         {Turn{Asked: true, Answer: "I did not write a test. The command is sent from any chat; the list is not checked."}, listed, Open, byAnswer},
		"the subject is denied too":      {Turn{Asked: true, Answer: "The allowlist is not checked and the command runs."}, allowlist, Open, byAnswer},
		"it was taken away":              {Turn{Asked: true, Answer: "허용목록 검사를 제거하고 명령을 바로 실행합니다."}, allowlist, Open, byAnswer},
		"only words were edited":         {Turn{Watched: true, Deeds: did(edit("bot/README.md", "restart")), Answer: "Done."}, tests, NotHere, ""},
		"nothing was done":               {Turn{Watched: true, Request: telegram, Answer: "The dispatcher calls each handler in turn, as the telegram docs say."}, allowlist, NotHere, ""},
		// by its check
		"the check finds a line":     {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x := 1", `log.Info("got " + token)`)), Answer: "Done."}, checked, Broken, byCheck},
		"the check finds none":       {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x := 1")), Answer: "I log the token."}, checked, Kept, byCheck},
		"the check does not run":     {Turn{Watched: true, Deeds: did(edit("bot/run.go", "log.Info(token)")), Answer: "Done."}, broken, NotHere, ""},
		"the check sees no deeds":    {Turn{Asked: true, Answer: "I wrote the handler and registered it."}, checked, Open, byAnswer},
		"the check has nothing here": {Turn{Watched: true, Answer: "I explain it to you now."}, checked, NotHere, byCheck},
	} {
		got := Judge(t.Context(), c.turn, []lessons.Card{c.card})
		if len(got) != 1 || got[0].State != c.want || got[0].By != c.by {
			t.Errorf("%s: %+v, want %s by %q", name, got, c.want, c.by)
			continue
		}
		if c.want == Broken && (got[0].Place.File != "bot/run.go" || got[0].Place.Line.N != 2) {
			t.Errorf("%s: it stands at %+v", name, got[0].Place)
		}
	}
}

// TestWhatAnItemAsksFor: what is to be run, and what is to be written beside the code.
func TestWhatAnItemAsksFor(t *testing.T) {
	for item, want := range map[string]string{
		"Run npm test and read its last line":                      "tests",
		"The full test suite was run after the last edit":          "tests",
		"Please run pytest before you say done":                    "tests",
		"Before committing, run the linter":                        "lint",
		"Build and lint both pass":                                 "build lint",
		"tsc reports no errors":                                    "build",
		"Tests added and passing locally":                          "tests +test",
		"Run `make generate` after the schema was touched":         "$make generate",
		"`bun run release:validate` passes":                        "$bun run release:validate",
		"테스트가 모두 통과한 것을 확인한다":                                      "tests",
		"npm test를 실행하고 마지막 줄을 읽는다":                                "tests",
		"빌드가 깨지지 않는지 확인한다":                                         "build",
		"린트 오류가 없다":                                                "lint",
		"The whole suite ran after the last change":                "tests",
		"Run the linter and the type checker":                      "build lint",
		"npm run lint가 오류 없이 끝난다":                                  "lint",
		"설정 문서에 적힌 값을 쓴다":                                          "",
		"테스트 데이터베이스만 쓴다":                                           "",
		"A test checks that the import succeeds":                   "+test",
		"The fix is covered by a regression test":                  "+test",
		"목록에 없는 채팅에서 명령을 보내는 테스트가 있다":                              "+test",
		"Update README.md with the new flag":                       "+doc",
		"The changelog has an entry":                               "+log",
		"README에 새 옵션을 적는다":                                        "+doc",
		"The vendor's documentation was read first":                "",
		"공식 문서를 먼저 읽는다":                                            "",
		"Never run `bun run tsc` by hand":                          "",
		"Don't run the e2e tests here":                             "",
		"Tests pass the clock in":                                  "",
		"Put new tests below test/":                                "",
		"A successful build proves nothing here: look at the page": "",
		"Name code and test changes first, documentation after":    "",
	} {
		d, got := demandOf(item), ""
		for _, k := range d.runs {
			got += " " + string(k)
		}
		if d.beside != "" {
			got += " +" + d.beside
		}
		if d.command != "" {
			got += " $" + d.command
		}
		got = strings.TrimSpace(got)
		if got != want {
			t.Errorf("%q asks for %q, want %q", item, got, want)
		}
	}
}

// BenchmarkJudge is a Stop with 2,000 added lines and five cards.
func BenchmarkJudge(b *testing.B) {
	t := Turn{Watched: true, Request: "change the handlers", Answer: strings.Repeat("The handler now looks the chat up in the list before it runs. ", 40)}
	for f := range 20 {
		e := check.Edit{File: "bot/h" + string(rune('a'+f)) + ".go", Seq: f}
		for i := range 100 {
			e.Added = append(e.Added, check.Line{Text: "\tif err := handler.runCommand(ctx, message.ChatID, options[" + string(rune('a'+i%26)) + "]); err != nil {", N: i + 1})
		}
		t.Edits = append(t.Edits, e)
	}
	var cards []lessons.Card
	for range 5 {
		c := cardOf("The allowlist is checked before any command runs", "A test sends the command from an unknown chat", "An unknown chat gets no reply", "Handlers never log the token")
		c.Paths, c.Items[3].Check = []string{"bot/**"}, forbidToken
		cards = append(cards, c)
	}
	for b.Loop() {
		Judge(b.Context(), t, cards)
	}
}

// FuzzJudge: no answer, item or line makes it fail, and each item has one verdict.
func FuzzJudge(f *testing.F) {
	f.Add("The allowlist is checked", "I checked the `allowlist`.\n```go\nx := 1", "x := 1")
	f.Add("토큰을 로그에 남기지 않는다", "- [x] 토큰은 로그에 남지 않습니다", "log(token)")
	f.Fuzz(func(t *testing.T, item, answer, line string) {
		turn := Turn{Asked: true, Watched: len(line)%2 == 0, Answer: answer, Deeds: check.Deeds{Edits: []check.Edit{edit("a.go", line)}}}
		if got := Judge(t.Context(), turn, []lessons.Card{cardOf(item)}); len(got) != 1 || got[0].State == "" {
			t.Errorf("%+v", got)
		}
	})
}
