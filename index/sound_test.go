package index

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
)

var spelledByEar = map[string]string{
	"notes/cloudinary.md": "# Cloudinary uploads\n\nSigned uploads need the secret on the server.\n",
	"notes/sveltekit.md":  "# SvelteKit adapters\n\nChoose one before the first deploy.\n",
	"notes/graphql.md":    "# GraphQL batching\n\nOne request for many queries.\n",
	"notes/queue.md":      "# 메시지 큐 지연\n\n소비자가 느릴 때.\n",
	"notes/john.md":       "# John is on call\n\nNorthern region, message in msec.\n",
}

// TestWordsSpelledByEar holds that a name is found however Korean ears spell it, and that
// Korean words are not taken for names.
func TestWordsSpelledByEar(t *testing.T) {
	x := brainOf(t, spelledByEar)
	for text, want := range map[string]string{
		"클라우디너리": "notes/cloudinary.md", "클라우디너리에서 서명": "notes/cloudinary.md", "스벨트킷 어댑터": "notes/sveltekit.md",
		"그래프큐엘로 묶기": "notes/graphql.md", "좋은 노선": "", "음식": "",
	} {
		finds(t, x, text, want)
	}
}

// finds holds that a note comes first for a text, or nothing where want is "".
func finds(t *testing.T, x *Index, text, want string) {
	t.Helper()
	hits, err := x.Search(context.Background(), Query{Text: text, Notes: true})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	if len(hits) > 0 {
		got = hits[0].Card.Path
	}
	if got != want {
		t.Errorf("%q finds %q, want %q", text, got, want)
	}
}

// TestHeardWordsStaySilent holds that everyday requests full of loanwords get no card.
func TestHeardWordsStaySilent(t *testing.T) {
	for name, x := range map[string]*Index{"demo": openCopy(t, filepath.Join("..", "testdata", "brains", "demo")), "names": brainOf(t, spelledByEar)} {
		for _, text := range []string{
			"스파게티 크림소스 레시피 알려줘", "초콜릿 케이크 굽는 온도와 시간", "크리스마스 트리 장식 아이디어", "프랑스 파리 에펠탑 입장료", "스키 부츠 사이즈 고르기",
			"클래식 피아노 콘서트 티켓 예매", "넷플릭스 드라마 추천", "스타벅스 텀블러 세척 방법", "토익 스피킹 시험 일정",
		} {
			hits, err := x.Search(context.Background(), Query{Text: text, Cards: true, Notes: true, Strength: true})
			if err != nil {
				t.Fatal(err)
			}
			hits = Certain(hits)
			if len(hits) > 0 {
				t.Errorf("%s: %q gets %s by %v", name, text, hits[0].Card.Path, hits[0].Terms)
			}
		}
	}
}

// TestHeardWordsFollowTheBrain holds that what a word spells is not remembered beyond the
// files that it was found in.
func TestHeardWordsFollowTheBrain(t *testing.T) {
	x := brainOf(t, spelledByEar)
	find := func() int {
		hits, err := x.Search(context.Background(), Query{Text: "쿠버네티스", Notes: true})
		if err != nil {
			t.Fatal(err)
		}
		return len(hits)
	}
	if n := find(); n != 0 {
		t.Fatalf("%d hits before", n)
	}
	path := filepath.Join(x.cfg.Brain.Root(), "notes", "k.md")
	for i, src := range []string{"# Kuberneties probes\n", "# Probes\n"} {
		if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := x.Sync(context.Background(), "notes/k.md"); err != nil {
			t.Fatal(err)
		}
		if n := find(); n != 1-i {
			t.Errorf("%q: %d hits", src, n)
		}
	}
}

// TestTwins holds that of a page and its translation the one in the language of the
// question comes first, and that an outdated one stays behind.
func TestTwins(t *testing.T) {
	x := brainOf(t, map[string]string{
		"docs/en/cache.md": "# maxAge\n\nmaxAge maxAge of the cache.\n", "docs/ko/cache.md": "# maxAge\n\n캐시의 maxAge 값은 초 단위로 적으며 지나면 다시 읽는다.\n",
		"docs/en/only.md": "# maxAge\n\nmaxAge maxAge maxAge elsewhere.\n",
	})
	for text, want := range map[string]string{"maxAge 값": "ko en", "maxAge": "en ko"} {
		hits, err := x.Search(context.Background(), Query{Text: text, Notes: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range hits {
			if strings.HasSuffix(h.Card.Path, "cache.md") {
				got = append(got, strings.Split(h.Card.Path, "/")[1])
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", text, got, want)
		}
	}
	hits := []Hit{{Card: lessons.Card{Path: "en/a.md"}, Score: 1}, {Card: lessons.Card{Path: "ko/a.md"}, Score: 0.4}, {Card: lessons.Card{Path: "ko/b.md"}, Score: 0.9}}
	want := slices.Clone(hits)
	preferTwins(hits, "ko")
	for i := range hits {
		if hits[i].Score != want[i].Score {
			t.Errorf("%s has %v, want %v", hits[i].Card.Path, hits[i].Score, want[i].Score)
		}
	}
}

// BenchmarkSpelledByEar looks Korean words up that nobody wrote, each for the first time,
// among as many different Latin words as a brain of a hundred thousand notes has.
func BenchmarkSpelledByEar(b *testing.B) {
	rng := rand.New(rand.NewSource(1))
	dir := b.TempDir()
	const consonants, vowels = "bcdfghjklmnprstvwz", "aeiou"
	for i := range 1000 {
		var text strings.Builder
		for range 200 {
			for range 2 + rng.Intn(3) {
				text.WriteByte(consonants[rng.Intn(len(consonants))])
				text.WriteByte(vowels[rng.Intn(len(vowels))])
			}
			text.WriteByte(' ')
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.md", i)), []byte(text.String()), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	brain, err := lessons.OpenBrain(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { brain.Close() })
	x := benchIndex(b, brain, b.TempDir())
	defer x.Close()
	for _, known := range []bool{false, true} {
		b.Run(fmt.Sprintf("known=%t", known), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if v := x.pic.store.lists.view; !known && v != nil {
					v.mu.Lock()
					clear(v.sounds)
					v.mu.Unlock()
				}
				if _, err := x.Search(context.Background(), Query{Text: "클라우디너리에서 쿠버네티스로 옮기는 배포 스크립트", Notes: true, Strength: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
