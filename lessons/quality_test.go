package lessons

import (
	"archive/tar"
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestChatTitles: a title that is a turn of a conversation never comes back as a request
// does, and neither does a question. Error signatures exempt a fragment.
func TestChatTitles(t *testing.T) {
	long := "continue the import after a malformed row instead of dropping the whole file silently"
	for title, chat := range map[string]bool{
		// direct address
		"notify me when the build is done": true, "when the tests pass, ping me": true, "please tell me what broke": true,
		"remind me to rotate the key": true, "run the tests and let me know": true, "끝나면 알려줘": true, "배포되면 말해 주세요": true,
		// fragments
		"it still fails": true, "That's not right": true, "this is wrong": true, "same problem": true, "still broken": true, "again!": true,
		"and the tests too": true, "but why": true, "also the docs": true, "ok": true, "yes please": true, "no that's wrong": true, "no, the other one": true,
		"now it works": true, "그게 아니라 이쪽": true, "또 안 돼": true, "아직도 깨져": true, "응": true, "근데 왜": true, "이제 됐네": true,
		"and everything else": true, "that error again": true, // only the names of errors exempt
		// turn commands, when they are short
		"proceed": true, "continue with the next file": true, "try again": true, "go ahead": true, "retry": true, "please continue": true,
		"계속 진행해줘": true, "재시도 해": true, "이어서 해줘": true,
		long: false, "이어서 내려받은 파일의 체크섬은 마지막 조각까지 받은 뒤에 전체를 대상으로 다시 계산해야 하고 조각마다 따로 계산하면 안 된다": false,
		// with an error signature
		"No module named 'requests' in the worker image": false, "That ECONNREFUSED on startup": false, "still TypeError in the parser": false,
		"again E0382 in the borrow checker": false, "this `os.Exit` skips deferred calls": false, "no such file after the move": false, "또 ENOENT가 난다": false, "아직도 NullPointerException": false,
		// names of mistakes that begin like a fragment
		"Same-origin policy breaks uploads": false, "Now() is read twice in one transaction": false, "No allowlist before remote commands": false,
		"Retry storms take the queue down": false, "Continue-on-error hides failing steps": false, "No-op migrations take a lock": false,
		"다시마 이미지 캐시가 비워지지 않음": false, "예외를 삼켜 실패가 숨음": false,
		// questions and politeness
		"How do I parse JSON?": true, "Please escape paths in shell commands": true, "왜 한글 CSV가 깨지나?": true,
		"Telegram commands need an allowlist": false, "": false,
	} {
		if got := isChat(title); got != chat {
			t.Errorf("isChat(%q) = %v", title, got)
		}
	}
}

// TestTitles: a title says what went wrong or what to do; the bare name of something, and a state
// that anything may be in, say neither.
func TestTitles(t *testing.T) {
	for title, ok := range map[string]bool{
		// files, names, commands, tests
		"cart.py": false, "src/cart.ts and src/total.ts": false, "calculateTotal": false, "TestRestart": false, "TestCart: got 4, want 5": false,
		"FAIL src/cart.test.ts": false, "tests/test_cart.py::test_total": false, "npm test": false, "go test ./...": false, "git push --force": false,
		"python3 -m pytest": false,
		// states
		"denied or cancelled": false, "not sure yet": false, "아직 확인 중": false, "The AI made a mistake": false, "AI가 실수함": false, "에이전트가 실수했다": false,
		"waiting for review": false, "something went wrong": false, "the tests failed": false, "still under investigation": false,
		// pieces of work
		"now make the tests pass": false, "could you add tests to the cart": false, "add a dark theme": false, "run the tests": false, "리스트 화면을 고쳐줘": false, "show the orders of last week": false,
		"the report is empty. I think the query is wrong": false, "i want a dark theme": false,
		// mistakes and rules, also such as begin like an order or a command
		"Test data leaked between two suites": true, "Search results were sorted twice": true, "Update of the lockfile broke CI": true, "Cart total ignores the discount": true,
		"go modules were vendored twice": true, "make runs the recipes of a removed target": true, "Show prices with tax only": true, "Fix rounding once, after the tax": true, "Use pnpm, not npm": true,
		"Answer in Korean when I write Korean": true, "Ask me before you push": true, "I always see the old page": false, "the page that we made is empty": false,
		"내가 한국어로 쓰면 한국어로 답한다": true, "내가 누르면 화면이 하얘져": false,
		"Never commit to main": true, "cart.py rounds before tax": true, "환불이 두 번 나갔다": true, "배포 전에 마이그레이션을 실행할 것": true, "빌드가 깨짐": true, "서버에서 반드시 입력값을 검증해야 해": true,
	} {
		if got := IsTitle(title); got != ok {
			t.Errorf("IsTitle(%q) = %v", title, got)
		}
	}
}

// TestTitleQuality holds that titles of real cards pass, and few messages of real people do.
func TestTitleQuality(t *testing.T) {
	dir := cmp.Or(os.Getenv("HANDRAIL_DATA"), filepath.Join("..", "..", "shared", "data"))
	open := func(name string) io.Reader {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Skip("no real data: set HANDRAIL_DATA to a folder that holds real/recurrences.jsonl")
		}
		t.Cleanup(func() { f.Close() })
		if !strings.HasSuffix(name, "gz") {
			return f
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	lines := func(name string) *bufio.Scanner {
		out := bufio.NewScanner(open(name))
		out.Buffer(nil, MaxFile)
		return out
	}
	cards := map[string]bool{}
	for in := lines("real/recurrences.jsonl"); in.Scan(); {
		var row struct{ Card string }
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		c, _ := Parse("lessons/a.md", []byte(row.Card))
		cards[c.Title] = IsTitle(c.Title)
	}
	for in := tar.NewReader(open("brain-solutions.tgz")); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		src, failed := io.ReadAll(in)
		if err := cmp.Or(err, failed); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(h.Name, ".md") {
			c, _ := Parse("lessons/a.md", src)
			cards[c.Title] = IsTitle(c.Title)
		}
	}
	refused := 0
	for title, ok := range cards {
		if !ok {
			refused++
			t.Logf("refused: %q", title)
		}
	}
	passed, all := 0, 0
	for in := lines("real/messages.jsonl.gz"); in.Scan(); {
		var row struct{ Text string }
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if first, _, _ := strings.Cut(strings.TrimSpace(row.Text), "\n"); first != "" {
			all++
			if IsTitle(first) {
				passed++
			}
		}
	}
	t.Logf("%d of %d titles of cards are refused, %d of %d messages pass", refused, len(cards), passed, all)
	if 50*refused > len(cards) || 8*passed > all {
		t.Error("want at most 2 in 100 refused, and 1 message in 8 to pass")
	}
}

// TestPlaceholdersSayNothing: what a form leaves open is no root cause and no checklist item.
func TestPlaceholdersSayNothing(t *testing.T) {
	for text, nothing := range map[string]bool{
		"": true, "TBD": true, "todo:": true, "n/a.": true, "<root cause>": true, "[why it happened]": true, "{{cause}}": true, "____": true, "- none": true,
		"To be determined.": true, "not sure": true, "작성 예정": true, "해당 없음": true, "**없음**": true, "<!-- Why did it happen? -->": true,
		"The `<T>` of the map was nil": false, "[redacted] stood in the URL": false, "None of the handlers checked": false, "모름이 아니라 확인하지 않음": false,
	} {
		if got := saysNothing(text); got != nothing {
			t.Errorf("saysNothing(%q) = %v", text, got)
		}
	}
	if isConcrete("[what to check]") || isConcrete("TODO") {
		t.Error("a placeholder is a checklist item")
	}
}

// TestTopics: a title that is a heading is one, a rule or a mistake is none, however short.
func TestTopics(t *testing.T) {
	for title, topic := range map[string]bool{
		"Error handling": true, "3. Coding Conventions": true, "Database Migration Guidelines (all services)": true, "The lock file": false,
		"Logging": true, "오류 처리": true, "커밋 메시지 규칙": true, "API Design Principles": true,
		"Money charged twice": false, "Close the response body": false, "Leave generated files alone": false, "Never log tokens": false,
		"In src/app: no inline styles": false, "Limits applied to admins too": false, "Validation is missing": false, "Keep the build documentation": false,
		"결제를 두 번 요청하지 않는다": false, "완료 전에 파일 확인": false, "빈칸은 항상 유지": false, "": false, "…": false,
	} {
		if got := IsTopic(title); got != topic {
			t.Errorf("IsTopic(%q) = %v", title, got)
		}
	}
}
