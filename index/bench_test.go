package index

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/lessons"
)

// benchNotes is the size of the generated brain; testdata/bench measures larger ones
// beside SQLite.
const benchNotes = 2000

// generated writes a brain whose words follow Zipf's law, a tenth of it cards, and returns
// its folder and questions made of its words.
func generated(b *testing.B, n int) (dir string, queries []string) {
	b.Helper()
	rng := rand.New(rand.NewSource(1))
	zipf := rand.NewZipf(rng, 1.2, 3, 9999)
	text := func(words int) string {
		var out strings.Builder
		for range words {
			if w := zipf.Uint64(); w%5 == 4 {
				fmt.Fprintf(&out, "%c%c%c ", 0xAC00+w*7%11172, 0xAC00+w*31%11172, 0xAC00+w*97%11172)
			} else {
				fmt.Fprintf(&out, "w%xq ", w)
			}
		}
		return out.String()
	}
	dir = b.TempDir()
	then := time.Now().Add(-time.Hour)
	for i := range n {
		title := text(6)
		rel, src := fmt.Sprintf("notes/%02d/%d.md", i%20, i), fmt.Sprintf("# %s\n\n%s\n", title, text(60+rng.Intn(240)))
		if i%10 == 0 {
			rel, src = fmt.Sprintf("lessons/%d.md", i), src+"\n## Prevention Checklist\n\n- [ ] "+text(8)+"\n"
		}
		path := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
			b.Fatal(err)
		}
		if err := os.Chtimes(path, then, then); err != nil {
			b.Fatal(err)
		}
		if i%(n/100) == 0 {
			queries = append(queries, title+text(rng.Intn(20)))
		}
	}
	return dir, queries
}

func benchIndex(b *testing.B, brain *lessons.Brain, cache string) *Index {
	b.Helper()
	x, err := Open(context.Background(), Config{Dir: cache, Brain: brain})
	if err != nil {
		b.Fatal(err)
	}
	<-x.Ready()
	return x
}

func benchBrain(b *testing.B) (brain *lessons.Brain, queries []string) {
	b.Helper()
	dir, queries := generated(b, benchNotes)
	brain, err := lessons.OpenBrain(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { brain.Close() })
	return brain, queries
}

func BenchmarkSearch(b *testing.B) {
	brain, queries := benchBrain(b)
	x := benchIndex(b, brain, b.TempDir())
	defer x.Close()
	for _, floor := range []bool{false, true} {
		b.Run(fmt.Sprintf("floor=%t", floor), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := x.Search(context.Background(), Query{Text: queries[i%len(queries)], Cards: true, Notes: true, Strength: floor}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFirstSync(b *testing.B) {
	brain, _ := benchBrain(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := benchIndex(b, brain, b.TempDir()).Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/benchNotes*1000, "ms/1000files")
}

// BenchmarkOpen opens an index that is up to date; compared has the walk over the files too.
func BenchmarkOpen(b *testing.B) {
	brain, _ := benchBrain(b)
	cache := b.TempDir()
	benchIndex(b, brain, cache).Close()
	for _, compared := range []bool{false, true} {
		b.Run(fmt.Sprintf("compared=%t", compared), func(b *testing.B) {
			for b.Loop() {
				x, err := Open(context.Background(), Config{Dir: cache, Brain: brain})
				if err != nil {
					b.Fatal(err)
				}
				if compared {
					<-x.Ready()
				}
				b.StopTimer()
				x.Close()
				b.StartTimer()
			}
		})
	}
}

func BenchmarkSaveToSearchable(b *testing.B) {
	brain, _ := benchBrain(b)
	x := benchIndex(b, brain, b.TempDir())
	defer x.Close()
	for i := 0; b.Loop(); i++ {
		rel := fmt.Sprintf("notes/01/saved%d.md", i%50)
		if err := os.WriteFile(filepath.Join(brain.Root(), filepath.FromSlash(rel)), fmt.Appendf(nil, "# Saved just%dnow\n", i), 0o644); err != nil {
			b.Fatal(err)
		}
		if _, err := x.Sync(context.Background(), rel); err != nil {
			b.Fatal(err)
		}
		if hits, err := x.Search(context.Background(), Query{Text: fmt.Sprintf("just%dnow", i), Notes: true}); err != nil || len(hits) == 0 {
			b.Fatal(hits, err)
		}
	}
}
