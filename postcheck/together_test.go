package postcheck

import (
	"testing"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck/check"
)

// TestFilesAndForms: what changes together, what has a form and no name, and where a ban holds. The cards have no paths, but for bot/.
func TestFilesAndForms(t *testing.T) {
	const root, user = "Images do not run as root: the last stage has a USER line", "최종 이미지는 root가 아닌 `USER`로 실행한다"
	const env, langs, chart = "A new environment variable is listed in `.env.sample`", "번역 키를 추가하면 `ko.json`과 `en.json` 양쪽에 넣는다", "When a template changes, bump version in Chart.yaml"
	const pins, colour, text = "Third-party actions are pinned to a full SHA, not to a tag", "색은 hex로 직접 쓰지 않고 `var(--c-*)`를 쓴다", "화면의 문구는 코드에 직접 쓰지 않는다"
	for name, c := range map[string]struct {
		item  string
		want  State
		files []string
	}{
		"a setting that is listed": {env, Kept, []string{"a.ts", "+const dsn = process.env.BOT_DSN;\n", ".env.sample", "PORT=1\n+BOT_DSN=\n"}},
		"one of two":               {env, Open, []string{"a.ts", "+const dsn = process.env.BOT_DSN, k = 1;\n+const key = process.env.BOT_KEY;\n", ".env.sample", "+BOT_DSN=\n"}},
		"listed nowhere":           {env, Open, []string{"a.py", "+dsn = os.environ[\"BOT_DSN\"]\n"}},
		"only its default":         {env, NotHere, []string{"a.ts", "-const port = process.env.PORT ?? 1;\n+const port = process.env.PORT ?? 2;\n"}},
		"a setting of tests":       {env, NotHere, []string{"a.test.ts", "+const dsn = process.env.BOT_DSN;\n"}},
		"keys of both":             {langs, Kept, []string{"l/ko.json", "+  \"a.b\": \"가\",\n", "l/en.json", "+  \"a.b\": \"a\",\n"}},
		"a key of one":             {langs, Open, []string{"l/ko.json", "+  \"a.b\": \"가\",\n+  \"a.c\": \"나\",\n", "l/en.json", "+  \"a.b\": \"a\",\n"}},
		"one language alone":       {langs, Open, []string{"l/ko.json", "+  \"a.b\": \"가\",\n"}},
		"another value":            {langs, NotHere, []string{"l/ko.json", "-  \"a.b\": \"가\",\n+  \"a.b\": \"나\",\n"}},
		"what follows":             {chart, Kept, []string{"c/templates/a.yaml", "+x: 1\n", "c/Chart.yaml", "-version: 1\n+version: 2\n"}},
		"what does not":            {chart, Open, []string{"c/templates/a.yaml", "+x: 1\n", "c/Chart.yaml", "-appVersion: 1\n+appVersion: 2\n"}},
		"nothing to follow":        {chart, NotHere, []string{"c/README.md", "+how to install the template\n"}},
		"a pin":                    {pins, Kept, []string{".github/workflows/a.yml", "+      - uses: acme/lint@0123456789abcdef0123456789abcdef01234567 # v2\n"}},
		"a tag":                    {pins, Broken, []string{".github/workflows/a.yml", "+      - uses: acme/lint@v2\n"}},
		"no setting in that file":  {"Environment variables do not go to `app.json`", NotHere, []string{"a.ts", "+const dsn = process.env.BOT_DSN;\n"}},
		"strings of another kind":  {"SQL 문자열을 직접 이어 붙이지 않는다", NotHere, []string{"A.kt", "+  show(\"담기\")\n"}},
		"a search":                 {"검색을 직접 부르지 않는다", NotHere, []string{"a.css", "+  color: #d33;\n"}},
		"a picture that is new":    {"The page shows the latest image first", NotHere, []string{"compose.yml", "+    image: redis:latest\n"}},
		"no tag":                   {"Images are pinned, never `latest`", Broken, []string{"compose.yml", "+    image: redis:latest\n"}},
		"an image that went":       {root, NotHere, []string{"Dockerfile", "-FROM c\n-USER root\n"}},
		"an action of the host":    {pins, NotHere, []string{".github/workflows/a.yml", "+      - uses: actions/checkout@v4\n"}},
		"a colour":                 {colour, Broken, []string{"a.css", "+  color: #d33;\n"}},
		"a colour's own place":     {colour, NotHere, []string{"a.css", "+  --c-bad: #d33;\n"}},
		"an id":                    {colour, NotHere, []string{"a.tsx", "+  // see #123\n"}},
		"text on the screen":       {text, Broken, []string{"A.tsx", "+  <b>담기</b>\n"}},
		"text in the log":          {text, NotHere, []string{"A.kt", "+  Timber.w(e, \"동기화 실패\")\n"}},
		"no user":                  {root, Open, []string{"Dockerfile", "+FROM a AS b\n+USER b\n+FROM c\n+CMD [\"c\"]\n"}},
		"a user":                   {user, Kept, []string{"bot/c.Dockerfile", "+FROM c\n+USER bot\n"}},
		"back to root":             {user, Broken, []string{"Dockerfile", "FROM c\nUSER bot\n+USER root\n"}},
		"another line of an image": {root, NotHere, []string{"Dockerfile", "FROM c\n+EXPOSE 80\n"}},
		"after a file":             {"After a change to `db/bot.schema` run `bot generate`", Open, []string{"db/bot.schema", "+  name String\n"}},
		"after another":            {"After a change to `db/bot.schema` run `bot generate`", NotHere, []string{"db/seed.go", "+\tname()\n"}},
		"in one place":             {"`os.getenv` is read only in `app/conf.py`", Broken, []string{"a.py", "+k = os.getenv(\"K\")\n"}},
		"in that place":            {"`os.getenv`는 `conf.py`에서만 읽는다", NotHere, []string{"conf.py", "+k = os.getenv(\"K\")\n"}},
		"by one alone":             {"Errors go up; only main.go calls os.Exit", Broken, []string{"cmd/a.go", "+\tos.Exit(2)\n"}},
		"in a function":            {"No `Find` inside `Tick()`", Broken, []string{"bot/A.cs", "+  void Tick()\n+  {\n+    Find(1);\n+  }\n"}},
		"in another":               {"No `Find` inside `Tick()`", NotHere, []string{"bot/A.cs", "+  void Start()\n+  {\n+    Find(1);\n+  }\n"}},
		"a call by its plain name": {"Handlers return a BotError instead of calling unwrap", Broken, []string{"bot/a.rs", "+fn get() -> Result<A, BotError> {\n+  x().unwrap()\n+}\n"}},
		"in a test of the source":  {"Never call unwrap", NotHere, []string{"bot/a.rs", "+#[test]\n+fn gets() {\n+  x().unwrap();\n+}\n"}},
		"turned off":               {"Stores keep `locked = true`", Broken, []string{"bot/a.tf", "resource \"bot_store\" \"a\" {\n-  locked = true\n+  locked = false\n}\n"}},
		"in code":                  {"`GlobalBot` is never used in app code", Broken, []string{"bot/A.kt", "+  GlobalBot.run()\n"}},
		"another clause":           {"현재 시각은 `clock.now()`로 구하고 `Date.now()`는 쓰지 않는다", Broken, []string{"a.ts", "+  const at = Date.now();\n"}},
		"a manifest with it":       {"Every Pod declares a `probe`", Kept, []string{"bot/a.yaml", "+kind: Pod\n+spec:\n+  probe: {}\n"}},
		"one of two manifests":     {"Every Pod declares a `probe`", Open, []string{"bot/a.yaml", "+kind: Pod\n+spec:\n+  probe: {}\n+---\n+kind: Pod\n+spec: {}\n"}},
		"a class of that name":     {"Every Worker declares `retries`", Open, []string{"bot/a.py", "+class MailWorker(Base):\n+    def run(self):\n+        send()\n"}},
		"one of two calls":         {"Bot calls pass a `key`", Open, []string{"bot/a.py", "+a = bot.pay(\n+    key=1,\n+)\n+b = bot.pay(\n+    to=2,\n+)\n"}},
		"one of two scripts":       {"Shell scripts begin with `set -eu`", Open, []string{"bot/a.sh", "+#!/bin/sh\n+set -eu\n+a\n", "bot/b.sh", "+#!/bin/sh\n+b\n"}},
		"a lock by a library":      {"The bot's row is read with SELECT FOR UPDATE", Kept, []string{"bot/a.py", "+row = Bot.objects.select_for_update().get(id=1)\n"}},
	} {
		card := cardOf(c.item)
		if len(c.files[0]) > 4 && c.files[0][:4] == "bot/" {
			card.Paths = []string{"bot/**"}
		}
		if got := Judge(t.Context(), turnOf(c.files), []lessons.Card{card}); got[0].State != c.want {
			t.Errorf("%s: %+v, want %s", name, got[0], c.want)
		}
	}
}

// TestAFileThatWent: of a file that is gone nothing is known, and nothing falls.
func TestAFileThatWent(t *testing.T) {
	turn := Turn{Watched: true, Answer: "Done.", Deeds: check.Deeds{Edits: []check.Edit{{File: "Dockerfile", Removed: []check.Line{{Text: "FROM c"}}}, {File: ".github/workflows/a.yml"}, {File: "l/ko.json"}}}}
	items := []string{"Images do not run as root: USER is set", "Actions are pinned to a SHA", "Keys stand in both `ko.json` and `en.json`", "Every Pod declares a `probe`", "No `Find` inside `Tick()`"}
	for i, v := range Judge(t.Context(), turn, []lessons.Card{cardOf(items...)}) {
		if v.State != NotHere {
			t.Errorf("%s: %+v", items[i], v)
		}
	}
}
