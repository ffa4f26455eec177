package server

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/ledger"
)

const scoped = `---
type: lesson
title: A migration needs a backup
applies-to: [postgres, migration]
paths: ["db/migrations/**"]
severity: high
---

# A migration needs a backup

## Root Cause

The deploy had no backup step.

## Prevention Checklist

- [ ] pg_dump runs before the migration
- [ ] The backup is restored once
- [ ] The third item stands too
`

const refused = `---
type: lesson
title: The queue client retried a refused connection for ever
applies-to: [queue]
---

# The queue client retried a refused connection for ever

## Mistake / Risk

` + "`dial tcp: ECONNREFUSED` was retried without a limit.\n" + `
## Root Cause

No limit.

## Prevention Checklist

- [ ] The retry has a limit
`

func touchWorkspace(t *testing.T, change ...func(*Config)) *workspace {
	return newWorkspace(t, map[string]string{
		"lessons/backup.md": scoped, "lessons/queue.md": refused, "lessons/allowlist.md": allowlist,
		"lessons/shop.md": strings.Replace(strings.ReplaceAll(scoped, "migration", "stock"), "type: lesson\n", "type: lesson\nproject: shop\n", 1),
	}, change...)
}

func TestTouch(t *testing.T) {
	w := touchWorkspace(t)
	for _, tt := range []struct {
		name string
		req  TouchRequest
		want string
	}{
		{"a file that a card's paths hold", TouchRequest{Files: []string{w.dir + "/db/migrations/7.sql"}}, "lessons/backup.md"},
		{"a file that none holds", TouchRequest{Files: []string{w.dir + "/README.md"}}, ""},
		{"a file outside the project", TouchRequest{Files: []string{"/tmp/db/migrations/7.sql"}}, ""},
		{"an error that a card names", TouchRequest{Command: "./run", Output: "starting\nerror: dial tcp 127.0.0.1:5: connect: ECONNREFUSED\n"}, "lessons/queue.md"},
		{"an error that none names", TouchRequest{Command: "./run", Output: "error: ETIMEDOUT\n"}, ""},
		{"a common error", TouchRequest{Command: "./run", Output: "AssertionError: expected 1\n"}, ""},
		{"a lone tag", TouchRequest{Command: "go run ./telegram --once"}, ""},
		{"a folder that is a lone tag", TouchRequest{Files: []string{w.dir + "/telegram/handlers.go"}}, ""},
		{"a tag in a message that the command quotes", TouchRequest{Command: "git notes add -m 'migration for postgres'"}, ""},
		{"both tags of it", TouchRequest{Command: "psql postgres -f migration.sql"}, "lessons/backup.md"},
		{"another project's card", TouchRequest{Command: "stock postgres", Project: "bank"}, ""},
		{"its own project's card", TouchRequest{Command: "stock postgres", Project: "Shop"}, "lessons/shop.md"},
		{"tags in the folder that it goes to", TouchRequest{Command: "cd ~/postgres/migration && ls"}, ""},
		{"nothing", TouchRequest{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := w.Touch(ctx, tt.req)
			if err != nil {
				t.Fatal(err)
			}
			path := ""
			if len(got.Lessons) > 0 {
				path = got.Lessons[0].Path
			}
			if path != tt.want || (got.Text == "") != (tt.want == "") || strings.Count(got.Text, "\n") > 3 {
				t.Errorf("%s, want %s:\n%s", path, tt.want, got.Text)
			}
		})
	}
}

const plainCard = `---
type: lesson
title: %[1]s
applies-to: [%[2]s]
paths: [%[3]s]
---

# %[1]s

## Root Cause

Nobody looked.

## Prevention Checklist

- [ ] Somebody looks
- [ ] The result is written down
- [ ] The queue is drained first
`

// handed returns the cards that an action is handed, without their folder.
func (w *workspace) handed(t *testing.T, r TouchRequest) string {
	t.Helper()
	for i, f := range r.Files {
		r.Files[i] = w.dir + "/" + f
	}
	got, err := w.Touch(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	if (got.Text == "") != (len(got.Lessons) == 0) || strings.Count(got.Text, "[ACTIVE LESSON]") != len(got.Lessons) || (got.Receipt == "") != (got.Text == "") {
		t.Fatalf("%d cards in %q", len(got.Lessons), got.Text)
	}
	var out []string
	for _, h := range got.Lessons {
		out = append(out, strings.TrimSuffix(path.Base(h.Path), ".md"))
	}
	return strings.Join(out, " ")
}

// next begins a turn with a request that no card speaks to.
func (w *workspace) next(t *testing.T, session string) {
	t.Helper()
	if _, err := w.Preflight(ctx, PreflightRequest{SessionID: session, Query: "which penguins live in the north"}); err != nil {
		t.Fatal(err)
	}
}

func TestSignsAddUp(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"lessons/stripe.md":  fmt.Sprintf(plainCard, "A refund ran twice", "stripe, refund", ""),
		"lessons/wide.md":    fmt.Sprintf(plainCard, "A helper was copied", "helpers", `"src/**"`),
		"lessons/invoice.md": fmt.Sprintf(plainCard, "An invoice lost its currency", "invoice", `"src/billing/**", "!src/billing/gen/**"`),
		"lessons/total.md":   fmt.Sprintf(plainCard, "A total was rounded twice", "rounding", `"src/billing/**"`),
		"lessons/commit.md":  fmt.Sprintf(plainCard, "A commit left files out", "workflow", ""),
		"lessons/suite.md":   fmt.Sprintf(plainCard, "Half of the test suite was run", "workflow", ""),
	})
	act := func(session string, r TouchRequest, want string) {
		t.Helper()
		r.SessionID = session
		if w.handed(t, r) != want {
			t.Errorf("%s: %+v was not handed %q", session, r, want)
		}
	}
	edit := func(file string) TouchRequest { return TouchRequest{Files: []string{file}} }
	read := func(file string) TouchRequest { return TouchRequest{Files: []string{file}, Reads: true} }

	act("a lone tag", TouchRequest{Command: "stripe listen"}, "")
	act("a lone tag", edit("app/refund.go"), "") // another action
	act("two tags", TouchRequest{Command: "stripe refund"}, "stripe")

	act("a wide glob is a weak sign", edit("src/main.go"), "")
	act("a wide glob is a weak sign", edit("src/helpers/main.go"), "wide")

	act("an edit of a narrow one", edit("src/billing/a.go"), "invoice total")
	act("a read", read("src/billing/invoice.go"), "")
	asks := func(session string, given ...string) {
		w.State.InSession(session, func(t *ledger.Session) { t.Echo = map[string]float64{"lessons/total.md": deliver.NearStrength} })
		w.State.Give(session, ledger.Given{Share: ledger.Whole}, given...)
	}
	asks("a read of what the request is near to")
	act("a read of what the request is near to", read("src/billing/a.go"), "total")
	asks("an edit of what the request speaks of by another card", "lessons/total.md")
	act("an edit of what the request speaks of by another card", edit("src/billing/a.go"), "")
	act("an excluded file", edit("src/billing/gen/a.go"), "total")

	act("what git is told of is done", TouchRequest{Command: "git add app/refund.go stripe/listen.go && git diff --stat app/refund.go"}, "")
	act("before a command of the table runs", TouchRequest{Command: "git add . && git commit -m 'Fix it all'"}, "commit")
	act("what nearly every turn does", TouchRequest{Command: "go test ./..."}, "")
}

func TestAnEditThatAddsANameOfACard(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"lessons/change.md": fmt.Sprintf(plainCard, "phx-change needs a form around it", "liveview", ""),
		"lessons/layout.md": fmt.Sprintf(plainCard, "Admin pages do without a layout", "Layouts.app, LangSmith", ""),
		"lessons/other.md":  fmt.Sprintf(strings.Replace(plainCard, "type: lesson\n", "type: lesson\nproject: bank\n", 1), "cash_flow is in cents", "money", ""),
	})
	for i, tt := range []struct{ file, removed, added, want string }{
		{"live/prices.heex", "", "<input phx-change=\"filter\">", "change"},
		{"live/prices.heex", "<input phx-change=\"filter\">", "<input phx-change=\"filter\">", ""},
		{"live/prices.heex", "", "<input phx-changed=\"filter\">", ""},
		{"docs/prices.md", "", "An input has a phx-change", ""},
		{"live/admin.heex", "", "<Layouts.app flash={@flash}>", "layout"},
		{"live/admin.heex", "", "<layouts.app>", ""}, // another name
		{"live/admin.heex", "", "cash_flow", ""},
		{"live/trace.heex", "", "LangSmith", ""}, // a product
	} {
		r := TouchRequest{SessionID: fmt.Sprint(i), Project: "shop", Files: []string{tt.file}, Changes: []Change{Between(w.dir+"/"+tt.file, tt.removed, tt.added)}}
		if got := w.handed(t, r); got != tt.want {
			t.Errorf("%s with %q got %q, want %q", tt.file, tt.added, got, tt.want)
		}
	}
}

// TestMoreSignsGoFirst holds that of two cards of a file the one goes first whose name in code is added, too.
func TestMoreSignsGoFirst(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"lessons/0.md": fmt.Sprintf(plainCard, "Thing 0 broke", "things", `"bot/**"`),
		"lessons/1.md": fmt.Sprintf(plainCard, "send_message broke", "things", `"bot/**"`),
	})
	r := TouchRequest{SessionID: "s", Files: []string{"bot/api.go"}, Changes: []Change{Between(w.dir+"/bot/api.go", "", "send_message()")}}
	if got := w.handed(t, r); got != "1 0" {
		t.Errorf("got %q", got)
	}
}

// TestACommandOfAnItem holds that a card does not come with a command on a file that only its items name: they may ask for it.
func TestACommandOfAnItem(t *testing.T) {
	item := func(title, does string) string {
		return strings.Replace(fmt.Sprintf(plainCard, title, "linking", ""), "Somebody looks", does, 1)
	}
	w := newWorkspace(t, map[string]string{
		"lessons/item.md":  item("The global link went stale", "Changes are tried with src/tool.ts"),
		"lessons/title.md": item("Leave db/seeds.exs alone", "A migration stands alone"),
	})
	for i, tt := range []struct{ file, command, want string }{
		{"src/tool.ts", "bun run src/tool.ts --help", ""}, {"src/tool.ts", "", "item"}, {"db/seeds.exs", "mix run db/seeds.exs", "title"},
	} {
		if got := w.handed(t, TouchRequest{SessionID: fmt.Sprint(i), Files: []string{tt.file}, Command: tt.command}); got != tt.want {
			t.Errorf("%s with %q got %q, want %q", tt.file, tt.command, got, tt.want)
		}
	}
}

// TestAnActOfSomethingElse holds that a card which was given before comes with an edit of its file only if that is about it, and not with a command
// on it: a word of a long title is not enough, nor a tag that the file is named by.
func TestAnActOfSomethingElse(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"lessons/total.md": fmt.Sprintf(plainCard, "A discount was read from text", "money", `"src/cart.js"`),
		"lessons/count.md": fmt.Sprintf(plainCard, "A duplicate row was called fixed before anybody counted the entries of an order", "orders", `"src/orders.js"`),
	})
	act := func(session, file, command, added, want string) {
		t.Helper()
		r := TouchRequest{SessionID: session, Files: []string{file}, Command: command}
		if added != "" {
			r.Changes = []Change{Between(w.dir+"/"+file, "", added)}
		}
		if got := w.handed(t, r); got != want {
			t.Errorf("%s: %q brought %q, want %q", session, command+added, got, want)
		}
	}
	const other = "showHeader(page, user, width)"
	act("new to the person", "src/cart.js", "", other, "total")
	act("known", "src/cart.js", "", other, "")
	act("known", "src/cart.js", "", "sum -= discountOf(row, user)", "total")
	act("an edit that says nothing", "src/cart.js", "", "}", "total")
	act("new to the person", "src/orders.js", "", other, "count")
	act("known", "src/orders.js", "", "showOrder(page, user, width)", "")
	act("known", "src/orders.js", "cp src/orders.js ../shop/src/orders.js", "", "")
	act("known", "src/orders.js", "", "if (duplicate(row)) fixed++", "count")
	act("a command", "src/orders.js", "echo 'count the entries, no duplicate row' >> src/orders.js", "", "")
}

// A card about what is to be run before another command comes at that one, unless the first was run.
func TestWhatIsRunBeforeComesWhileItIsMissing(t *testing.T) {
	const ordered = "---\ntitle: %s\n---\n## Root Cause\nNobody looked.\n## Prevention Checklist\n- [ ] %s\n"
	w := newWorkspace(t, map[string]string{
		"lessons/diff.md":   fmt.Sprintf(ordered, "A chart took the volumes along", "Run `helm diff upgrade` before `helm upgrade`"),
		"lessons/plan.md":   fmt.Sprintf(ordered, "인프라가 통째로 지워졌다", "배포 전에 `make plan`을 돌린다"),
		"lessons/deploy.md": fmt.Sprintf(ordered, "Never deploy on a Friday", "Look at the calendar"),
	})
	ran := func(session, command string, exit int) {
		t.Helper()
		if _, err := w.Observe(ctx, Event{Kind: CommandEvent, SessionID: session, Command: command, ExitCode: &exit}); err != nil {
			t.Fatal(err)
		}
	}
	act := func(session, command, want string) {
		t.Helper()
		if got := w.handed(t, TouchRequest{SessionID: session, Command: command}); got != want {
			t.Errorf("%s: %q brought %q, want %q", session, command, got, want)
		}
	}
	act("nothing ran", "helm upgrade shop ./chart", "diff deploy plan")
	ran("it ran", "helm diff upgrade shop ./chart", 0)
	act("it ran", "helm upgrade shop ./chart", "deploy plan")
	ran("both ran", "helm diff upgrade shop ./chart && make plan", 0)
	act("both ran", "helm upgrade shop ./chart", "deploy")
	ran("it failed", "helm diff upgrade shop ./chart", 1)
	act("it failed", "helm upgrade shop ./chart", "diff deploy plan")
	act("on one line", "helm diff upgrade shop ./chart && helm upgrade shop ./chart", "deploy plan")
}

func TestATurnIsHandedThreeAtMost(t *testing.T) {
	files := map[string]string{}
	for i := range 5 {
		files[fmt.Sprintf("lessons/%d.md", i)] = fmt.Sprintf(plainCard, fmt.Sprintf("Thing %d broke", i), "things", `"ledgers/schema.sql"`)
	}
	files["lessons/4.md"] = fmt.Sprintf(plainCard, "Thing 4 broke", "things", `"ledgers/**"`)
	w := newWorkspace(t, files)
	schema := func() string {
		return w.handed(t, TouchRequest{SessionID: "s", Files: []string{"ledgers/schema.sql"}})
	}
	w.next(t, "s")
	if got := schema(); got != "0 1 2" { // the glob holds more than this file
		t.Errorf("the first action got %q", got)
	}
	if got := schema(); got != "" {
		t.Errorf("the same turn got %q, too", got)
	}
	w.next(t, "s")
	if got := schema(); got != "3 4" {
		t.Errorf("the next turn got %q", got)
	}
	if row, _ := w.State.Turns.Get(w.State.TurnOf("s")); len(row.Touched) != 2 || row.Touched[0].Receipt != row.Touched[1].Receipt || len(row.Known) != 3 {
		t.Errorf("the ledger has %+v, and of before %+v", row.Touched, row.Known) // those three are held against this turn, too
	}
}

func TestTagsThatTellNothing(t *testing.T) {
	files := map[string]string{
		"lessons/name.md":    fmt.Sprintf(plainCard, "The wrong checkout was edited", "acme, session, handrail", ""),
		"lessons/product.md": strings.Replace(fmt.Sprintf(plainCard, "The price was stale", "shop, price", ""), "type: lesson\n", "type: lesson\nproject: shop\n", 1),
	}
	for i := range deliver.FewCards + 1 {
		files[fmt.Sprintf("lessons/%d.md", i)] = fmt.Sprintf(plainCard, fmt.Sprintf("Queue %d was full", i), "queue, worker", "")
	}
	w := newWorkspace(t, files)
	for _, tt := range []struct{ name, project, command string }{
		{"the repository's name", "Acme", "acme session start"},
		{"the project's name", "", "shop price list"},
		{"our own name", "", "handrail session start"},
		{"what many cards have", "", "worker --queue mails"},
	} {
		if got := w.handed(t, TouchRequest{Command: tt.command, Project: tt.project}); got != "" {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
	if got := w.handed(t, TouchRequest{Command: "acme session start"}); got != "name" {
		t.Errorf("in another repository the same name is a tag like others: %q", got)
	}
}

func TestTheRequestIsASecondSign(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"lessons/refund.md": fmt.Sprintf(plainCard, "A refund ran twice", "stripe", ""),
		"lessons/mail.md":   fmt.Sprintf(plainCard, "A mail was sent twice", "stripe", ""),
	})
	w.State.InSession("s", func(t *ledger.Session) { t.Echo = map[string]float64{"lessons/refund.md": deliver.NearStrength} })
	if got := w.handed(t, TouchRequest{SessionID: "s", Command: "stripe listen"}); got != "refund" {
		t.Errorf("%q", got)
	}
}

func TestAReminderHasTheItemsThatConcernTheAct(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/mail.md": fmt.Sprintf(plainCard, "A mail was sent twice", "mail", `"worker/**"`)})
	got, err := w.Touch(ctx, TouchRequest{Files: []string{w.dir + "/worker/queue.go"}})
	if err != nil || !strings.HasSuffix(got.Text, "\n- [ ] The queue is drained first\n- [ ] Somebody looks\n- [ ] The result is written down") {
		t.Errorf("%v:\n%s", err, got.Text)
	}
}

// BenchmarkTouch is what one tool use takes in a brain of 2,000 cards that have tags and paths.
func BenchmarkTouch(b *testing.B) {
	dir := b.TempDir()
	brain := filepath.Join(dir, ".brain")
	if err := os.MkdirAll(filepath.Join(brain, "lessons"), 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range 2000 {
		card := fmt.Sprintf(plainCard, fmt.Sprintf("Module %d lost its part %d", i, i*7), fmt.Sprintf("module-%d, part%d, area%d", i, i%500, i%50), fmt.Sprintf(`"src/area%d/**", "src/m%d/file.go"`, i%50, i))
		if err := os.WriteFile(filepath.Join(brain, "lessons", fmt.Sprint(i, ".md")), []byte(card), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	s, err := New(ctx, Config{Brain: brain, CacheDir: filepath.Join(dir, "cache"), StateDir: filepath.Join(dir, "state"), Now: now})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	<-s.Ready()
	if _, err := s.Preflight(ctx, PreflightRequest{SessionID: "s", Query: "move the part of module 7"}); err != nil {
		b.Fatal(err)
	}
	for name, r := range map[string]TouchRequest{
		"edit":    {SessionID: "s", Files: []string{dir + "/src/m7/file.go"}},
		"command": {SessionID: "s", Command: "git add src && git commit -m 'Move the part' && git push"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Touch(ctx, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestAReadIsNotHeldAgainstTheAnswer(t *testing.T) {
	w := touchWorkspace(t)
	if _, err := w.Preflight(ctx, PreflightRequest{SessionID: "s", Query: "what do penguins eat in winter"}); err != nil {
		t.Fatal(err)
	}
	w.State.InSession("s", func(t *ledger.Session) { t.Echo = map[string]float64{"lessons/backup.md": deliver.NearStrength} })
	if got, err := w.Touch(ctx, TouchRequest{SessionID: "s", Reads: true, Files: []string{w.dir + "/db/migrations/7.sql"}}); err != nil || got.Text == "" {
		t.Fatalf("%+v, %v", got, err)
	}
	footer, err := w.Answered(ctx, AnswerRequest{SessionID: "s", Answer: "Fish."})
	if err != nil || len(footer.Lessons) != 1 || len(footer.Unaddressed) != 0 {
		t.Errorf("%+v, %v", footer, err)
	}
}

func TestNarrowness(t *testing.T) {
	for _, globs := range [][]string{
		{"src/billing/a.go", "src/billing/**", "api/**", "src/**"},
		{"a.go", "db/**"},
		{"docs/*.md", "*.md"},
	} {
		for i := range globs[1:] {
			if a, b := deliver.Narrowness(globs[i]), deliver.Narrowness(globs[i+1]); a <= b {
				t.Errorf("%s (%d) is not narrower than %s (%d)", globs[i], a, globs[i+1], b)
			}
		}
	}
	for _, wide := range []string{"**", "**/*", "*.md", "src/**", "src/**/*.test.ts", "test/"} {
		if n := deliver.Narrowness(wide); n != 0 {
			t.Errorf("%s names %d letters of a place", wide, n)
		}
	}
}

// TestAnErrorsCardGoesFirst holds that the card of an error comes at once and before a card with more signs.
func TestAnErrorsCardGoesFirst(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"lessons/busy.md": fmt.Sprintf(plainCard, "ERR_SQLITE_BUSY while two wrote", "locks", ""),
		"lessons/sync.md": fmt.Sprintf(plainCard, "The ledger was synced twice", "ledger, sync", `"ledger/sync.sh"`),
	})
	w.next(t, "s")
	got := w.handed(t, TouchRequest{SessionID: "s", Command: "sh ledger/sync.sh", Files: []string{"ledger/sync.sh"}, Output: "Error: ERR_SQLITE_BUSY: database is locked"})
	if got != "busy sync" {
		t.Errorf("got %q", got)
	}
}
