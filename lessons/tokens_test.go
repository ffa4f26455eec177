package lessons

import (
	"strings"
	"testing"
)

// TestCountTokens compares the estimate with what o200k counts.
func TestCountTokens(t *testing.T) {
	for text, tokens := range map[string]int{
		"The index was rebuilt on every save, so the editor froze for two seconds.":                                    16,
		"Why do you still do it this way when I asked you not to?":                                                     15,
		"func (s *Server) rebuildIndex(ctx context.Context) error { return s.idx.Rebuild(ctx) }":                       22,
		"if err := json.Unmarshal(raw, &settings); err != nil {\n\treturn fmt.Errorf(\"read %s: %w\", path, err)\n}\n": 30,
		"저장할 때마다 색인을 다시 만들어서 편집기가 멈췄습니다. 바뀐 파일만 읽으세요.":                                                                 29,
		"保存するたびに索引が作り直され、編集が止まりました。":                                                                                   19,
		"每次保存都会重建索引，编辑器因此卡住。":                                                                                          15,
		"Při každém uložení se index vytvářel znovu a editor zamrzl.":                                                  22,
		"/srv/app/node_modules/.cache/build/manifest-3f9a1c0b7de24418.json":                                            24,
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0":                                             42,
		"HTTP_PROXY=http://127.0.0.1:8080 NODE_ENV=production npm run build":                                           21,
		"| file | lines | kept |\n|------|-------|------|\n| a.go |   120 | yes  |\n":                                  25,
		"├── src\n│   ├── main.ts\n│   └── index.ts\n└── README.md\n":                                                  26,
		"🚀 ✅ ⚠️ 🔥": 8,
	} {
		n := CountTokens(text)
		if share := float64(n) / float64(tokens); share < .85 || share > 1.75 {
			t.Errorf("%q is taken for %d tokens and has %d", text, n, tokens)
		}
	}
	if n := CountTokens(""); n != 0 {
		t.Errorf("nothing is taken for %d tokens", n)
	}
	if n := CountTokens(strings.Repeat("\xff\u200b", 1000)); n < 1000 {
		t.Errorf("bytes that are no text are taken for %d tokens", n)
	}
}

func BenchmarkCountTokens(b *testing.B) {
	text := strings.Repeat("The handler trusted every chat. if err != nil { return err }\n", 64)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		CountTokens(text)
	}
}
