// Command bench measures Handrail beside SQLite FTS5 in one run: first index, open,
// retrieval, preflight, a save until it is searchable, and peak memory, on a generated
// brain and on real ones. Times are noisy; what counts is the ratio of two columns.
//
//	make bench
//	make bench BENCHFLAGS='-n 100000'
//	HANDRAIL_DATA=folder make bench    # *.tgz brains and duplicates-*.jsonl.gz
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"maps"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/handrail-dev/handrail/index"
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/testdata/many"
)

var (
	generated = flag.Int("n", 12_000, "cards of the generated brain")
	saves     = flag.Int("saves", 100, "saves timed until they are searchable")
	engine    = flag.String("engine", "", "measure one engine's memory in this process and exit (used by the command itself)")
	dir       = flag.String("brain", "", "with -engine: the brain")
	data      = flag.String("data", os.Getenv("HANDRAIL_DATA"), "folder of real brains")
)

func main() {
	flag.Parse()
	log.SetFlags(0)
	if *engine != "" {
		if err := errors.Join(peak(*engine, *dir), highWater()); err != nil {
			log.Fatal(err)
		}
		return
	}
	tmp, err := os.MkdirTemp("", "handrail-bench-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	brain := filepath.Join(tmp, "generated")
	if err := many.Write(brain, *generated); err != nil {
		log.Fatal(err)
	}
	if err := measure(tmp, fmt.Sprintf("generated, %d cards", *generated), brain); err != nil {
		log.Fatal(err)
	}
	if *data == "" {
		fmt.Println("\nno real brains: set HANDRAIL_DATA to a folder that holds them")
		return
	}
	if err := real(tmp); err != nil {
		log.Fatal(err)
	}
}

type query struct {
	text     string
	relevant []string // the paths that answer it, where they are known
}

// measure compares both engines on a brain by searches for up to 400 of its titles.
func measure(tmp, name, dir string) error {
	titles, err := titlesOf(dir)
	if err != nil {
		return err
	}
	var queries []query
	for _, path := range slices.Sorted(maps.Keys(titles)) {
		queries = append(queries, query{text: titles[path]})
	}
	rand.New(rand.NewSource(3)).Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
	return compare(tmp, name, dir, queries[:min(400, len(queries))])
}

// compare measures both engines on one brain and prints the table.
func compare(tmp, name, dir string, queries []query) error {
	ctx := context.Background()
	brain, err := lessons.OpenBrain(dir)
	if err != nil {
		return err
	}
	defer brain.Close()
	cache := filepath.Join(tmp, "cache-"+lessons.Slug(name))

	titles, err := titlesOf(dir) // reads every file, so that neither side finds a cold disk
	if err != nil {
		return err
	}
	start := time.Now()
	x, err := index.Open(ctx, index.Config{Dir: cache, Brain: brain})
	if err != nil {
		return err
	}
	<-x.Ready()
	ours := figures{build: time.Since(start)}
	if err := x.Close(); err != nil {
		return err
	}
	start = time.Now()
	x, err = index.Open(ctx, index.Config{Dir: cache, Brain: brain})
	if err != nil {
		return err
	}
	ours.open = time.Since(start)
	<-x.Ready()
	ours.caughtUp = time.Since(start)

	start = time.Now()
	db, err := buildFTS(filepath.Join(tmp, "fts-"+lessons.Slug(name)+".db"), dir, titles)
	if err != nil {
		return err
	}
	defer db.Close()
	theirs := figures{build: time.Since(start)}

	// One query of each in turn, so that a slow moment hits both; and each goes first every
	// other time, so that neither always finds the other's data in the processor's caches.
	type side struct {
		figures *figures
		search  func(text string) ([]string, error)
	}
	pair := [2]side{
		{&ours, func(text string) ([]string, error) {
			hits, err := x.Search(ctx, index.Query{Text: text, Limit: 10, Cards: true, Notes: true})
			paths := make([]string, len(hits))
			for i, h := range hits {
				paths[i] = h.Card.Path
			}
			return paths, err
		}},
		{&theirs, db.search},
	}
	for i, q := range queries {
		for _, s := range []side{pair[i%2], pair[1-i%2]} {
			start := time.Now()
			found, err := s.search(q.text)
			if err != nil {
				return err
			}
			s.figures.add(time.Since(start), q, found)
		}
	}
	if err := x.Close(); err != nil {
		return err
	}
	if err := ours.serve(ctx, tmp, dir, queries); err != nil {
		return err
	}
	ours.memory, err = memory("handrail", dir)
	if err != nil {
		return err
	}
	theirs.memory, err = memory("fts5", dir)
	if err != nil {
		return err
	}
	report(name, ours, theirs)
	return nil
}

// figures are what one engine comes to on one brain.
type figures struct {
	build, open, caughtUp time.Duration
	times                 []time.Duration
	preflight, saved      []time.Duration
	memory                int64 // peak resident bytes of a process that indexes and searches
	judged                int
	hit1, hit10, mrr      float64
}

func (f *figures) add(d time.Duration, q query, paths []string) {
	f.times = append(f.times, d)
	if len(q.relevant) == 0 {
		return
	}
	f.judged++
	for i, p := range paths[:min(10, len(paths))] {
		if slices.Contains(q.relevant, p) {
			if i == 0 {
				f.hit1++
			}
			f.hit10++
			f.mrr += 1 / float64(i+1)
			return
		}
	}
}

// serve times the loop itself: preflights, and saves by another program until the
// running server finds them.
func (f *figures) serve(ctx context.Context, tmp, dir string, queries []query) error {
	s, err := server.New(ctx, brain.Config{Brain: dir, CacheDir: filepath.Join(tmp, "serve"), StateDir: filepath.Join(tmp, "state"), Watch: true})
	if err != nil {
		return err
	}
	defer s.Close()
	<-s.Ready()
	for _, q := range queries {
		start := time.Now()
		if _, err := s.Preflight(ctx, deliver.PreflightRequest{Query: q.text}); err != nil {
			return err
		}
		f.preflight = append(f.preflight, time.Since(start))
	}
	time.Sleep(time.Second) // the watches are set by then
	changed := make(chan struct{}, 1)
	detach := s.Attach(brain.Notify{Changed: func(brain.Changed) {
		select {
		case changed <- struct{}{}:
		default:
		}
	}})
	defer detach()
	for i := range *saves {
		word := fmt.Sprintf("zanzibar%dquux", i)
		path := filepath.Join(dir, "saved.md")
		start := time.Now()
		if err := os.WriteFile(path, []byte("# "+word+"\n\nsaved by another program\n"), 0o644); err != nil {
			return err
		}
		for {
			hits, err := s.Rank(ctx, brain.RetrieveRequest{Query: word, Limit: 1})
			if err != nil {
				return err
			}
			if len(hits) == 1 {
				break
			}
			select {
			case <-changed:
			case <-time.After(5 * time.Second):
				return fmt.Errorf("a save was not searchable within 5 s")
			}
		}
		f.saved = append(f.saved, time.Since(start))
	}
	return os.Remove(filepath.Join(dir, "saved.md"))
}

func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(d))
	return s[min(len(s)-1, int(q*float64(len(s))))]
}

func report(name string, a, b figures) {
	fmt.Printf("\n%s, %d queries\n\n", name, len(a.times))
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\thandrail\tFTS5\tratio\t")
	row := func(label string, x, y time.Duration) {
		if y == 0 {
			fmt.Fprintf(w, "%s\t%.2f ms\t\t\t\n", label, ms(x))
			return
		}
		fmt.Fprintf(w, "%s\t%.2f ms\t%.2f ms\t%.2f\t\n", label, ms(x), ms(y), float64(x)/float64(y))
	}
	row("first index", a.build, b.build)
	row("open", a.open, 0)
	row("open and compare with the disk", a.caughtUp, 0)
	for _, q := range []float64{.5, .95, .99} {
		row(fmt.Sprintf("retrieve p%.0f", q*100), quantile(a.times, q), quantile(b.times, q))
	}
	row("preflight p50", quantile(a.preflight, .5), 0)
	row("preflight p95", quantile(a.preflight, .95), 0)
	row("save to searchable p50", quantile(a.saved, .5), 0)
	row("save to searchable p95", quantile(a.saved, .95), 0)
	fmt.Fprintf(w, "peak memory\t%d MB\t%d MB\t%.2f\t\n", a.memory>>20, b.memory>>20, float64(a.memory)/float64(b.memory))
	if a.judged > 0 {
		n := float64(a.judged)
		for _, r := range []struct {
			label string
			x, y  float64
		}{{"hit@1", a.hit1, b.hit1}, {"hit@10", a.hit10, b.hit10}, {"MRR@10", a.mrr, b.mrr}} {
			fmt.Fprintf(w, "%s\t%.3f\t%.3f\t\t\n", r.label, r.x/n, r.y/n)
		}
	}
	w.Flush()
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// memory runs one engine in a process of its own and returns its peak resident size.
// The figure the parent gets would include the parent's own pages.
func memory(engine, dir string) (int64, error) {
	exe, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(exe, "-engine", engine, "-brain", dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("measure the memory of %s: %w", engine, err)
	}
	var kb int64
	if _, err := fmt.Sscan(string(out), &kb); err != nil {
		return 0, fmt.Errorf("measure the memory of %s: %w", engine, err)
	}
	return kb << 10, nil
}

// highWater prints this process's peak resident size in KiB, as Linux tells it.
func highWater() error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		if v, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			fmt.Println(strings.Fields(v)[0])
			return nil
		}
	}
	return fmt.Errorf("no VmHWM in /proc/self/status")
}

// peakQueries is how many searches either engine makes while its memory is measured.
const peakQueries = 100

func peak(engine, dir string) error {
	tmp, err := os.MkdirTemp("", "handrail-peak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	const text = "why does the server keep failing after the migration"
	if engine == "fts5" {
		db, err := buildFTS(filepath.Join(tmp, "fts.db"), dir, nil) // titles would cost memory of ours
		if err != nil {
			return err
		}
		defer db.Close()
		for range peakQueries {
			if _, err := db.search(text); err != nil {
				return err
			}
		}
		return nil
	}
	ctx := context.Background()
	s, err := server.New(ctx, brain.Config{Brain: dir, CacheDir: tmp, StateDir: tmp})
	if err != nil {
		return err
	}
	<-s.Ready()
	for range peakQueries {
		if _, err := s.Preflight(ctx, deliver.PreflightRequest{Query: text}); err != nil {
			return err
		}
	}
	return s.Close()
}

// real measures every brain in the data folder, and the judged duplicates.
func real(tmp string) error {
	archives, err := filepath.Glob(filepath.Join(*data, "brain-*.tgz"))
	if err != nil {
		return err
	}
	for _, a := range archives {
		name := strings.TrimSuffix(filepath.Base(a), ".tgz")
		dir := filepath.Join(tmp, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if out, err := exec.Command("tar", "xzf", a, "-C", dir).CombinedOutput(); err != nil {
			return fmt.Errorf("unpack %s: %w: %s", a, err, out)
		}
		if err := measure(tmp, name, dir); err != nil {
			return err
		}
	}
	sets, err := filepath.Glob(filepath.Join(*data, "duplicates-*.jsonl.gz"))
	if err != nil {
		return err
	}
	for _, set := range sets {
		dir := filepath.Join(tmp, "duplicates")
		queries, err := duplicates(set, dir)
		if err != nil {
			return err
		}
		if err := compare(tmp, filepath.Base(set), dir, queries); err != nil {
			return err
		}
	}
	return nil
}

// titlesOf returns the titles of a brain's notes by their slash paths.
func titlesOf(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !lessons.IsMarkdown(path) {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		c, _ := lessons.Parse(filepath.ToSlash(rel), src)
		out[c.Path] = c.Title
		return nil
	})
	return out, err
}

// duplicates writes the reports of a judged set as notes and returns its queries.
func duplicates(set, dir string) ([]query, error) {
	src, err := exec.Command("gzip", "-dc", set).Output()
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", set, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var out []query
	dec := json.NewDecoder(strings.NewReader(string(src)))
	for dec.More() {
		var row struct {
			Kind, ID, Title, Body, Text string
			Relevant                    []string
		}
		if err := dec.Decode(&row); err != nil {
			return nil, err
		}
		if row.Kind == "doc" {
			if err := os.WriteFile(filepath.Join(dir, row.ID+".md"), []byte("# "+row.Title+"\n\n"+row.Body+"\n"), 0o644); err != nil {
				return nil, err
			}
			continue
		}
		q := query{text: row.Text}
		for _, r := range row.Relevant {
			q.relevant = append(q.relevant, r+".md")
		}
		out = append(out, q)
	}
	return out, nil
}
