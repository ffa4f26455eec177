package index

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handrail/lessons"
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

// TestDuplicates holds what the ranking reached on real bug reports; see docs/ranking.md.
func TestDuplicates(t *testing.T) {
	docs, queries := duplicates(t)
	start := time.Now()
	x := brainOf(t, docs)
	built := time.Since(start)
	q := measure(t, x, queries, Query{Cards: true, Notes: true})
	t.Logf("%s  p50 %v  p99 %v  built in %v", q, q.p50, q.p99, built)
	if q.hit10 < 0.66 || q.mrr < 0.48 {
		t.Errorf("%s, want hit@10 ≥ .66 and MRR@10 ≥ .48", q)
	}
	_ = strings.Join
}
