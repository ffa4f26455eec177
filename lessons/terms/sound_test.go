package terms

import (
	"regexp"
	"testing"
)

// spells reports whether a Korean word may spell a Latin one.
func spells(t *testing.T, word, stem, latin string) bool {
	t.Helper()
	for _, expr := range []string{near(SoundOf(word, stem)), far(SoundOf(word, stem))} {
		re, err := regexp.Compile("^(?:" + expr + ")$")
		if err != nil {
			t.Fatal(err)
		}
		if expr != "" && re.MatchString(latin) {
			return true
		}
	}
	return false
}

func near(near, _ string) string { return near }
func far(_, far string) string   { return far }

func TestSoundOf(t *testing.T) {
	for korean, latin := range map[string]string{
		"클라우디너리": "cloudinary", "쿠버네티스": "kubernetes", "프리즈마": "prisma", "네틀리파이": "netlify", "스벨트킷": "sveltekit", "도큐사우루스": "docusaurus",
		"깃북": "gitbook", "레일웨이": "railway", "파이어베이스": "firebase", "페이스북": "facebook", "넥스트": "next", "브릿지": "bridge", "스위치": "switch", "크래시": "crash",
		"프로토콜": "protocol", "컨텍스트": "context", "캐스팅": "cast", "크리스탈라이즈": "crystal", "마이그레이션": "migrat",
	} {
		if !spells(t, korean, korean, latin) {
			t.Errorf("%s is not %s", korean, latin)
		}
	}
	for korean, latin := range map[string]string{
		"클라우디너리": "cloudflare", "쿠버네티스": "cubes", "넥스트": "nest", "프리즈마": "prismic", "레일웨이": "rail", "프로토콜": "proto", "깃북": "git",
		"스트림": "string", "콘텐츠": "context", "클라이언트": "clinic",
	} {
		if spells(t, korean, korean, latin) {
			t.Errorf("%s is %s", korean, latin)
		}
	}
}

// TestSoundOfEndings holds that a word is heard with its particle and without, for names
// may end like one.
func TestSoundOfEndings(t *testing.T) {
	for _, w := range [][3]string{{"쿠버네티스에서", "쿠버네티스", "kubernetes"}, {"텐서플로", "텐서플", "tensorflow"}} {
		if !spells(t, w[0], w[1], w[2]) {
			t.Errorf("%s is not %s", w[0], w[2])
		}
	}
}

// TestSoundOfSaysTooLittle holds that words which may be of Korean or Chinese origin are
// not taken for names.
func TestSoundOfSaysTooLittle(t *testing.T) {
	for _, w := range []string{"", "좋은", "음식", "노선", "숫자", "저장", "서버", "오늘", "API", "서버x", "이유"} {
		if near, far := SoundOf(w, w); near+far != "" {
			t.Errorf("%s says enough", w)
		}
	}
}

func FuzzSoundOf(f *testing.F) {
	f.Add("클라우디너리에서", "클라우디너리")
	f.Add("ㅋㅋ", "")
	f.Add("에이피아이", "에이피")
	f.Fuzz(func(t *testing.T, word, stem string) {
		near, far := SoundOf(word, stem)
		for _, expr := range []string{near, far} {
			if _, err := regexp.Compile(expr); err != nil {
				t.Errorf("%q %q: %v", word, stem, err)
			}
		}
	})
}

func BenchmarkSoundOf(b *testing.B) {
	for b.Loop() {
		SoundOf("클라우디너리에서", "클라우디너리")
	}
}
