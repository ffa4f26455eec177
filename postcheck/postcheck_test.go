package postcheck

import (
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck/check"
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
	scoped, docs := allowlist, cardOf("The docs name the allowlist")
	docs.Tags = allowlist.Tags
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
	whole := cardOf("Run `npm run test:whole` with --reporter=line")
	whole.Paths = []string{"bot/**"}
	bare := cardOf("Run npm run test:whole in full after every change")
	bare.Paths = whole.Paths
	hooks := cardOf("The `Stripe-Signature` header is read inside the handler")
	hooks.Title, hooks.Paths = "A webhook believed whoever called it", []string{"api/webhooks/**"}
	webhook := func(first string) func(string) string {
		return func(string) string {
			return "export async function pay(req) {\n  " + first + "\n  if (event.type === 'refund') return refund(event)\n}\n\nexport function look() {\n  other()\n}\n"
		}
	}
	stock := cardOf("재고는 `FOR UPDATE`로 잠근 뒤 읽는다")
	stock.Tags = []string{"stock"}
	keyed := cardOf("Charges send an `Idempotency-Key`")
	keyed.Tags = []string{"payments"}
	barred, served := cardOf("Do not call process.exit()"), cardOf("Never run `npm run dev`")
	barred.Title, barred.Paths = "The bot ended at a wrong command", []string{"bot/**"}
	elsewhere := barred
	inBot := func(item string) lessons.Card {
		c := cardOf(item)
		c.Title, c.Paths = elsewhere.Title, elsewhere.Paths
		return c
	}
	elsewhere.Title = "Workers died without a word"
	served.Title, served.Paths = "Two servers ran for the bot", []string{"bot/**"}
	of := func(title, glob, tag, item string) lessons.Card {
		c := cardOf(item)
		c.Title, c.Paths, c.Tags = title, []string{glob}, []string{tag}
		return c
	}
	layer, script := of("A query hung", "src/**", "", "Every query goes through `QueryContext`"), of("A cd failed", "scripts/**", "", "Every script begins with `set -euo pipefail`")
	workflow, focused := of("A job burned hours", "ci/**", "", "Every job sets `timeout-minutes`"), of("The rest was skipped", "**/*.test.ts", "", "Never commit `describe.only`")
	command := of("A command lost its context", "app/cli.py", "", "Each command has `with_appcontext`")
	handler := cardOf("Never call `log.Fatal` in a handler")
	handler.Tags = []string{"handler"}
	ran := func(line string, failed bool, edits ...check.Edit) check.Deeds {
		return check.Deeds{Edits: edits, Commands: []check.Command{{Line: line, Failed: &failed, Seq: 2}}}
	}
	yes, no, build := true, false, cardOf("Run `npm run build` before `npm publish`")
	before := func(c check.Command, edits ...check.Edit) check.Deeds {
		return check.Deeds{Edits: edits, Commands: []check.Command{c, {Line: "npm publish", Failed: &no, Seq: 3}}}
	}
	did := func(edits ...check.Edit) check.Deeds { return check.Deeds{Edits: edits} }
	for name, c := range map[string]struct {
		turn Turn
		card lessons.Card
		want State
		by   Source
	}{
		// by words alone
		"told":                   {Turn{Request: telegram, Answer: "The handler verifies the sender against the allowlist, then runs the command."}, allowlist, Said, ByAnswer},
		"told in code":           {Turn{Request: telegram, Answer: "```go\nif !allowlist.Contains(msg.ChatID) {\n\treturn errNotAllowed\n}\nrunCommand(msg)\n```"}, allowlist, Said, ByAnswer},
		"told in Korean":         {Turn{Request: telegram, Answer: "허용목록을 확인한 다음에만 명령이 실행됩니다."}, allowlist, Said, ByAnswer},
		"not told":               {Turn{Request: telegram, Answer: "I added the remote command and registered it with the bot."}, allowlist, Open, ByAnswer},
		"denied":                 {Turn{Request: telegram, Answer: "I did not check the allowlist, since the command is harmless."}, allowlist, Open, ByAnswer},
		"put off":                {Turn{Request: telegram, Answer: "The command runs now. You should check the allowlist later."}, allowlist, Open, ByAnswer},
		"about something else":   {Turn{Request: "change the colour of the button", Answer: "The button is blue now, as in the design."}, allowlist, NotHere, ""},
		"only asked for":         {Turn{Request: "check the allowlist before any telegram command runs", Answer: "I added the remote command and registered it with the bot."}, allowlist, Open, ByAnswer},
		"a question back":        {Turn{Request: telegram, Answer: "Which server do you mean?"}, allowlist, NotHere, ""},
		"a refusal":              {Turn{Request: telegram, Answer: "I'm sorry, I can't restart servers."}, allowlist, NotHere, ""},
		"nothing said":           {Turn{Request: telegram, Answer: "Done."}, allowlist, NotHere, ""},
		"asked for by a person":  {Turn{Asked: true, Answer: "The button is blue now, as in the design."}, allowlist, Open, ByAnswer},
		"paths in the answer":    {Turn{Answer: "I wrote the handler in `bot/restart.go` and registered it."}, scoped, Open, ByAnswer},
		"what is not to be done": {Turn{Asked: true, Answer: "The token is not logged any more."}, cardOf("Never log the token"), Said, ByAnswer},
		// by deeds
		"done and not told":              {Turn{Watched: true, Deeds: did(edit("bot/run.go", "if !allowlist.Has(chat) { return }", "runCommand(chat, allowlist.Checked)")), Answer: "Done."}, scoped, Kept, byLine},
		"too little is known":            {Turn{Watched: true, Deeds: did(edit("bot/run.go", "restart()")), Answer: "Done."}, scoped, NotHere, ""},
		"a line of prose repeats it":     {Turn{Watched: true, Deeds: did(edit("docs/telegram.md", "The allowlist is checked before any command runs")), Answer: "Done."}, allowlist, NotHere, ""},
		"a line of prose, asked for":     {Turn{Watched: true, Deeds: did(edit("docs/telegram.md", "The docs name the allowlist")), Answer: "Done."}, docs, Kept, byLine},
		"claimed and not done":           {Turn{Watched: true, Deeds: did(edit("bot/run.go", "restart()")), Answer: "The allowlist is checked before any command runs."}, scoped, Said, ByAnswer},
		"its files were left":            {Turn{Watched: true, Request: telegram, Deeds: did(edit("web/a.css", "b { color: red }")), Answer: "Done."}, scoped, NotHere, ""},
		"a test is missing":              {Turn{Watched: true, Deeds: did(edit("bot/run.go", "restart()")), Answer: "Done."}, tests, Open, byLine},
		"a test is missing, though told": {Turn{Watched: true, Deeds: did(edit("bot/run.go", "restart()")), Answer: "A test sends the command from a chat that is not on the list."}, listed, Open, byLine},
		"a test was written":             {Turn{Watched: true, Deeds: did(edit("bot/run.go", "restart()"), edit("bot/run_test.go", "func TestRestart(t *testing.T) {")), Answer: "Done."}, tests, NotHere, ""},
		"a test's lines keep it":         {Turn{Watched: true, Deeds: did(edit("bot/run_test.go", "func TestCommandFromAChatNotOnTheList(t *testing.T) { send(command) }")), Answer: "Done."}, listed, Kept, byLine},
		"the words do not keep a test":   {Turn{Watched: true, Deeds: did(edit("bot/run_test.go", "x := 1")), Answer: "A test sends the command from a chat that is not on the list."}, listed, Said, ByAnswer},
		"it passed after the edit":       {Turn{Watched: true, Deeds: ran("go test ./...", false, edit("bot/run.go", "restart()")), Answer: "Done."}, green, Kept, byCommand},
		"it failed":                      {Turn{Watched: true, Deeds: ran("go test ./...", true, edit("bot/run.go", "restart()")), Answer: "All tests pass."}, green, Open, byCommand},
		"nothing ran":                    {Turn{Watched: true, Deeds: ran("git status", false, edit("bot/run.go", "restart()")), Answer: "All tests pass."}, green, Open, byCommand},
		"another script ran":             {Turn{Watched: true, Deeds: ran("npm test", false, edit("bot/run.go", "restart()")), Answer: "Done."}, whole, NotHere, ""},
		"another one, without backticks": {Turn{Watched: true, Deeds: ran("npm test", false, edit("bot/run.go", "restart()")), Answer: "Done."}, bare, NotHere, ""},
		"the one without backticks ran":  {Turn{Watched: true, Deeds: ran("cd web && npm run test:whole", false, edit("bot/run.go", "restart()")), Answer: "Done."}, bare, Kept, byCommand},
		"the named script ran":           {Turn{Watched: true, Deeds: ran("npm run test:whole -- --reporter=line", false, edit("bot/run.go", "restart()")), Answer: "Done."}, whole, Kept, byCommand},
		"run before another":             {Turn{Watched: true, Deeds: ran("helm diff upgrade a . && helm upgrade a .", false), Answer: "Done."}, cardOf("Run helm diff before helm upgrade"), Kept, byCommand},
		"a flag that is barred":          {Turn{Watched: true, Deeds: ran("map -chdir=a up -force", false)}, cardOf("Never run `map up` with `-force`"), Broken, byCommand},
		"none of it":                     {Turn{Watched: true, Deeds: ran("map -chdir=a up a.plan", false)}, cardOf("Never run `map up` with `-force`"), NotHere, ""},
		"another verb of the tool ran":   {Turn{Watched: true, Deeds: ran("npx map validate", false, edit("maps/world.map", "hill 4"))}, cardOf("After a change to `world.map` run `npx map generate`"), Open, byCommand},
		"its card is of other files":     {Turn{Watched: true, Deeds: ran("map up -force", false, edit("web/a.ts", "x"))}, inBot("`map up`에 `-force`를 쓰지 않는다"), Broken, byCommand},
		"another alone":                  {Turn{Watched: true, Deeds: ran("helm lint . && helm upgrade a .", false), Answer: "Done."}, cardOf("Run helm diff before helm upgrade"), Open, byCommand},
		"run after the other":            {Turn{Watched: true, Deeds: ran("npm publish && npm run build", false), Answer: "Done."}, cardOf("Before `npm publish`, run `npm run build`"), Broken, byCommand},
		"the other was not run":          {Turn{Watched: true, Deeds: ran("npm test", false, edit("bot/run.go", "restart()")), Answer: "Done."}, cardOf("Run `npm run build` before `npm publish`"), NotHere, ""},
		"before a kind of work":          {Turn{Watched: true, Deeds: ran("make test && git tag -a v1 -m v1", false), Answer: "Done."}, cardOf("Run make e2e before a release tag is pushed"), Open, byCommand},
		"the tests before a commit":      {Turn{Watched: true, Deeds: ran("go test ./... && git commit -qam x", false, edit("bot/run.go", "restart()")), Answer: "Done."}, cardOf("Run the tests before every commit"), NotHere, ""},
		"no command before it":           {Turn{Watched: true, Deeds: ran("vercel deploy --prod", false), Answer: "Done."}, cardOf("Run smoke checks before deploying"), NotHere, ""},
		"the other failed":               {Turn{Watched: true, Deeds: ran("npm run build && npm publish", true), Answer: "Done."}, build, NotHere, ""},
		"it failed before the other":     {Turn{Watched: true, Deeds: before(check.Command{Line: "npm run build", Failed: &yes, Seq: 1}), Answer: "Done."}, build, Open, byCommand},
		"how it ended is not known":      {Turn{Watched: true, Deeds: before(check.Command{Line: "npm run build", Seq: 1}), Answer: "Done."}, build, NotHere, ""},
		"code was edited after it":       {Turn{Watched: true, Deeds: before(check.Command{Line: "npm run build", Failed: &no, Seq: 1}, check.Edit{File: "a.ts", Added: []check.Line{{Text: "b()"}}, Seq: 2}), Answer: "Done."}, build, Open, byCommand},
		"run in an earlier turn":         {Turn{Watched: true, Earlier: []check.Command{{Line: "npm run build", Failed: &no}}, Deeds: before(check.Command{Line: "ls", Failed: &no, Seq: 1}), Answer: "Done."}, build, NotHere, ""},
		"the same in Korean":             {Turn{Watched: true, Deeds: ran("npm run types && vercel deploy --prod", false), Answer: "Done."}, cardOf("배포 전에 npm run types를 돌린다"), Kept, byCommand},
		"one test is not all":            {Turn{Watched: true, Deeds: ran("go test -run TestA ./bot", false, edit("bot/run.go", "restart()")), Answer: "Done."}, green, NotHere, ""},
		"a script may have run them":     {Turn{Watched: true, Deeds: ran("./scripts/ci.sh", false, edit("bot/run.go", "restart()")), Answer: "Done."}, green, NotHere, ""},
		"words say that it is green":     {Turn{Asked: true, Answer: "All tests pass."}, green, Said, ByAnswer},
		"a denial keeps nothing":         {Turn{Asked: true, Answer: "I did not write a test. The command is sent from any chat; the list is not checked."}, listed, Open, ByAnswer},
		"the subject is denied too":      {Turn{Asked: true, Answer: "The allowlist is not checked and the command runs."}, allowlist, Open, ByAnswer},
		"it was taken away":              {Turn{Asked: true, Answer: "허용목록 검사를 제거하고 명령을 바로 실행합니다."}, allowlist, Open, ByAnswer},
		"only words were edited":         {Turn{Watched: true, Deeds: did(edit("bot/README.md", "restart")), Answer: "Done."}, tests, NotHere, ""},
		"nothing was done":               {Turn{Watched: true, Request: telegram, Answer: "The dispatcher calls each handler in turn, as the telegram docs say."}, allowlist, NotHere, ""},
		// by the names that it wants or forbids
		"an index without it":       {Turn{Watched: true, Deeds: did(edit("db/7.sql", "CREATE INDEX orders_idx ON orders (customer_id);")), Answer: "Done."}, cardOf("Indexes are created with CONCURRENTLY"), Open, byLine},
		"an index with it":          {Turn{Watched: true, Deeds: did(edit("db/7.sql", "create index concurrently orders_idx on orders (customer_id);")), Answer: "Done."}, cardOf("Indexes are created with CONCURRENTLY"), Kept, byLine},
		"every one of them":         {Turn{Watched: true, Deeds: did(edit("web/bar.tsx", "<button><Icon/></button>")), Answer: "Done."}, cardOf("Every icon button has an `aria-label`"), Open, byLine},
		"a tag says too little":     {Turn{Watched: true, Deeds: did(edit("shop/list.ts", "return payments.list(page)")), Answer: "Done."}, keyed, NotHere, ""},
		"no index":                  {Turn{Watched: true, Deeds: did(edit("db/7.sql", "ALTER TABLE orders ADD note text;")), Answer: "Done."}, cardOf("Indexes are created with CONCURRENTLY"), NotHere, ""},
		"a branch of a webhook":     {Turn{Watched: true, Deeds: did(edit("api/webhooks/pay.ts", "  if (event.type === 'refund') return refund(event)")), Text: webhook("handle(event)"), Answer: "Done."}, hooks, Open, byLine},
		"the function reads it":     {Turn{Watched: true, Deeds: did(edit("api/webhooks/pay.ts", "  if (event.type === 'refund') return refund(event)")), Text: webhook("verify(req.headers['stripe-signature'])"), Answer: "Done."}, hooks, Kept, byLine},
		"another function reads it": {Turn{Watched: true, Deeds: did(edit("api/webhooks/pay.ts", "  other()")), Text: webhook("verify(req.headers['stripe-signature'])"), Answer: "Done."}, hooks, Open, byLine},
		"a wrapper reads it": {Turn{Watched: true, Deeds: did(edit("api/webhooks/pay.ts", "  other()")), Text: func(string) string {
			return "import { stripe-signature } from 'x'\n\nfunction look() {\n  other()\n}\n\nexport default signed('stripe-signature', look)\n"
		}, Answer: "Done."}, hooks, Kept, byLine},
		"the decorator of another function": {Turn{Watched: true, Deeds: did(edit("app/cli.py", "def clear():", "    drop()")), Text: func(string) string {
			return "@with_appcontext\ndef routes():\n    show()\n\n\ndef clear():\n    drop()\n"
		}, Answer: "Done."}, command, Open, byLine},
		"its own decorator": {Turn{Watched: true, Deeds: did(edit("app/cli.py", "    drop()")), Text: func(string) string {
			return "@click.command()\n@with_appcontext\ndef clear():\n    drop()\n"
		}, Answer: "Done."}, command, Kept, byLine},
		"only an import names it": {Turn{Watched: true, Deeds: did(edit("api/webhooks/pay.ts", "  other()")), Text: func(string) string {
			return "import { stripe-signature } from 'x'\n\nfunction look() {\n  other()\n}\n"
		}, Answer: "Done."}, hooks, Open, byLine},
		"nothing of a webhook":               {Turn{Watched: true, Deeds: did(edit("web/app.ts", "colour()")), Answer: "Done."}, hooks, NotHere, ""},
		"stock without a lock":               {Turn{Watched: true, Deeds: did(edit("src/stock.py", `row = db.one("SELECT count FROM stock WHERE id = %s", id)`)), Answer: "It is locked with FOR UPDATE."}, cardOf("Stock is read with `FOR UPDATE`"), Open, byLine},
		"stock with a lock":                  {Turn{Watched: true, Deeds: did(edit("src/stock.py", `row = db.one("SELECT count FROM stock WHERE id = %s FOR UPDATE", id)`)), Answer: "Done."}, stock, Kept, byLine},
		"forbidden and done":                 {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x := 1", "process.exit(1)")), Answer: "Done."}, barred, Broken, byLine},
		"forbidden, all of its clause":       {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x := 1", `log.Println("send", url)`)), Answer: "Done."}, cardOf("Never log `url`: a secret is in it"), Broken, byLine},
		"one name to another":                {Turn{Watched: true, Deeds: did(edit("bot/run.py", "x", `render(request.args["page"])`)), Answer: "Done."}, cardOf("Never pass `request.args` to `render`"), Broken, byLine},
		"one name to another, in Korean":     {Turn{Watched: true, Deeds: did(edit("bot/run.py", "x", `render(request.args["page"])`)), Answer: "Done."}, cardOf("`request.args`를 `render`에 넘기지 않는다"), Broken, byLine},
		"one name to none":                   {Turn{Watched: true, Deeds: did(edit("bot/run.py", "x", `show(request.args["page"])`, "render(page)")), Answer: "Done."}, cardOf("Never pass `request.args` to `render`"), NotHere, ""},
		"forbidden in Korean":                {Turn{Watched: true, Deeds: did(edit("bot/run.py", "x", "eval(line)")), Answer: "Done."}, inBot("`eval`을 쓰지 않는다"), Broken, byLine},
		"forbidden, a string in it":          {Turn{Watched: true, Deeds: did(edit("bot/a.tf", "x", `acl = "public-read"`)), Answer: "Done."}, inBot("Don't set `acl = \"public-read\"`"), Broken, byLine},
		"forbidden, a string in a comment":   {Turn{Watched: true, Deeds: did(edit("bot/a.tf", "x", `# acl = "public-read"`)), Answer: "Done."}, inBot("Don't set `acl = \"public-read\"`"), NotHere, ""},
		"wanted of each query":               {Turn{Watched: true, Deeds: did(edit("bot/a.go", "rows, err := q.Query(ctx, s)")), Answer: "Done."}, inBot("Every query is followed by `defer rows.Close()`"), Open, byLine},
		"wanted, its keys one by one":        {Turn{Watched: true, Deeds: did(edit("bot/a.yaml", "resources:", "  limits:", "    memory: 1Gi")), Answer: "Done."}, inBot("Every container has `resources.limits`"), Kept, byLine},
		"forbidden, and logged elsewhere":    {Turn{Watched: true, Deeds: did(edit("bot/run.go", "log.Print(1)", "post(url)")), Answer: "Done."}, inBot("Never log `url`"), NotHere, ""},
		"forbidden in Korean, and elsewhere": {Turn{Watched: true, Deeds: did(edit("bot/run.go", "log.Print(1)", "post(url)")), Answer: "Done."}, inBot("`url`을 로그에 남기지 않는다"), NotHere, ""},
		"forbidden in a handler":             {Turn{Watched: true, Deeds: did(edit("main.go", "x", "log.Fatal(http.ListenAndServe(addr, mux))")), Answer: "Done."}, handler, NotHere, ""},
		"forbidden in a card of tests":       {Turn{Watched: true, Deeds: did(edit("bot/run.test.ts", "x", "describe.only()")), Answer: "Done."}, focused, Broken, byLine},
		"wanted in a layer, and there":       {Turn{Watched: true, Deeds: did(edit("src/db/user.go", "db.QueryContext(ctx, q)")), Answer: "Done."}, layer, Kept, byLine},
		"wanted in a layer, and not there":   {Turn{Watched: true, Deeds: did(edit("src/db/user.go", "x := 1")), Answer: "Done."}, layer, NotHere, ""},
		"wanted in a layer, of its subject":  {Turn{Watched: true, Deeds: did(edit("src/db/user.go", "run(query)")), Answer: "Done."}, layer, Open, byLine},
		"wanted of each script":              {Turn{Watched: true, Deeds: did(edit("scripts/prune.sh", "rm -r cache")), Answer: "Done."}, script, Open, byLine},
		"wanted of each script, and prose":   {Turn{Watched: true, Deeds: did(edit("scripts/README.md", "prune.sh empties the cache")), Answer: "Done."}, script, NotHere, ""},
		"wanted, and only a comment":         {Turn{Watched: true, Deeds: did(edit("scripts/prune.sh", "# empties the cache")), Answer: "Done."}, script, NotHere, ""},
		"wanted in a workflow":               {Turn{Watched: true, Deeds: did(edit("ci/web.yml", "jobs:", "  web:")), Answer: "Done."}, workflow, Open, byLine},
		"run by what was written":            {Turn{Watched: true, Deeds: did(edit("bot/Dockerfile", "RUN make && rm -rf /var/cache/apt")), Answer: "Done."}, inBot("Run `rm -rf /var/cache/apt` in the same layer"), NotHere, ""},
		"forbidden, its name alone":          {Turn{Watched: true, Deeds: did(edit("send.go", "post(url)")), Answer: "Done."}, cardOf("Never log `url`: a secret is in it"), NotHere, ""},
		"forbidden, it ends with a bracket":  {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x", "panic(err)")), Answer: "Done."}, inBot("Do not call `panic(`"), Broken, byLine},
		"forbidden, a tag":                   {Turn{Watched: true, Deeds: did(edit("bot/run.yaml", "x", "image: bot:latest")), Answer: "Done."}, inBot("Never use `:latest`"), Broken, byLine},
		"forbidden, a comment that orders":   {Turn{Watched: true, Deeds: did(edit("bot/run.py", "x", "import a  # noqa: F401")), Answer: "Done."}, inBot("Do not add `# noqa`"), Broken, byLine},
		"forbidden, one with slashes":        {Turn{Watched: true, Deeds: did(edit("bot/run.ts", "x", "// @ts-ignore")), Answer: "Done."}, inBot("Never use `// @ts-ignore`"), Broken, byLine},
		"forbidden, the first of two":        {Turn{Watched: true, Deeds: did(edit("bot/run.py", "x", "eval(line)")), Answer: "Done."}, inBot("Never use `eval` or `exec`"), Broken, byLine},
		"forbidden, the second of two":       {Turn{Watched: true, Deeds: did(edit("bot/run.py", "x", "exec(line)")), Answer: "Done."}, inBot("Never use `eval` or `exec`"), Broken, byLine},
		"forbidden, instead of another":      {Turn{Watched: true, Deeds: did(edit("bot/run.py", "x", "float(1)")), Answer: "Done."}, inBot("Use `Decimal` instead of `float`"), Broken, byLine},
		"forbidden in Korean, not another":   {Turn{Watched: true, Deeds: did(edit("bot/run.py", "x", "float(1)")), Answer: "Done."}, inBot("`float`가 아니라 `Decimal`로 계산한다"), Broken, byLine},
		"forbidden, what an import quotes":   {Turn{Watched: true, Deeds: did(edit("bot/run.ts", "x", `import when from "moment"`)), Answer: "Done."}, inBot("Never import `moment`"), Broken, byLine},
		"forbidden, to be left in":           {Turn{Watched: true, Deeds: did(edit("bot/run.ts", "x", `it.only("runs", run)`)), Answer: "Done."}, inBot("Never commit `it.only`"), Broken, byLine},
		"forbidden, in a comment":            {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x := 1 // no process.exit here")), Answer: "Done."}, barred, NotHere, ""},
		"forbidden, in a string":             {Turn{Watched: true, Deeds: did(edit("bot/run.go", `warn("process.exit")`)), Answer: "Done."}, barred, NotHere, ""},
		"forbidden, in a test":               {Turn{Watched: true, Deeds: did(edit("bot/run_test.go", "process.exit(1)")), Answer: "Done."}, barred, NotHere, ""},
		"forbidden, and taken out":           {Turn{Watched: true, Deeds: check.Deeds{Edits: []check.Edit{{File: "bot/run.go", Added: []check.Line{{Text: "return err"}}, Removed: []check.Line{{Text: "process.exit(1)"}}}}}, Answer: "Done."}, barred, Kept, byLine},
		"forbidden, and its file went":       {Turn{Watched: true, Deeds: check.Deeds{Edits: []check.Edit{{File: "bot/run.go", Removed: []check.Line{{Text: "process.exit(1)"}}}}}, Answer: "Done."}, barred, NotHere, ""},
		"wanted, of a card of no file":       {Turn{Watched: true, Deeds: did(edit("web/a.ts", "at = clock.utcNow()")), Answer: "Done."}, cardOf("Use `clock.utcNow()`, never `clock.now()`"), Kept, byLine},
		"forbidden, of what is not said":     {Turn{Watched: true, Deeds: did(edit("web/a.ts", "x", "LocalCache.put(theme)")), Answer: "Done."}, cardOf("Keys are kept in the Keyring, never in LocalCache"), NotHere, ""},
		"forbidden, of what is said":         {Turn{Watched: true, Deeds: did(edit("web/a.ts", "x", "LocalCache.put(key)")), Answer: "Done."}, cardOf("Keys are kept in the Keyring, never in LocalCache"), Broken, byLine},
		"forbidden, and was there":           {Turn{Watched: true, Deeds: check.Deeds{Edits: []check.Edit{{File: "bot/run.go", Added: []check.Line{{Text: "  process.exit(1)"}}, Removed: []check.Line{{Text: "process.exit(1)"}}}}}, Answer: "Done."}, barred, NotHere, ""},
		"forbidden, the title names no file": {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x := 1", "process.exit(1)")), Answer: "Done."}, elsewhere, Broken, byLine},
		"forbidden, in other files":          {Turn{Watched: true, Deeds: did(edit("web/run.go", "process.exit(1)")), Answer: "Done."}, barred, NotHere, ""},
		"forbidden, a verb of a format":      {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x", `return fmt.Errorf("load: %v", err)`)), Answer: "Done."}, inBot("Wrap errors with `%w`, never `%v`"), Broken, byLine},
		"forbidden, where nothing is said":   {Turn{Watched: true, Deeds: did(edit("web/a.tsx", "x", "const n = useMemo(f)")), Answer: "Done."}, cardOf("`useMemo`와 `useCallback`은 사용하지 말 것"), Broken, byLine},
		"forbidden, in tests alone":          {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x", "sleep_ms(4)")), Answer: "Done."}, cardOf("In tests never use `sleep_ms`"), NotHere, ""},
		"forbidden, in a test, of tests":     {Turn{Watched: true, Deeds: did(edit("bot/run_test.go", "x", "sleep_ms(4)")), Answer: "Done."}, cardOf("In tests never use `sleep_ms`"), Broken, byLine},
		"a pipeline called test":             {Turn{Watched: true, Deeds: did(edit(".github/workflows/test.yml", "x", "  - uses: maps/draw@v2")), Answer: "Done."}, cardOf("Actions are pinned to a SHA"), Broken, byLine},
		"a call without an argument":         {Turn{Watched: true, Deeds: did(edit("bot/run.kt", "x", "at = Instant.now()")), Answer: "Done."}, inBot("`Instant.now()`를 쓰지 않는다"), Broken, byLine},
		"the same with one":                  {Turn{Watched: true, Deeds: did(edit("bot/run.kt", "x", "at = Instant.now(clock)")), Answer: "Done."}, inBot("`Instant.now()`를 쓰지 않는다"), NotHere, ""},
		"passed as nothing":                  {Turn{Watched: true, Deeds: did(edit("bot/run.py", "x", "maps.get(url, timeout=None)")), Answer: "Done."}, inBot("Calls pass `timeout=`"), Broken, byLine},
		"only logged":                        {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x := 1", "log.Info(m.event_id)")), Answer: "Done."}, inBot("Moves are looked up with `event_id`"), NotHere, ""},
		"with a comment of JSX":              {Turn{Watched: true, Deeds: did(edit("bot/a.tsx", "x", "{/* a use of evalMap() */}")), Answer: "Done."}, inBot("Never use `evalMap`"), NotHere, ""},
		"a call of its kind, with an ending": {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x", `log.Fatalf("%v", err)`)), Answer: "Done."}, inBot("Never call `log.Fatal`"), Broken, byLine},
		"with no, which forbids nothing":     {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x", "draw(mapScope)")), Answer: "Done."}, inBot("If errors come with no `mapScope`, read the guide"), NotHere, ""},
		"a migration in the making":          {turnOf([]string{"db/V3__hills.sql", " create table hills (\n+  height int,\n   id int\n );\n"}), cardOf("An applied `V*` file is never edited; a change gets a new one"), NotHere, ""},
		"a migration that was applied":       {differing([]string{"db/V3__hills.sql", " create table hills (\n+  height int,\n   id int\n );\n"}), cardOf("An applied `V*` file is never edited; a change gets a new one"), Broken, byLine},
		"a new one":                          {turnOf([]string{"db/V4__height.sql", "+alter table hills add height int;\n"}), cardOf("An applied `V*` file is never edited; a change gets a new one"), Kept, byLine},
		"forbidden, a plain word of no file": {Turn{Watched: true, Deeds: did(edit("web/a.ts", "x", "fire()")), Answer: "Done."}, cardOf("Never use `fire`"), NotHere, ""},
		"forbidden, a method":                {Turn{Watched: true, Deeds: did(edit("web/a.test.ts", "x", `it.only("a", f)`)), Answer: "Done."}, cardOf("Never commit `.only` in a test"), Broken, byLine},
		"forbidden, a file's ending":         {Turn{Watched: true, Deeds: did(edit("web/a.ts", "x", "process.env.PORT")), Answer: "Done."}, cardOf("Never use `.env`"), NotHere, ""},
		"forbidden, a means":                 {Turn{Watched: true, Deeds: did(edit("bot/run.py", "x", "time.sleep(2)")), Answer: "Done."}, inBot("Never wait with `time.sleep`, use `poll`"), Broken, byLine},
		"forbidden outside of a place":       {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x", "os.Exit(1)")), Answer: "Done."}, inBot("Do not use `log.Fatal` or `os.Exit` outside of `main`"), Broken, byLine},
		"forbidden, and in that place":       {Turn{Watched: true, Deeds: did(edit("bot/main.go", "x", "os.Exit(1)")), Answer: "Done."}, inBot("Do not use `log.Fatal` or `os.Exit` outside of `main`"), NotHere, ""},
		"a module that is forbidden":         {Turn{Watched: true, Deeds: did(edit("bot/run.ts", "x", `import { db } from "../libs/db"`)), Answer: "Done."}, inBot("Never import from `libs/db`"), Broken, byLine},
		"a module forbidden in Korean":       {Turn{Watched: true, Deeds: did(edit("bot/run.ts", "x", `import { db } from "../libs/db"`)), Answer: "Done."}, inBot("`libs/db`를 import하지 않는다"), Broken, byLine},
		"its name in a string":               {Turn{Watched: true, Deeds: did(edit("bot/run.ts", "x", `log("see libs/db")`)), Answer: "Done."}, inBot("Never import from `libs/db`"), NotHere, ""},
		"forbidden in Korean, outside":       {Turn{Watched: true, Deeds: did(edit("bot/run.ts", "x", "fetch(url)")), Answer: "Done."}, inBot("`fetch`는 `bot/api` 밖에서 쓰지 않는다"), Broken, byLine},
		"wanted of what it names":            {Turn{Watched: true, Deeds: did(edit("bot/Dockerfile", "RUN apt-get install -y curl")), Answer: "Done."}, inBot("Every `apt-get install` ends with `rm -rf /var/lib/apt/lists/*`"), Open, byLine},
		"wanted of what is not there":        {Turn{Watched: true, Deeds: did(edit("bot/Dockerfile", "ENV LANG=C.UTF-8")), Answer: "Done."}, inBot("Every `apt-get install` ends with `rm -rf /var/lib/apt/lists/*`"), NotHere, ""},
		"never one without it, in a string":  {Turn{Watched: true, Deeds: did(edit("bot/run.py", "y = 1", `x = f"at {datetime.now()}"`)), Answer: "Done."}, inBot("`timezone.utc` 없이 `datetime.now()`를 부르지 않는다"), Broken, byLine},
		"wanted, without backticks":          {Turn{Watched: true, Deeds: did(edit("bot/Fee.java", "@Transactional", "void book() {")), Answer: "Done."}, inBot("Booking methods carry @Transactional"), Kept, byLine},
		"wanted of another subject":          {Turn{Watched: true, Deeds: did(edit("migrate/2.sql", "ALTER TABLE a ADD b int;")), Answer: "Done."}, of("A migration locked a table", "migrate/**", "", "Indexes on large tables are created with `CONCURRENTLY`"), NotHere, ""},
		"to be run after another change":     {Turn{Watched: true, Deeds: did(edit("prisma/seed.ts", "seed()")), Answer: "Done."}, of("Prisma was stale", "prisma/**", "", "`schema.prisma`를 바꾸면 `npx prisma generate`를 실행한다"), NotHere, ""},
		"to be run after this change":        {Turn{Watched: true, Deeds: did(edit("prisma/schema.prisma", "age Int")), Answer: "Done."}, of("Prisma was stale", "prisma/**", "", "`schema.prisma`를 바꾸면 `npx prisma generate`를 실행한다"), Open, byCommand},
		"never one without the other":        {Turn{Watched: true, Deeds: did(edit("bot/run.py", "y = 1", "x = datetime.now()")), Answer: "Done."}, inBot("Never call `datetime.now()` without `timezone.utc`"), Broken, byLine},
		"either will do":                     {Turn{Watched: true, Deeds: did(edit("bot/a.ts", "db.query({ select: name })")), Answer: "Done."}, inBot("Queries use `include` or `select`"), Kept, byLine},
		"wanted, with a hole":                {Turn{Watched: true, Deeds: did(edit("bot/a.go", `fmt.Errorf("read bot: %w", err)`)), Answer: "Done."}, inBot("Wrap with `fmt.Errorf(\"...: %w\", err)`"), Kept, byLine},
		"wanted of each test":                {Turn{Watched: true, Deeds: did(edit("bot/run_test.go", "func TestRun(t *testing.T) {", "\trun(t)", "}")), Answer: "Done."}, of("Tests took nine minutes", "**/*_test.go", "", "Every test calls `t.Parallel()`"), Open, byLine},
		"only a constant was added":          {Turn{Watched: true, Deeds: did(edit("api/webhooks/pay.ts", "export const LIMIT = 20;")), Answer: "Done."}, hooks, NotHere, ""},
		"forbidden, a call in the open":      {Turn{Watched: true, Deeds: did(edit("web/a.py", "x", "for i in df.iterrows():")), Answer: "Done."}, cardOf("Never loop with `iterrows()`"), Broken, byLine},
		"forbidden, a tag of HTML":           {Turn{Watched: true, Deeds: did(edit("bot/a.tsx", "x", `<img src="a.png" />`)), Answer: "Done."}, inBot("Use `next/image` instead of `<img>`"), Broken, byLine},
		"wanted of things that do something": {Turn{Watched: true, Deeds: did(edit("bot/a.yml", "- name: install redis")), Answer: "Done."}, inBot("Tasks that handle secrets set `no_log: true`"), NotHere, ""},
		"wanted of every one in Korean":      {Turn{Watched: true, Deeds: did(edit("bot/a.yml", "kind: Service")), Asked: true, Answer: "Done."}, inBot("모든 Deployment에 `readinessProbe`를 둔다"), NotHere, ""},
		"inside of it, not run":              {Turn{Watched: true, Deeds: did(edit("bot/a.rs", "spawn_blocking(|| calculate())")), Answer: "Done."}, inBot("계산은 `spawn_blocking` 안에서 실행한다"), Kept, byLine},
		"a forbidden folder":                 {Turn{Watched: true, Deeds: did(edit("web/gen/api.ts", "x", "y()")), Answer: "Done."}, cardOf("`gen/` 아래 파일은 직접 수정하지 않는다"), Broken, byLine},
		"forbidden, in another case":         {Turn{Watched: true, Deeds: did(edit("bot/a.tsx", "x", `<Button onPress={pay} />`)), Answer: "Done."}, inBot("`<button>` 대신 `<Button>` 컴포넌트를 사용한다"), Kept, byLine},
		"forbidden, an operator":             {Turn{Watched: true, Deeds: did(edit("bot/a.ts", "x", "a === b")), Answer: "Done."}, inBot("Use `===` instead of `==`"), Kept, byLine},
		"wanted of what a name is given":     {Turn{Watched: true, Deeds: did(edit("bot/a.ts", "jwt.verify(token, key)")), Answer: "Done."}, inBot("`jwt.verify` is called with `algorithms`"), Open, byLine},
		"wanted in the case of a name":       {Turn{Watched: true, Deeds: did(edit("bot/a.ts", "setInterval(load, 5000)")), Answer: "Done."}, inBot("`setInterval`을 쓰면 `clearInterval`을 호출한다"), Open, byLine},
		"asked for, and of something else":   {Turn{Watched: true, Asked: true, Deeds: did(edit("bot/a.ts", "total(n)")), Answer: "Done."}, inBot("State is fetched with `useQuery`"), NotHere, ""},
		"a forbidden file":                   {Turn{Watched: true, Deeds: did(edit("web/gen/api.ts", "x", "y()")), Answer: "Done."}, cardOf("Never edit `gen/api.ts` by hand"), Broken, byLine},
		"a forbidden command":                {Turn{Watched: true, Deeds: ran("cd web && npm run dev", false, edit("bot/run.go", "x := 1")), Answer: "Done."}, served, Broken, byCommand},
		"a forbidden command, sought":        {Turn{Watched: true, Deeds: ran("grep -rn 'npm run dev' .", false, edit("bot/run.go", "x := 1")), Answer: "Done."}, served, NotHere, ""},
		"a chat's code":                      {Turn{Request: "an index?", Answer: "Here:\n```sql\nCREATE INDEX orders_idx ON orders (id);\n```"}, cardOf("Indexes are created with CONCURRENTLY"), Open, byLine},
		"a chat's code breaks it":            {Turn{Answer: "So:\n```js bot/run.js\nx = 1\nprocess.exit(1)\n```"}, barred, Broken, byLine},
		"a chat's output":                    {Turn{Answer: "It prints:\n```text\nprocess.exit(1)\n```\nSo it ends."}, barred, NotHere, ""},
		"a chat's code, and a check":         {Turn{Answer: "So:\n```go\nx := 1\nlog.Info(token)\n```"}, checked, Broken, byCheck},
		// by its check
		"the check finds a line":     {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x := 1", `log.Info("got " + token)`)), Answer: "Done."}, checked, Broken, byCheck},
		"the check finds none":       {Turn{Watched: true, Deeds: did(edit("bot/run.go", "x := 1")), Answer: "I log the token."}, checked, Kept, byCheck},
		"the check does not run":     {Turn{Watched: true, Deeds: did(edit("bot/run.go", "log.Warn(path)")), Answer: "Done."}, broken, NotHere, ""},
		"the check sees no deeds":    {Turn{Asked: true, Answer: "I wrote the handler and registered it."}, checked, Open, ByAnswer},
		"the check has nothing here": {Turn{Watched: true, Answer: "I explain it to you now."}, checked, NotHere, byCheck},
	} {
		got := Judge(t.Context(), c.turn, []lessons.Card{c.card})
		if len(got) != 1 || got[0].State != c.want || got[0].By != c.by {
			t.Errorf("%s: %+v, want %s by %q", name, got, c.want, c.by)
			continue
		}
		if c.want == Broken && c.by != byCommand && !strings.HasPrefix(name, "a forbidden f") && got[0].Place.Line.N != 2 {
			t.Errorf("%s: it stands at %+v", name, got[0].Place)
		}
	}
}

// turnOf returns a turn that edited files, each a name and its lines, of which those with + were added and those with - removed.
func turnOf(files []string) Turn {
	texts := map[string]string{}
	turn := Turn{Watched: true, Answer: "Done.", Text: func(file string) string { return texts[file] }}
	for i := 0; i < len(files); i += 2 {
		e, n := check.Edit{File: files[i], Seq: i}, 0
		for line := range strings.SplitSeq(files[i+1], "\n") {
			text, added := strings.CutPrefix(line, "+")
			if old, gone := strings.CutPrefix(line, "-"); gone && !strings.HasPrefix(line, "---") {
				e.Removed = append(e.Removed, check.Line{Text: old})
				continue
			}
			if n++; added {
				e.Added = append(e.Added, check.Line{Text: text, N: n})
			}
			texts[e.File] += text + "\n"
		}
		turn.Edits = append(turn.Edits, e)
	}
	return turn
}

// differing is a turn whose files the last commit has otherwise.
func differing(files []string) Turn {
	t := turnOf(files)
	t.Differs = func(string) bool { return true }
	return t
}

// TestEachThing: what is wanted of each thing of a kind, or with a name, is looked for in the statement or the function of each. A line with + was added.
func TestEachThing(t *testing.T) {
	routes := "@router.get(\"/a\")\n@limited(5)\ndef a():\n    return 1\n\n"
	jobs := "jobs:\n  test:\n    runs-on: linux\n    timeout-minutes: 5\n+  lint:\n+    runs-on: linux\n"
	paid := "class Orders {\n    @Get(\"/\")\n    @Guarded\n    List<Order> all() {\n        return s.all();\n    }\n+\n+    @Post(\"/\")\n"
	hook := "+export async function shipped(req, res) {\n"
	for name, c := range map[string]struct {
		item  string
		want  State
		files []string // name, text, name, text …
	}{
		"another endpoint has it":       {"New endpoints carry `@limited`", Open, []string{"bot/a.py", routes + "+@router.post(\"/b\")\n+def b():\n+    return 2\n"}},
		"the endpoint has it":           {"New endpoints carry `@limited`", Kept, []string{"bot/a.py", routes + "+@router.post(\"/b\")\n+@limited(9)\n+def b():\n+    return 2\n"}},
		"no endpoint":                   {"New endpoints carry `@limited`", NotHere, []string{"bot/a.py", routes + "+def clean(s):\n+    return s.strip()\n"}},
		"a method above has it":         {"New endpoints carry `@Guarded`", Open, []string{"bot/A.java", paid + "+    Order add() {\n+        return s.add();\n+    }\n }\n"}},
		"one file has it":               {"Webhook handlers call `signed(req)`", Open, []string{"bot/webhook/a.js", hook + "+  signed(req)\n+  store(req.body)\n+}\n", "bot/webhook/b.js", hook + "+  store(req.body)\n+}\n"}},
		"both files have it":            {"Webhook handlers call `signed(req)`", Kept, []string{"bot/webhook/a.js", hook + "+  signed(request)\n+}\n", "bot/webhook/b.js", hook + "+  signed(req)\n+}\n"}},
		"only a comment has it":         {"Webhook handlers call `signed(req)`", Open, []string{"bot/webhook/a.js", "+// TODO: signed(req)\n" + hook + "+  store(req.body)\n+}\n"}},
		"handlers of something else":    {"Upload handlers call `bounded`", NotHere, []string{"bot/a.js", hook + "+  store(req.body)\n+}\n"}},
		"another job has it":            {"Every job has `timeout-minutes`", Open, []string{"bot/ci.yml", jobs}},
		"one of two tags has it":        {"Every `<Image>` sets `width`", Open, []string{"bot/a.tsx", "+<Image src=\"a\" width={1} />\n+<Image src=\"b\" />\n"}},
		"a name of its own, beside it":  {"Every `s3_bucket` has an `s3_access_block`", Kept, []string{"bot/a.tf", "+resource \"s3_bucket\" \"a\" {\n+  name = \"a\"\n+}\n+\n+resource \"s3_access_block\" \"a\" {\n+  bucket = s3_bucket.a.id\n+}\n"}},
		"a flag on a line of its own":   {"`apt-get install` runs with `--no-install-recommends`", Kept, []string{"bot/Dockerfile", "+RUN apt-get install -y \\\n+    --no-install-recommends \\\n+    curl\n"}},
		"one of two names is missing":   {"Session cookies are set with `httponly=True` and `secure=True`", Open, []string{"bot/a.py", "+    r.set_cookie(\"session\", s.id, httponly=True)\n"}},
		"a key and its value":           {"Consumers set `auto.commit=false`", Kept, []string{"bot/consumers/A.java", "+        props.put(\"auto.commit\", \"false\");\n"}},
		"neither of the two":            {"Models call `soft_delete`, not `destroy`", NotHere, []string{"bot/models/cart.rb", "+  scope :active, -> { where(deleted_at: nil) }\n"}},
		"of two the wrong one":          {"Amounts are `Decimal`, not `float`", Broken, []string{"bot/a.py", "+amount = float(total)\n"}},
		"in test code alone":            {"No `clock.Now` in test code", NotHere, []string{"bot/a.go", "+\tat := clock.Now()\n"}},
		"in all code of a language":     {"Never use `Time.now` in Ruby code", Broken, []string{"bot/a.rb", "+  at = Time.now\n"}},
		"in all stylesheets":            {"No `!important` in our stylesheets", Broken, []string{"bot/a.css", "+  color: red !important;\n"}},
		"kept in the wrong place":       {"Session ids live in `sessionStorage`, not in `localStorage`", Broken, []string{"bot/a.ts", "+localStorage.setItem('sessionId', id)\n"}},
		"another thing is kept there":   {"Session ids live in `sessionStorage`, not in `localStorage`", NotHere, []string{"bot/a.ts", "+localStorage.setItem('theme', name)\n"}},
		"in Korean":                     {"결제 수단은 `vault`에 저장하고 `sharedPrefs`에는 저장하지 않는다", NotHere, []string{"bot/a.kt", "+sharedPrefs.put(\"tab\", 2)\n"}},
		"the wrong one of no amount":    {"Wrap errors with `%w`, not `%v`", NotHere, []string{"bot/a.go", "+\tfmt.Printf(\"config: %v\", cfg)\n"}},
		"in the case of another call":   {"An effect that calls `listen` returns a function that calls `unlisten`", NotHere, []string{"bot/a.tsx", "+  useEffect(() => {\n+    document.title = title\n+  }, [title])\n"}},
		"an argument by another name":   {"List handlers pass `page(r)` to the store", Kept, []string{"bot/a.go", "+func listAll(w http.ResponseWriter, q *http.Request) {\n+\trows := all(page(q))\n+}\n"}},
		"only brought in":               {"Admin routes are mounted with `mustAdmin`", Open, []string{"bot/admin/a.ts", "+import { mustAdmin } from \"./auth\";\n+export const refundsRouter = Router();\n+refundsRouter.get(\"/export\", exportAll);\n"}},
		"of the route above":            {"Admin routes are mounted with `mustAdmin`", Open, []string{"bot/admin/a.ts", "router.get(\"/a\", mustAdmin, a);\n+router.get(\"/b\", b);\n"}},
		"what it denies in plain words": {"Gaps come from `var(--gap)`, no numbers of your own", NotHere, []string{"bot/a.css", "+.a {\n+  padding: var(--gap);\n+  margin: 3px;\n+}\n"}},
		"behind a pointer":              {"No `unwrap()`", Broken, []string{"bot/a.rs", "+fn reject(&self) {\n+    *self.rejected.lock().unwrap() += 1;\n+}\n"}},
		"forbidden in another folder":   {"Never call `clock.Now` in `bot/billing/`", NotHere, []string{"bot/http/a.go", "+\tstart := clock.Now()\n"}},
		"forbidden beside the folder":   {"Never call `clock.Now` in `bot/billing/`", NotHere, []string{"bot/billing2/a.go", "+\tstart := clock.Now()\n"}},
		"forbidden in this folder":      {"Never call `clock.Now` in `bot/billing/`", Broken, []string{"bot/billing/a.go", "+\tstart := clock.Now()\n"}},
		"forbidden by any verb":         {"`as unknown as`로 타입을 강제하지 않는다", Broken, []string{"bot/a.ts", "+const user = body as unknown as User;\n"}},
		"a name that another uses":      {"Handlers go through `limited`", Open, []string{"bot/a.js", "const strict = limited(5);\napp.post(\"/a\", strict, a);\n+app.post(\"/b\", b);\n"}},
		"one of two that begin alike":   {"Service methods carry @Atomic", NotHere, []string{"bot/A.java", "+  @Atomic\n+  public void give() {\n+    a();\n+  }\n+\n+  public void take() {\n+    b();\n+  }\n"}},
		"long options of a shell":       {"Shell scripts start with `set -euo pipefail`", Kept, []string{"bot/run.sh", "+#!/bin/bash\n+set -o errexit -o nounset -o pipefail\n"}},
		"a name that it uses":           {"Handlers go through `limited`", Kept, []string{"bot/a.js", "const strict = limited(5);\napp.post(\"/a\", strict, a);\n+app.post(\"/b\", strict, b);\n"}},
		"one button has it":             {"Icon-only buttons carry an aria-label", Open, []string{"bot/a.tsx", "+<button aria-label=\"in\">\n+  <PlusIcon />\n+</button>\n+<button>\n+  <MinusIcon />\n+</button>\n"}},
		"a button of another kind":      {"Icon-only buttons carry an aria-label", NotHere, []string{"bot/a.tsx", "+<button>\n+  Save\n+</button>\n"}},
		"a list of another thing":       {"List handlers pass `page(r)` to the store", NotHere, []string{"bot/a.go", "+func getOne(w http.ResponseWriter, r *http.Request) {\n+\trow := one(id(r))\n+}\n"}},
	} {
		turn, card := turnOf(c.files), cardOf(c.item)
		card.Paths = []string{"bot/**"}
		for range 2 {
			if got := Judge(t.Context(), turn, []lessons.Card{card}); got[0].State != c.want {
				t.Errorf("%s: %+v, want %s", name, got[0], c.want)
			}
			for _, e := range turn.Edits { // where a line stands is not always known
				for n := range e.Added {
					e.Added[n].N = 0
				}
			}
		}
	}
}

// TestWhatAnItemAsksFor: what is to be run, and what is to be written beside the code.
func TestWhatAnItemAsksFor(t *testing.T) {
	for item, want := range map[string]string{
		"Run npm test and read its last line":                       "tests",
		"The full test suite was run after the last edit":           "tests",
		"Please run pytest before you say done":                     "tests",
		"Before committing, run the linter":                         "lint",
		"Build and lint both pass":                                  "build lint",
		"tsc reports no errors":                                     "build",
		"Tests added and passing locally":                           "tests +test",
		"Run `make generate` after the schema was touched":          "$make generate",
		"`bun run release:validate` passes":                         "$bun run release:validate",
		"테스트가 모두 통과한 것을 확인한다":                                       "tests",
		"npm test를 실행하고 마지막 줄을 읽는다":                                 "tests",
		"빌드가 깨지지 않는지 확인한다":                                          "build",
		"린트 오류가 없다":                                                 "lint",
		"The whole suite ran after the last change":                 "tests",
		"Run the linter and the type checker":                       "build lint",
		"npm run lint가 오류 없이 끝난다":                                   "lint",
		"설정 문서에 적힌 값을 쓴다":                                           "",
		"테스트 데이터베이스만 쓴다":                                            "",
		"A test checks that the import succeeds":                    "+test",
		"The fix is covered by a regression test":                   "+test",
		"목록에 없는 채팅에서 명령을 보내는 테스트가 있다":                               "+test",
		"Update README.md with the new flag":                        "+doc",
		"The changelog has an entry":                                "+log",
		"A change of behaviour in lib gets a line in `CHANGES.rst`": "+log",
		"README에 새 옵션을 적는다":                                         "+doc",
		"The vendor's documentation was read first":                 "",
		"공식 문서를 먼저 읽는다":                                             "",
		"Never run `bun run tsc` by hand":                           "",
		"Don't run the e2e tests here":                              "",
		"Tests pass the clock in":                                   "",
		"Put new tests below test/":                                 "",
		"A successful build proves nothing here: look at the page":  "",
		"Name code and test changes first, documentation after":     "",
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

// TestNamesInItems: which names in code an item wants (+) or forbids (-); of others it is not clear.
func TestNamesInItems(t *testing.T) {
	for item, want := range map[string]string{
		"Indexes are created with CONCURRENTLY":                         "+CONCURRENTLY",
		"Stock is read with `FOR UPDATE`":                               "+FOR UPDATE",
		"The stock row is locked with FOR UPDATE before it is checked":  "+FOR UPDATE",
		"The `Stripe-Signature` header is read inside the handler":      "+Stripe-Signature",
		"Every amount goes through formatMoney()":                       "+formatMoney",
		"Do not create an index without `CONCURRENTLY`":                 "+CONCURRENTLY",
		"Use `logger.info` instead of `console.log`":                    "+logger.info -console.log",
		"Pass ctx.Deadline, not time.After":                             "+ctx.Deadline -time.After",
		"Never use `dangerouslySetInnerHTML`":                           "-dangerouslySetInnerHTML",
		"Do not call process.exit()":                                    "-process.exit(",
		"`eval` is never used":                                          "-eval",
		"색인은 `CONCURRENTLY`로 만든다":                                       "+CONCURRENTLY",
		"재고는 `FOR UPDATE`로 잠근 뒤 읽는다":                                    "+FOR UPDATE",
		"`X-Signature` 헤더를 먼저 확인한다":                                     "+X-Signature",
		"`innerHTML`을 쓰지 않는다":                                           "-innerHTML",
		"`Y` 없이 `X`를 호출하지 않는다":                                          "",
		"Return `Response<T>` with `retry()` or `once()`":               "+Response +retry, once",
		"`any` 대신 `unknown`을 쓴다":                                        "-any +unknown",
		"금액은 `float`가 아니라 `Decimal`로 계산한다":                              "-float +Decimal",
		"`null`이 아닌 값만 받는다":                                             "",
		"`window`를 직접 쓰지 않는다":                                           "-window",
		"`SELECT *` 대신 `id`를 적는다":                                       "-SELECT * +id",
		"CSV는 `utf-8-sig`로 연다":                                          "+utf-8-sig",
		"항목에 `alt`를 줄 수 있다":                                             "",
		"Name the columns, not `SELECT *`":                              "-SELECT *",
		"Return 404, not `null`":                                        "",
		"Amounts are integers of cents, never `parseFloat`":             "-parseFloat",
		"Never use `0.0.0.0/0`":                                         "-0.0.0.0/0",
		"Never import from `src/old`":                                   "-src/old",
		"Filter events with `created_at >=`":                            "+created_at >=",
		"`COPY . .`는 `npm ci` 뒤에 둔다":                                    "",
		"Wrap the whole call in `withRetry`":                            "+withRetry",
		"Never use `eval` or `exec`":                                    "-eval -exec",
		"`eval`이나 `exec`를 쓰지 않는다":                                       "-eval -exec",
		"`eval` and `exec` are never used":                              "-eval -exec",
		"Pages under /shop depend on require_login":                     "+require_login",
		"Each net.Dialer has a Timeout":                                 "+Timeout",
		"Every link has a data-testid":                                  "+data-testid",
		"Read-only views have a `data-testid`":                          "+data-testid",
		"Scripts with `VACUUM FULL` set `statement_timeout`":            "+statement_timeout",
		"deleting items - list_delete(socket, item)":                    "",
		"Audit lines leave out `card_number`":                           "",
		"Keys are kept in the Keyring, never in LocalCache":             "+Keyring -LocalCache",
		"`Column` 안에서 목록을 그리지 말고 `LazyColumn`을 쓴다":                      "+LazyColumn",
		"`openModal`이 끝나면 `closeModal`을 부른다":                            "+closeModal",
		"Each image has `alt` or `role`":                                "+alt, role",
		"`force_push`는 금지":                                              "-force_push",
		"ALWAYS check the API, the URL and every TODO":                  "",
		"It MUST be tested before the README says so":                   "",
		"JavaScript and TypeScript are used via GitHub, e.g. for pages": "",
		"When the table is large, use CONCURRENTLY":                     "",
		"Use `CONCURRENTLY` unless the table is new":                    "",
		"Prefer `const`":                                                "",
		"Selectors name what a person sees (`getByRole`, `getByText`)":  "",
		"Functions are `snake_case` and classes `PascalCase`":           "",
		"Update config/app.yaml":                                        "",
		"The commit is called `feat: <what>`":                           "",
		"The response of loadUser() is shown":                           "",
		"대량일 때는 `CONCURRENTLY`를 쓴다":                                     "",
	} {
		names, _, _ := literalsOf(item)
		var got []string
		for _, n := range names {
			got = append(got, map[bool]string{false: "+", true: "-"}[n.barred]+n.text)
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%q: %q, want %q", item, g, want)
		}
	}
}

// TestMark: names that the evidence holds are put in backticks, once.
func TestMark(t *testing.T) {
	evidence := "```diff\n+CREATE INDEX a ON orders (id)\n-CREATE INDEX CONCURRENTLY a ON orders (id)\n+loadUser(id)\n```"
	for item, want := range map[string]string{
		"Indexes are created with CONCURRENTLY":   "Indexes are created with `CONCURRENTLY`",
		"Indexes are created with `CONCURRENTLY`": "Indexes are created with `CONCURRENTLY`",
		"Call loadUser() with a number":           "Call `loadUser()` with a number",
		"Call saveUser() and NEVER a raw INDEX":   "Call saveUser() and NEVER a raw INDEX",
	} {
		if got := Mark(item, evidence); got != want {
			t.Errorf("%q: %q, want %q", item, got, want)
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
	f.Add("Use `\xff` and never `x\xff`", "a", "x := 1")
	f.Add("토큰을 로그에 남기지 않는다", "- [x] 토큰은 로그에 남지 않습니다", "log(token)")
	f.Fuzz(func(t *testing.T, item, answer, line string) {
		turn := Turn{Asked: true, Watched: len(line)%2 == 0, Answer: answer, Deeds: check.Deeds{Edits: []check.Edit{edit("a.go", line)}}}
		if got := Judge(t.Context(), turn, []lessons.Card{cardOf(item)}); len(got) != 1 || got[0].State == "" {
			t.Errorf("%+v", got)
		}
	})
}
