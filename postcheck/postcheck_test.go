package postcheck

import (
	"reflect"
	"strings"
	"testing"

	"handrail/lessons"
	"handrail/lessons/terms"
)

func cardOf(items ...string) lessons.Card {
	c := lessons.Card{Path: "lessons/a.md", Title: "A", Kind: lessons.Lesson}
	for i, it := range items {
		c.Items = append(c.Items, lessons.Item{Text: it, Line: i + 10})
	}
	return c
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		item, answer string
		addressed    bool
	}{
		// English
		{"The allowlist is checked before any command runs", "I added a guard: the handler verifies the sender against the allowlist, then runs the command.", true},
		{"The allowlist is checked before any command runs", "I added the remote execution command and registered it with the bot.", false},
		{"The allowlist is checked before any command runs", "I did not check the allowlist, since the command is harmless.", false},
		{"The allowlist is checked before any command runs", "The command now runs. Checking the allowlist is left for later.", false},
		{"The allowlist is checked before any command runs", "```go\nif !allowlist.Contains(msg.ChatID) {\n\treturn errNotAllowed\n}\nrunCommand(msg)\n```", true},
		{"Take a backup of the database before the migration", "Before migrating I created a snapshot of the database with pg_dump.", true},
		{"Take a backup of the database before the migration", "The migration adds a column. I skipped the backup because the table is small.", false},
		{"Take a backup of the database before the migration", "I wrote the migration and ran it against staging.", false},
		{"Never log the token", "The request is logged without the token, which is masked first.", true},
		{"Never log the token", "The token is not logged any more.", true},
		{"Never log the token", "I renamed the variable and fixed the colour of the button.", false},
		{"Set a timeout on every `http.Client`", "The client now has a timeout: `&http.Client{Timeout: 5 * time.Second}`.", true},
		{"Set a timeout on every `http.Client`", "I replaced the hand-written JSON parsing with a struct.", false},
		{"Retries carry an idempotency key", "Each retry now sends the same Idempotency-Key header.", true},
		{"Retries carry an idempotency key", "I added three retries with exponential backoff.", false},
		// Korean
		{"명령을 실행하기 전에 허용목록을 확인한다", "핸들러에서 먼저 허용목록을 검증한 뒤에만 명령을 실행하도록 바꿨습니다.", true},
		{"명령을 실행하기 전에 허용목록을 확인한다", "봇에 원격 명령 기능을 추가했습니다.", false},
		{"명령을 실행하기 전에 허용목록을 확인한다", "허용목록은 확인하지 않았습니다.", false},
		{"마이그레이션 전에 백업을 만든다", "마이그레이션을 백업 없이 진행했습니다.", false},
		{"마이그레이션 전에 백업을 만든다", "먼저 백업을 생성하고 마이그레이션을 실행했습니다.", true},
		{"토큰을 로그에 남기지 않는다", "이제 토큰은 로그에 남지 않습니다.", true},
		// across
		{"CSV 파일에 UTF-8 BOM을 쓴다", "The exporter writes a UTF-8 BOM at the start of the CSV file.", true},
		{"CSV 파일에 UTF-8 BOM을 쓴다", "I changed the colour of the export button.", false},
		{"`sanitizeInput`을 모든 핸들러에서 호출한다", "Every handler calls sanitizeInput first.", true},
		{"`sanitizeInput`을 모든 핸들러에서 호출한다", "The handlers were renamed for clarity.", false},
		{"The allowlist is checked before any command runs", "허용목록을 확인한 다음에만 명령이 실행됩니다.", true},
		{"Dates are stored in UTC", "날짜를 모두 UTC로 저장하도록 고쳤습니다.", true},
		{"Dates are stored in UTC", "버튼 색을 바꿨습니다.", false},
	} {
		got := Check(c.answer, []lessons.Card{cardOf(c.item)}, nil)
		if (len(got) == 0) != c.addressed {
			t.Errorf("item %q\nanswer %q\naddressed %v, want %v (missing %v)", c.item, c.answer, len(got) == 0, c.addressed, got)
		}
	}
}

func TestCheckSkipsWhatSaysNothing(t *testing.T) {
	for _, answer := range []string{"", "  \n", "I'm sorry, I can't help with that.", "죄송하지만 도와드릴 수 없습니다.", "Which database do you use?", "어떤 브랜치에서 작업할까요?"} {
		if got := Check(answer, []lessons.Card{cardOf("The allowlist is checked")}, nil); got != nil {
			t.Errorf("%q: %+v, want nothing", answer, got)
		}
	}
	if got := Check("Done.", []lessons.Card{cardOf("be the of", "!!!")}, nil); got != nil {
		t.Errorf("items without words: %+v", got)
	}
}

func TestCheckNamesWhatIsMissing(t *testing.T) {
	got := Check("I added the command.", []lessons.Card{cardOf("The allowlist is checked before any command runs")}, nil)
	if len(got) != 1 || got[0].Item.Line != 10 || !strings.Contains(strings.Join(got[0].Missing, " "), "allowlist") {
		t.Errorf("%+v", got)
	}
}

// TestGlossaryTakesWordsAsWritten holds that a word marked so lends its meaning to none of the
// same stem.
func TestGlossaryTakesWordsAsWritten(t *testing.T) {
	for word, want := range map[string]string{"gone": "=remove", "go": "go", "goes": "go", "good": "good", "win": "win"} {
		w := terms.Words(word)[0]
		if got := dictionary().names(w, word)[0]; got != want {
			t.Errorf("%s: got %s, want %s", word, got, want)
		}
	}
}

// TestGlossaryNamesNoWordTwice keeps the data files in order: of two rows with a word only
// the first would count.
func TestGlossaryNamesNoWordTwice(t *testing.T) {
	seen := map[string]string{}
	for line := range strings.Lines(glossaryText) {
		row := strings.Fields(line)
		if len(row) == 0 || row[0] == "#" {
			continue
		}
		for _, w := range row {
			w = strings.TrimSuffix(w, "=")
			if first, ok := seen[w]; ok {
				t.Errorf("%s stands in the rows %s and %s", w, first, row[0])
			}
			seen[w] = row[0]
		}
	}
	for line := range strings.Lines(idiomsText) {
		if cue, says, ok := strings.Cut(strings.TrimRight(line, "\n"), " => "); ok && (cue == "" || cue != strings.ToLower(cue) || says == "") {
			t.Errorf("idiom %q", line)
		}
	}
}

// TestThemesAreWellFormed keeps the cues in order: in lower case, none empty, none without a
// theme, and each theme with a way to be asked for and one to be shown.
func TestThemesAreWellFormed(t *testing.T) {
	marks := ""
	for line := range strings.Lines(themesText + wishesText + "?") {
		mark, cues, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case mark == "" || mark == "#":
			continue
		case !strings.Contains("?+=-~/", mark) || mark != "?" && marks == "":
			t.Errorf("%q is no part of a theme", line)
		case mark == "?" && marks != "" && !strings.ContainsAny(marks, "+="):
			t.Errorf("nothing shows the theme before %q", line)
		}
		if mark == "?" {
			marks = ""
		}
		marks += mark
		for part := range strings.FieldsFuncSeq(cues, func(r rune) bool { return r == '|' }) {
			if part != strings.ToLower(part) {
				t.Errorf("%q is not in lower case", part)
			}
		}
	}
}

// TestDoubtsAndRests: what merely looks like the contrary counts where nothing shows the
// wish, and one that stays behind breaks a wish for all.
func TestDoubtsAndRests(t *testing.T) {
	for _, c := range []struct {
		item, answer string
		missed       bool
	}{
		{"Release the lock even when the job fails", "```python\nlock.acquire()\nsettle(day)\nlock.release()\n```", true},
		{"Release the lock even when the job fails", "```python\nlock.acquire()\ntry:\n    settle(day)\nfinally:\n    lock.release()\n```", false},
		{"Set memory and CPU limits for every pod", "The api pod has `limits: {cpu: 500m, memory: 256Mi}` now.", false},
		{"Set memory and CPU limits for every pod", "The api pod has `limits: {cpu: 500m, memory: 256Mi}` now. The worker remains without.", true},
	} {
		if got := len(Check(c.answer, []lessons.Card{cardOf(c.item)}, nil)) > 0; got != c.missed {
			t.Errorf("%s: missed %v in %q", c.item, got, c.answer)
		}
	}
}

// TestCuesBeginAndEndWords shows how cues are written.
func TestCuesBeginAndEndWords(t *testing.T) {
	for _, c := range []struct {
		cue, text string
		found     bool
	}{
		{"lock", "the lock", true},
		{"lock", "a block", false},
		{"lock", "locked", true},
		{"lock_", "locked", false},
		{"lock_", "mu.lock()", true},
		{"retry & 5", "5 times it will retry", true},
		{"retry & 5", "it will retry", false},
		{"잠금", "행잠금을 건다", true},
		{"log", "logs in UTC", true},
		{"log", "the logout button", false},
		{"로그", "로그아웃 버튼", false},
		{"로그", "프로그램을 닫는다", false},
		{"락", "사용자의 허락", false},
		{"락", "분산락을 건다", true},
		{"check", "the checkout", false},
		{"test & data", "a test database", false},
		{"test & data", "test datasets", true},
	} {
		if got := cuesOf(c.cue)[0].all(c.text) != nil; got != c.found {
			t.Errorf("%q in %q: %v", c.cue, c.text, got)
		}
	}
}

// TestPhrasesStandNear holds that the words of a phrase ask for a theme only near each other,
// and that one word does not stand for two of the same concept.
func TestPhrasesStandNear(t *testing.T) {
	for _, c := range []struct {
		ask, item string
		asked     bool
	}{
		{"오류 코드", "the code of an error", true},
		{"오류 코드", "read the error message and find out where it comes from before touching code", false},
		{"외부 라이브러리", "retry the vendor's answer", false},
		{"외부 라이브러리", "no external library", true},
		{"no result & show", "show the results", false},
		{"no result & show", "results that are none are not shown as a blank page", true},
	} {
		if got := asksOf(c.ask)[0].within(c.item, namesIn(c.item)) != nil; got != c.asked {
			t.Errorf("%q by %q: %v", c.ask, c.item, got)
		}
	}
}

// TestWhatIsAskedPlainly: where a wish is asked for in its own words, the same words ask
// for no other by being of one concept with its words.
func TestWhatIsAskedPlainly(t *testing.T) {
	found := map[int][]span{}
	id := -1
	for i, th := range themes() {
		if th.whole {
			id = i
			break
		}
	}
	found[id] = []span{{0, 4}, {10, 14}}
	found[id+1] = []span{{0, 4}}
	found[id+2] = []span{{0, 4}, {20, 24}}
	found[id+3] = []span{{10, 14}}
	settled(found, map[int]bool{id: true, id + 3: true})
	for i, want := range []bool{true, false, true, true} {
		if got := found[id+i] != nil; got != want {
			t.Errorf("theme %d of four is asked for: %v", i, got)
		}
	}
}

// TestThemesMeetWithoutAWord shows what themes are for, and what they do not believe.
func TestThemesMeetWithoutAWord(t *testing.T) {
	for _, c := range []struct {
		item, answer string
		addressed    bool
	}{
		{"Set a timeout on every outgoing request", "The call gives up after three seconds.", true},
		{"Every icon-only button must have an accessible name", "Search, share and close got an `aria-label` each.", true},
		{"CI installs must fail when the lockfile is out of date", "```yaml\n- run: pnpm install --frozen-lockfile\n```", true},
		{"CI installs must fail when the lockfile is out of date", "```yaml\n- run: pnpm install # --frozen-lockfile\n```", false},
		{"재시도 횟수에 상한을 둔다", "```python\n@retry(stop=stop_after_attempt(4))\ndef fetch(): ...\n```", true},
		{"Use parameterised queries", "```python\ncur.execute(f\"SELECT * FROM users WHERE id = {id}\")\n```", false},
		{"Add rate limiting to the login", "Larger sites usually put a limiter with 429 in front of the login.", false},
		{"Add rate limiting to the login", "```go\n// rate limiting (429) matters here\nfunc login() {}\n```", false},
		{"Check the page in Chrome, Firefox and Safari", "I opened the page in Chrome and it is aligned.", false},
	} {
		if got := Check(c.answer, []lessons.Card{cardOf(c.item)}, nil); (len(got) == 0) != c.addressed {
			t.Errorf("%q after %q: %+v", c.item, c.answer, got)
		}
	}
}

// TestScope shows that what is told must be told of the item's own part, side and words.
func TestScope(t *testing.T) {
	for _, c := range []struct {
		item, answer string
		addressed    bool
	}{
		{"Lint and type-check before committing", "I ran `npm run lint`, it is clean, and `tsc --noEmit` reports no type errors.", true},
		{"커밋 전에 린트와 타입 검사를 돌린다", "린트를 돌렸고 통과했습니다. tsc는 메모리가 부족해서 건너뛰었습니다.", false},
		{"A test counts the charges", "The key is stored first. A test counts the charges.", true},
		{"린터를 돌린다", "- [x] 린터를 돌린다", true},
		{"Limit the upload size on the server", "The form checks the size in the browser and shows a toast.", false},
		{"Tell the user when saving fails", "If the request is refused, a red banner says \"Could not save\".", true},
		{"Restrict CORS to known origins", "```ts\napp.use(cors({ origin: '*' }))\n```\nCORS is set up for every origin.", false},
		{"Make migrations reversible", "```python\ndef downgrade():\n    pass\n```", false},
		{"Make migrations reversible", "```python\ndef downgrade():\n    op.drop_column(\"orders\", \"tier\")\n```", true},
		{"Do not skip failing tests", "`TestSync` was red, so I removed the failing test. All green.", false},
	} {
		if got := Check(c.answer, []lessons.Card{cardOf(c.item)}, nil); (len(got) == 0) != c.addressed {
			t.Errorf("%q after %q: %+v", c.item, c.answer, got)
		}
	}
}

// TestQuotedTextDeniesNothing keeps the texts of a screen from being taken for the answer's.
func TestQuotedTextDeniesNothing(t *testing.T) {
	const s = "A banner says \"not saved, try later\" and `should_retry` is set"
	if got := unquoted(s); len(got) != len(s) || defers(got) || !defers(s) {
		t.Errorf("%q", got)
	}
}

// TestSentencesAreBounded keeps text without an end from becoming one place.
func TestSentencesAreBounded(t *testing.T) {
	for _, s := range sentences(strings.Repeat("isn't ", 10_000)) {
		if len(s) > 2*maxSentence {
			t.Fatalf("a sentence of %d bytes", len(s))
		}
	}
}

func TestKoreanVerbsLoseTheirEndings(t *testing.T) {
	for written, want := range map[string]string{"지웠습니다": "=remove", "지운": "=remove", "남겼고": "=write", "바꿨습니다": "=change", "옮긴다": "=move", "키는": "=key", "통합테스트": "통합테스트", "검증하여": "=check"} {
		w := terms.Words(written)[0]
		if got := dictionary().names(w, written)[0]; got != want {
			t.Errorf("%s is called %s, want %s", written, got, want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("I did not check the allowlist", "The allowlist is checked")
	f.Add("안 했습니다", "확인하지 않는다")
	f.Add("a.b\xff", "--x")
	f.Fuzz(func(t *testing.T, answer, item string) {
		c := cardOf(item)
		a, b := Check(answer, []lessons.Card{c}, nil), Check(answer, []lessons.Card{c}, nil)
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("Check(%q, %q) is not deterministic", answer, item)
		}
		for _, m := range a {
			if m.Item != c.Items[0] {
				t.Fatalf("miss %+v is no item of the card", m)
			}
		}
	})
}

// BenchmarkCheckLong reads as much as is ever read.
func BenchmarkCheckLong(b *testing.B) {
	answer := strings.Repeat("The handler verifies the sender against the allowlist.\n```go\nif err != nil { return err }\n```\n", 10_000)
	for b.Loop() {
		Check(answer, []lessons.Card{cardOf("The allowlist is checked before any command runs", "백업을 만든다")}, nil)
	}
}

func BenchmarkCheck(b *testing.B) {
	answer := strings.Repeat("The handler verifies the sender against the allowlist, then runs the command. ", 40)
	cards := []lessons.Card{cardOf("The allowlist is checked before any command runs", "Tokens are never logged", "백업을 만든다")}
	for b.Loop() {
		Check(answer, cards, nil)
	}
}
