package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gofrs/flock"

	"github.com/handrail-dev/handrail/lessons"
)

// opened opens an index without closing it at the end of the test.
func opened(t *testing.T, dir string, cfg Config) *Index {
	t.Helper()
	brain, err := lessons.OpenBrain(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { brain.Close() })
	cfg.Brain = brain
	x, err := Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestAnyDamagedFile holds that whatever happens to one file of the index, the next open
// answers, and builds what cannot be trusted anew.
func TestAnyDamagedFile(t *testing.T) {
	dir, pristine := t.TempDir(), t.TempDir()
	for i := range 40 {
		old(t, write(t, dir, fmt.Sprintf("n%02d.md", i), fmt.Sprintf("# Note number%d\n\nIt speaks of alpha%d and beta.", i, i%7)))
	}
	x := opened(t, dir, Config{Dir: pristine})
	<-x.Ready()
	want := search(t, x, "number7 beta")
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	harm := map[string]func(name string, src []byte) error{
		"remove": func(name string, _ []byte) error { return os.Remove(name) },
		"empty":  func(name string, _ []byte) error { return os.WriteFile(name, nil, 0o600) },
		"halve":  func(name string, src []byte) error { return os.WriteFile(name, src[:len(src)/2], 0o600) },
		"garble": func(name string, src []byte) error {
			src = bytes.Clone(src)
			for i := len(src) / 3; i < len(src)/3+min(40, len(src)/2); i++ {
				src[i] ^= 0x2a
			}
			return os.WriteFile(name, src, 0o600)
		},
		"lengthen": func(name string, src []byte) error {
			return os.WriteFile(name, append(bytes.Clone(src), "nonsense"...), 0o600)
		},
	}
	err := filepath.WalkDir(pristine, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "lock" {
			return err
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(pristine, p)
		if err != nil {
			return err
		}
		for how, do := range harm {
			cache := t.TempDir()
			if err := os.CopyFS(cache, os.DirFS(pristine)); err != nil {
				return err
			}
			if err := do(filepath.Join(cache, rel), src); err != nil {
				return err
			}
			x := opened(t, dir, Config{Dir: cache})
			<-x.Ready()
			if got := search(t, x, "number7 beta"); !slices.Equal(got, want) {
				t.Errorf("%s %s: found %v, want %v", how, d.Name(), got, want)
			}
			if err := x.Close(); err != nil {
				t.Errorf("%s %s: close: %v", how, d.Name(), err)
			}
			if gens, _ := filepath.Glob(filepath.Join(cache, "gen-*")); len(gens) != 1 {
				t.Errorf("%s %s: %d generations are left", how, d.Name(), len(gens))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestProcessThatWasKilled opens what a process that never closed leaves behind.
func TestProcessThatWasKilled(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	for i := range 30 {
		old(t, write(t, dir, fmt.Sprintf("n%02d.md", i), fmt.Sprintf("# Note number%d", i)))
	}
	x := opened(t, dir, Config{Dir: cache})
	defer x.Close()
	<-x.Ready()
	old(t, write(t, dir, "late.md", "# Latecomer"))
	syncNow(t, x, "late.md")
	x.publishing.Wait()
	if err := x.pic.store.settle(context.Background()); err != nil {
		t.Fatal(err)
	}
	left := stillLife(t, cache)
	y := opened(t, dir, Config{Dir: left, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	defer y.Close()
	<-y.Ready()
	for q, want := range map[string]string{"latecomer": "late.md", "number12": "n12.md"} {
		if got := search(t, y, q); !slices.Equal(got, []string{want}) {
			t.Errorf("%q finds %v", q, got)
		}
	}
	if y.pic.store.dir == "" || filepath.Base(y.pic.store.dir) != filepath.Base(x.pic.store.dir) {
		t.Error("the index was built anew")
	}
}

// stillLife copies an index as it stands at one moment. A copy during which a segment was
// being written is made anew: what is half written is rightly not trusted.
func stillLife(t *testing.T, dir string) string {
	t.Helper()
	for range 1000 {
		to := t.TempDir()
		if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
			continue // a file went away meanwhile
		}
		gens, _ := filepath.Glob(filepath.Join(to, "gen-*"))
		if len(gens) == 1 {
			if _, err := verify(gens[0], ""); err == nil {
				return to
			}
		}
	}
	t.Fatal("the index never stands still")
	return ""
}

type writerFunc func(line []byte) (int, error)

func (f writerFunc) Write(line []byte) (int, error) { return f(line) }

// stopped opens the index of a folder and returns it half way through its first sync, at a file that is too large. It goes on
// when on is closed.
func stopped(t *testing.T, dir string) (x *Index, large string, on chan struct{}) {
	t.Helper()
	large = write(t, dir, "z.md", strings.Repeat("x", lessons.MaxFile+1)) // the log says that it is left out
	half, on := make(chan struct{}), make(chan struct{})
	var once sync.Once
	x = opened(t, dir, Config{Dir: t.TempDir(), Log: slog.New(slog.NewTextHandler(writerFunc(func(line []byte) (int, error) {
		if bytes.Contains(line, []byte("z.md")) {
			once.Do(func() { close(half) })
			<-on
		}
		return len(line), nil
	}), nil))})
	<-half
	return x, large, on
}

// TestSearchWaitsForTheFirstIndex stops the first sync half way and asks.
func TestSearchWaitsForTheFirstIndex(t *testing.T) {
	dir := t.TempDir()
	for i := range 50 {
		write(t, dir, fmt.Sprintf("n%02d.md", i), fmt.Sprintf("# Note number%d", i))
	}
	x, _, on := stopped(t, dir)
	defer x.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.Search(ctx, Query{Text: "number7", Notes: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that was given up: %v", err)
	}
	found := make(chan []string)
	go func() { found <- search(t, x, "number7") }()
	close(on)
	if got := <-found; !slices.Equal(got, []string{"n07.md"}) {
		t.Errorf("found %v", got)
	}
}

// TestABrainThatCannotBeRead holds that nobody waits for an index that cannot be made, and that it
// does not pass for one of an empty brain.
func TestABrainThatCannotBeRead(t *testing.T) {
	brain, err := lessons.OpenBrain(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := brain.Close(); err != nil {
		t.Fatal(err)
	}
	x, err := Open(t.Context(), Config{Brain: brain})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Search(t.Context(), Query{Text: "alpha", Notes: true}); err == nil {
		t.Error("there is nothing to search, and no error")
	}
	<-x.Ready()
	select {
	case <-x.CaughtUp():
		t.Error("it passes for an empty brain")
	default:
	}
}

func TestNoPlaceForAnIndex(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "lessons/a.md", "# Alpha")
	file := write(t, t.TempDir(), "file", "not a folder")
	x := opened(t, dir, Config{Dir: file})
	defer x.Close()
	<-x.Ready()
	if got := search(t, x, "alpha"); len(got) != 1 || len(x.Heads()) != 1 {
		t.Errorf("found %v and %v", got, x.Heads())
	}
}

func TestSearchesGoOnDuringSyncs(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "fixed.md", "# Fixed star")
	x := opened(t, dir, Config{Dir: t.TempDir()})
	defer x.Close()
	<-x.Ready()
	stop := make(chan struct{})
	var searchers sync.WaitGroup
	for range 4 {
		searchers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				hits, err := x.Search(context.Background(), Query{Text: "fixed star", Cards: true, Notes: true})
				if err != nil || len(hits) == 0 || hits[0].Card.Path != "fixed.md" {
					t.Errorf("%v, %v", hits, err)
					return
				}
				x.Heads()
			}
		})
	}
	for i := range 30 {
		rel := fmt.Sprintf("lessons/%d.md", i%5)
		write(t, dir, rel, fmt.Sprintf("# Moving star %d", i))
		syncNow(t, x, rel)
	}
	close(stop)
	searchers.Wait()
}

func TestCloseEndsEverything(t *testing.T) {
	dir := t.TempDir()
	for i := range 200 {
		write(t, dir, fmt.Sprintf("n%03d.md", i), "# Note")
	}
	for _, wait := range []bool{true, false} {
		x := opened(t, dir, Config{Dir: t.TempDir()})
		if wait {
			<-x.Ready()
		}
		search(t, x, "note")
		if err := x.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if _, err := x.Sync(context.Background()); !errors.Is(err, ErrClosed) {
			t.Errorf("a sync after Close: %v", err)
		}
	}
	// What was told to end may need a moment to be gone.
	stacks := make([]byte, 1<<20)
	for range 20_000 {
		text := string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(text, "scorch.") && !strings.Contains(text, "index.(*Index)") {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
}

func TestCancel(t *testing.T) {
	x := brainOf(t, sample)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.Search(ctx, Query{Text: "retry payments", Cards: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("search: %v", err)
	}
	if _, err := x.Sync(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("sync: %v", err)
	}
}

// TestTies holds the order of equal scores: seen last first, then by path.
func TestTies(t *testing.T) {
	x := brainOf(t, map[string]string{
		"lessons/a.md": "---\nlast-seen: 2026-01-01\n---\n# Same words", "lessons/b.md": "---\nlast-seen: 2026-03-01\n---\n# Same words",
		"lessons/d.md": "# Same words", "lessons/c.md": "# Same words",
	})
	if got := search(t, x, "same words"); !slices.Equal(got, []string{"lessons/b.md", "lessons/a.md", "lessons/c.md", "lessons/d.md"}) {
		t.Errorf("order is %v", got)
	}
}

func TestHeadKeepsTheCard(t *testing.T) {
	src := "---\ntype: playbook\ntitle: Back up first\napplies-to: [db, 백업]\npaths: [\"migrations/**\"]\nproject: shop\nseverity: high\nsource: auto\noccurrences: 4\nlast-seen: 2026-02-03\nstatus: archived\narchived-at: 2026-02-04\nverified: true\nguard: deny\n---\n\n## Prevention Checklist\n\n- [x] A dump is taken\n- [ ] 복구를 해 봤다\n"
	c, _ := lessons.Parse("p.md", []byte(src))
	want := stat{5, 6, 7, 8}
	pic, err := pictureOf(nil, [][]byte{[]byte("p.md"), newHead(c, want).pack()})
	h := pic.heads["p.md"]
	if err != nil || h.stat != want {
		t.Errorf("%+v, %v; want %+v", h.stat, err, want)
	}
	c.Body, c.Sections, c.BodyLine = "", nil, 0
	if got := h.at("p.md"); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c) {
		t.Errorf("a head holds\n%+v, want\n%+v", got, c)
	}
	note, _ := lessons.Parse("notes/n.md", []byte("---\ntitle: 정산\napplies-to: [db, 백업]\n---\n\nText.\n"))
	pic, err = pictureOf(nil, [][]byte{[]byte("notes/n.md"), newHead(note, stat{}).pack()})
	h = pic.heads["notes/n.md"]
	if got := h.at("notes/n.md"); err != nil || h.Card != nil || got.Title != "정산" || !slices.Equal(got.Tags, []string{"db", "백업"}) {
		t.Errorf("a note's head holds %+v, %v", got, err)
	}
}

// TestKilledWhileItOpened holds that an index survives a process that dies before it has all heads, when bleve has written
// to its root already, and one that dies while it writes a segment.
func TestKilledWhileItOpened(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	old(t, write(t, dir, "lessons/a.md", "# Alpha"))
	x := opened(t, dir, Config{Dir: cache})
	<-x.Ready()
	gen := x.pic.store.dir
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	other := flock.New(filepath.Join(gen, rootFile))
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	if _, err := openStore(cache, func() {}, nil); err == nil {
		t.Fatal("bleve opens what another has")
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := openGeneration(gen, func() {}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.close(), os.WriteFile(filepath.Join(gen, "0000000000ff.zap"), []byte("half"), 0o600)); err != nil {
		t.Fatal(err)
	}
	y := opened(t, dir, Config{Dir: cache, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	defer y.Close()
	<-y.Ready()
	if got := search(t, y, "alpha"); len(got) != 1 || y.pic.store.dir != gen {
		t.Errorf("found %v in %s, want it in %s", got, y.pic.store.dir, gen)
	}
}
