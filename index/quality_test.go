package index

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/lessons"
)

// dataDir returns the folder of real data to measure on; the test skips without it.
func dataDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("HANDRAIL_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "duplicates-dev.jsonl.gz")); err != nil {
		t.Skip("no real data: set HANDRAIL_DATA to a folder that holds duplicates-dev.jsonl.gz")
	}
	return dir
}

type judged struct {
	text     string
	relevant []string
}

// duplicates reads the set of bug reports and later reports of the same bugs.
func duplicates(t testing.TB) (docs map[string]string, queries []judged) {
	t.Helper()
	f, err := os.Open(filepath.Join(dataDir(t), "duplicates-dev.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	docs = map[string]string{}
	in := bufio.NewScanner(z)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var row struct {
			Kind, ID, Title, Body, Text string
			Relevant                    []string
		}
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if row.Kind == "doc" {
			docs[row.ID+".md"] = "# " + row.Title + "\n\n" + row.Body + "\n"
			continue
		}
		q := judged{text: row.Text}
		for _, r := range row.Relevant {
			q.relevant = append(q.relevant, r+".md")
		}
		queries = append(queries, q)
	}
	return docs, queries
}

// brainOf writes files into a brain of their own and returns an index of it.
func brainOf(t testing.TB, files map[string]string) *Index {
	t.Helper()
	dir := t.TempDir()
	for rel, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, dir, t.TempDir())
}

// open opens the index of a brain and waits until it is up to date.
func open(t testing.TB, dir, cache string) *Index {
	t.Helper()
	brain, err := lessons.OpenBrain(dir)
	if err != nil {
		t.Fatal(err)
	}
	x, err := Open(context.Background(), Config{Dir: cache, Brain: brain})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		if err := brain.Close(); err != nil {
			t.Error(err)
		}
	})
	<-x.Ready()
	return x
}

// quality is what a set of judged queries comes to.
type quality struct {
	n           int
	hit1, hit10 float64
	mrr         float64
	p50, p99    time.Duration
}

func (q quality) String() string {
	return fmt.Sprintf("n %d  hit@1 %.3f  hit@10 %.3f  MRR@10 %.3f", q.n, q.hit1, q.hit10, q.mrr)
}

func measure(t testing.TB, x *Index, queries []judged, base Query) quality {
	t.Helper()
	q := quality{n: len(queries)}
	times := make([]time.Duration, 0, len(queries))
	for _, j := range queries {
		base.Text, base.Limit = j.text, 10
		start := time.Now()
		hits, err := x.Search(context.Background(), base)
		times = append(times, time.Since(start))
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range hits {
			if slices.Contains(j.relevant, h.Card.Path) {
				if i == 0 {
					q.hit1++
				}
				q.hit10++
				q.mrr += 1 / float64(i+1)
				break
			}
		}
	}
	n := float64(max(1, len(queries)))
	q.hit1, q.hit10, q.mrr = q.hit1/n, q.hit10/n, q.mrr/n
	slices.Sort(times)
	if len(times) > 0 {
		q.p50, q.p99 = times[len(times)/2], times[len(times)*99/100]
	}
	return q
}

var update = flag.Bool("update", false, "rewrite the golden figures")

// TestQuality measures the demo brain with questions written for it. A change of ranking
// shows in the golden file: rewrite it with -update and look at what went where.
func TestQuality(t *testing.T) {
	folder := filepath.Join("..", "testdata", "quality")
	src, err := os.ReadFile(filepath.Join(folder, "demo-queries.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	x := openCopy(t, filepath.Join("..", "testdata", "brains", "demo"))
	var asked, first, five, through, alone, silent, blocked int
	var mrr float64
	var misses strings.Builder
	place := func(text, path string, floor bool) (hits []Hit, at int) {
		hits, err := x.Search(context.Background(), Query{Text: text, Cards: true, Statuses: []lessons.Status{lessons.Active}, Limit: 5, Strength: floor})
		if err != nil {
			t.Fatal(err)
		}
		if floor {
			hits = Certain(hits)
		}
		return hits, 1 + slices.IndexFunc(hits, func(h Hit) bool { return h.Card.Path == path })
	}
	for line := range strings.Lines(string(src)) {
		path, text, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		passed, at := place(text, path, true)
		if path == "-" {
			silent++
			if len(passed) > 0 {
				blocked++
				fmt.Fprintf(&misses, "not silent: %s: %s by %s\n", text, passed[0].Card.Path, strings.Join(passed[0].Terms, ", "))
			}
			continue
		}
		asked++
		switch {
		case at == 0:
			fmt.Fprintf(&misses, "held back: %s: %s\n", text, path)
		case len(passed) == 1:
			alone++
			fallthrough
		default:
			through++
		}
		hits, at := place(text, path, false)
		if at == 1 {
			first++
		}
		if at > 0 {
			five++
			mrr += 1 / float64(at)
		}
		if at != 1 {
			fmt.Fprintf(&misses, "place %d: %s: %s, first is %s\n", at, text, path, hits[0].Card.Path)
		}
	}
	share := func(n, of int) float64 { return float64(n) / float64(max(1, of)) }
	got := fmt.Sprintf("questions %d\nhit@1 %.3f\nhit@5 %.3f\nMRR@5 %.3f\nthrough the floor %.3f\nof these alone %.3f\nother requests %d\ngiven a card %.3f\n\n%s",
		asked, share(first, asked), share(five, asked), mrr/float64(asked), share(through, asked), share(alone, through), silent, share(blocked, silent), misses.String())
	t.Logf("\n%s", got)
	compareGolden(t, "demo.golden", got)
}

// compareGolden holds figures against those in a file, or rewrites the file.
func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	golden := filepath.Join("..", "testdata", "quality", name)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("quality has changed; with -update it becomes\n%s", got)
	}
}

// TestDuplicates holds what the ranking reached on real bug reports; see docs/ranking.md.
func TestDuplicates(t *testing.T) {
	docs, queries := duplicates(t)
	start := time.Now()
	x := brainOf(t, docs)
	built := time.Since(start)
	q := measure(t, x, queries, Query{Cards: true, Notes: true})
	t.Logf("%s  p50 %v  p99 %v  built in %v", q, q.p50, q.p99, built)
	if q.hit1 < 0.43 || q.hit10 < 0.70 || q.mrr < 0.52 {
		t.Errorf("%s, want hit@1 ≥ .43, hit@10 ≥ .70 and MRR@10 ≥ .52", q)
	}
}

// unrelated are requests that no card of any brain here speaks to.
var unrelated = []string{
	"why do penguins huddle together in winter", "which treaties made up the peace of Westphalia", "how often should I feed a sourdough starter",
	"who won the world cup in 1998", "how do I file my income tax return late", "what chords are in the key of G on guitar", "explain the plot of Hamlet in three sentences",
	"what is the boiling point of water at altitude", "recommend a hiking trail near Seoul", "translate good morning into French", "how do vaccines work",
	"write a haiku about autumn leaves", "what should I cook with leftover rice", "how far is the moon from the earth", "plan a three day trip to Busan",
	"who painted the Mona Lisa", "how do I remove a red wine stain from a carpet", "김치찌개 끓이는 법 알려줘", "서울에서 부산까지 기차로 얼마나 걸려", "오늘 날씨 어때", "조선 시대 왕의 순서를 알려줘",
	"", "   ", "how do I", "왜 그런 거야", "the of and",
}

// TestSilence holds that a request which no card speaks to gets none.
func TestSilence(t *testing.T) {
	brains := map[string]*Index{"demo": openCopy(t, filepath.Join("..", "testdata", "brains", "demo")), "sample": brainOf(t, sample), "one card": brainOf(t, map[string]string{"lessons/allow.md": sample["lessons/allow.md"]})}
	for name, x := range brains {
		for _, q := range unrelated {
			hits, err := x.Search(context.Background(), Query{Text: q, Cards: true, Notes: true, Strength: true})
			if err != nil {
				t.Fatal(err)
			}
			hits = Certain(hits)
			if len(hits) > 0 {
				t.Errorf("%s: %q gets %s by %v", name, q, hits[0].Card.Path, hits[0].Terms)
			}
		}
	}
}

// TestFloorLetsTheRightCardThrough holds that requests as people phrase them still get
// the card that was written for them, and nothing but it.
func TestFloorLetsTheRightCardThrough(t *testing.T) {
	x := openCopy(t, filepath.Join("..", "testdata", "brains", "demo"))
	for q, want := range map[string]string{
		"Add a Telegram command that restarts the API server":   "lessons/telegram-allowlist.md",
		"정산 CSV 다운로드 기능 만들어줘":                                   "lessons/csv-bom.md",
		"운영 DB에 컬럼 추가하는 마이그레이션 작성해줘":                            "lessons/migration-backup.md",
		"write a retry for the checkout payment call":           "lessons/payment-retry.md",
		"React 타이머가 이전 값으로 조회해요":                                "lessons/stale-closure.md",
		"log the request headers for debugging":                 "lessons/token-in-log.md",
		"CI에서 테스트가 가끔 실패해요 sleep 때문인가":                          "qa-findings/flaky-sleep.md",
		"the revenue report per day is off by one day in Seoul": "lessons/report-timezone.md",
		"the customer list page runs one query per row":         "playbooks/n-plus-one.md",
	} {
		hits, err := x.Search(context.Background(), Query{Text: q, Cards: true, Strength: true})
		if err != nil {
			t.Fatal(err)
		}
		hits = Certain(hits)
		if len(hits) == 0 || hits[0].Card.Path != want || len(hits) > 2 {
			var got []string
			for _, h := range hits {
				got = append(got, h.Card.Path)
			}
			t.Errorf("%q gets %v, want %s", q, got, want)
		}
	}
}

// openCopy opens an index of a brain of the project's own, in a copy.
func openCopy(t *testing.T, dir string) *Index {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return open(t, copied, t.TempDir())
}

// TestNotesDoNotCrowdCardsOut holds that what is injected has room for a card, however
// many notes speak to the request too.
func TestNotesDoNotCrowdCardsOut(t *testing.T) {
	files := map[string]string{"lessons/a.md": "# Idempotency keys\n\nA gateway charged twice, because every attempt after the timeout made an idempotency key of its own.\n"}
	for i := range 15 {
		files[fmt.Sprintf("notes/%02d.md", i)] = fmt.Sprintf("# Gateway idempotency timeout %d\n\nIdempotency key of the gateway, timeout of the gateway.\n", i)
	}
	x := brainOf(t, files)
	hits, err := x.Search(context.Background(), Query{Text: "gateway timeout idempotency key", Cards: true, Notes: true, Limit: 5, Strength: true})
	if err != nil {
		t.Fatal(err)
	}
	hits = Certain(hits)
	cards := slices.DeleteFunc(hits, func(h Hit) bool { return !h.Card.Kind.IsCard() })
	if len(cards) != 1 {
		t.Errorf("%d cards among the hits", len(cards))
	}
}

// TestLimitBeyondAllHits holds that a limit costs nothing by itself.
func TestLimitBeyondAllHits(t *testing.T) {
	x := brainOf(t, map[string]string{"lessons/a.md": "# Idempotency keys", "lessons/b.md": "# Something else"})
	for _, floor := range []bool{false, true} {
		hits, err := x.Search(context.Background(), Query{Text: "idempotency keys", Cards: true, Limit: math.MaxInt, Strength: floor})
		if err != nil || len(hits) != 1 {
			t.Errorf("floor %v: %d hits, %v", floor, len(hits), err)
		}
	}
}
