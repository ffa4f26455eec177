package terms

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func scan(text string) string {
	var s Scanner
	var out []string
	s.Scan(text, func(t Term) {
		w := t.Text
		if t.Stop {
			w = "(" + w + ")"
		}
		out = append(out, w)
	})
	return strings.Join(out, " ")
}

func words(text string) string {
	var out []string
	for _, t := range Words(text) {
		w := t.Text
		if t.Stop {
			w = "(" + w + ")"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"The allowlist is checked before any command runs", "(the) allowlist (is) check (before) (any) command run"},
		{"허용목록을 확인했는데 API를 호출", "허용목록 확인 api (를) 호출"},
		{"서버에서는 토큰이 만료된다", "서버 토큰 만료"},
		{"getUserID fails with ERR_CONN_42 in pkg/io/file.go:12.", "getuserid fail (with) err_conn_42 (in) pkg/io/file.go:12"},
		{"card's don’t", "card (dont)"},
		{"run with --dry-run and -v", "run (with) --dry-run (and) (v)"},
		{"e.g. this; x=1", "e.g (this) (x) 1"},
		{"std::vector a-b foo. Bar", "std::vector a-b foo bar"},
		{"N+1 쿼리, C++ and C#; i++", "n+1 쿼리 c++ (and) c# i++"},
		{"C#7 a+b 1 + 1 # Title", "c#7 a+b 1 1 titl"},
		{"바꾸려고 넣으면 만들어야 크기", "바꾸 넣으면 만들 크기"},
		{"日本語 検索", "日本語 検索"},
		{"ㅋㅋㅋ ㅠㅠ", ""},
	} {
		if got := words(c.in); got != c.want {
			t.Errorf("Words(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestScan(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"허용목록을", "허용 용목 목록"},
		{"getUserID", "getuserid (get) user id"},
		{"HTTPServer_v2", "httpserver_v2 http server v2"},
		{"전", "(전)"},
		{"--no-verify", "--no-verify (no) verifi"},
	} {
		if got := scan(c.in); got != c.want {
			t.Errorf("Scan(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestKey(t *testing.T) {
	same := [][2]string{
		{"How do I parse JSON?", "parse JSON"},
		{"Telegram: require the allowlist!", "allowlist require Telegram"},
		{"허용목록을 확인해야 한다", "허용목록 확인"},
	}
	for _, c := range same {
		if Key(c[0]) != Key(c[1]) || Key(c[0]) == "" {
			t.Errorf("Key(%q) = %q, Key(%q) = %q, want them equal", c[0], Key(c[0]), c[1], Key(c[1]))
		}
	}
	if Key("how do I") == "" {
		t.Error("a title of stop words has no key")
	}
	if Key("..") == Key("🙂") || Key("..") == "" {
		t.Error("titles without words share a key")
	}
	if Key("parse JSON") == Key("parse YAML") {
		t.Error("different titles share a key")
	}
}

func TestNormalizeOfBrokenText(t *testing.T) {
	if got := Normalize("가\xffe"); got != "가\ufffde" {
		t.Errorf("invalid UTF-8 becomes %+q", got)
	}
}

func TestNormalizeComposesHangul(t *testing.T) {
	nfd := "허용" // as macOS spells file names
	if words(nfd) != words("허용") {
		t.Errorf("NFD %q and NFC give different words", nfd)
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"", "a'", "--", "--x", "허용목록을", "x::", "a.b", "\xff\xfe", "fooBar_baz--", "日本", strings.Repeat("a/", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s Scanner
		norm := Normalize(text)
		s.Scan(text, func(tm Term) {
			if tm.Text == "" || tm.Start < 0 || tm.End > len(norm) || tm.Start >= tm.End {
				t.Fatalf("Scan(%q): term %+v out of bounds", text, tm)
			}
			if !utf8.ValidString(tm.Text) {
				t.Fatalf("Scan(%q): term %q is not UTF-8", text, tm.Text)
			}
		})
		Key(text)
	})
}

func BenchmarkScan(b *testing.B) {
	text := strings.Repeat("The allowlist is checked before any command runs; getUserID 허용목록을 확인했다. ", 100)
	var s Scanner
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s.Scan(text, func(Term) {})
	}
}

func TestSynonyms(t *testing.T) {
	for word, want := range map[string]string{"리액트": "react", "react": "리액트", "글꼴": "폰트 서체 font", "error": "오류 에러", "deploy": "배포 디플", "되돌려": "롤백 복원 복구 revert rollback undo", "폭": "너비 width", "되돌린": "롤백 복원 복구 revert rollback undo", "banana": ""} {
		if got := strings.Join(Synonyms(word), " "); got != want {
			t.Errorf("Synonyms(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestIrregularFormsAreTheirWord(t *testing.T) {
	for _, c := range [][2]string{{"bought", "buy"}, {"Written", "writing"}, {"children", "child"}, {"threw", "throws"}, {"went", "going"}} {
		if words(c[0]) != words(c[1]) {
			t.Errorf("%q is %q, %q is %q", c[0], words(c[0]), c[1], words(c[1]))
		}
	}
	for _, w := range []string{"left", "led", "64bit"} {
		if got := words(w); strings.Contains(got, "leav") || strings.Contains(got, "lead") || strings.Contains(got, "bite") {
			t.Errorf("%q is %q", w, got)
		}
	}
}

func TestNamesSpelledByEarHaveTheirOriginal(t *testing.T) {
	for korean, english := range map[string]string{"클라우디너리": "cloudinary", "폭": "width", "테라폼": "terraform", "무효화": "invalidate"} {
		if !slices.Contains(Synonyms(Words(korean)[0].Text), Words(english)[0].Text) {
			t.Errorf("%s has %v", korean, Synonyms(Words(korean)[0].Text))
		}
	}
}

// TestRememberedWordsKeepNoText holds that a Scanner which lives long keeps no text alive by
// a word of it.
func TestRememberedWordsKeepNoText(t *testing.T) {
	const size, texts = 1 << 20, 26
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var s Scanner
	before := heap()
	for i := range texts {
		s.Scan(strings.Repeat(" ", size)+"no"+string(rune('a'+i))+"folding", func(Term) {})
	}
	after := heap()
	if kept := after - min(before, after); kept > texts*size/2 {
		t.Errorf("%d bytes are kept of %d texts of %d", kept, texts, size)
	}
	if len(s.words) != texts {
		t.Errorf("remembers %d words, want %d", len(s.words), texts)
	}
}
