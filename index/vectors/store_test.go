package vectors

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// clock is one that goes on by a second each time it is looked at.
func clock() func() time.Time {
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	return func() time.Time { at = at.Add(time.Second); return at }
}

func openStore(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir, clock(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func load(t *testing.T, s *Store, p Space) *Matrix {
	t.Helper()
	m, err := s.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func put(t *testing.T, s *Store, p Space, n int) {
	t.Helper()
	all := map[Key][]float32{}
	for i := range n {
		all[keyOf(i)] = unit(t, i, p.Dim)
	}
	if err := s.Put(p, all); err != nil {
		t.Fatal(err)
	}
}

// TestEachModelAndLengthHasASpace: another model, or the same with vectors of another
// length, starts with nothing and takes nothing away.
func TestEachModelAndLengthHasASpace(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	small, large, other := Space{"m", 8}, Space{"m", 16}, Space{"m2", 8}
	for _, p := range []Space{small, large, other} {
		if n := load(t, s, p).Len(); n != 0 {
			t.Fatalf("%v begins with %d vectors", p, n)
		}
	}
	put(t, s, small, 5)
	put(t, s, large, 3)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, dir)
	if p, ok, err := s.Latest("m"); err != nil || !ok || p != large {
		t.Errorf("the latest is %v, %v, %v", p, ok, err)
	}
	if _, ok, _ := s.Latest("m3"); ok {
		t.Error("a model that was never asked has a space")
	}
	if a, b, c := load(t, s, small), load(t, s, large), load(t, s, other); a.Len() != 5 || b.Len() != 3 || c.Len() != 0 {
		t.Errorf("%d, %d and %d vectors", a.Len(), b.Len(), c.Len())
	}
	if best := load(t, s, small).Nearest(unit(t, 4, 8), 1).Best[0]; best.Key != keyOf(4) || best.Cosine < .999 {
		t.Errorf("the vector of 4 came back as %v", best)
	}
}

func TestOldSpacesAreRemoved(t *testing.T) {
	s := openStore(t, t.TempDir())
	for i := range maxSpaces + 2 {
		p := Space{"m" + strconv.Itoa(i), 8}
		load(t, s, p)
		put(t, s, p, 2)
		load(t, s, Space{"m0", 8}) // in use again and again
	}
	var left []string
	for i := range maxSpaces + 2 {
		if _, ok, err := s.Latest("m" + strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		} else if ok {
			left = append(left, strconv.Itoa(i))
		}
	}
	if !slices.Equal(left, []string{"0", "3", "4"}) {
		t.Errorf("left are %v", left)
	}
}

func TestPurge(t *testing.T) {
	s := openStore(t, t.TempDir())
	now, before := Space{"now", 8}, Space{"before", 8}
	for _, p := range []Space{now, before} {
		load(t, s, p)
		put(t, s, p, 2*purgeBatch+100)
	}
	live := func(k Key) bool { return k == keyOf(7) || k == keyOf(2000) }
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := s.Purge(done, live); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, it removed %d: %v", n, err)
	}
	n, err := s.Purge(t.Context(), live)
	if err != nil || n != 2*(2*purgeBatch+99) {
		t.Errorf("removed %d: %v", n, err)
	}
	for _, p := range []Space{now, before} {
		if m := load(t, s, p); m.Len() != 1 || !m.Has(keyOf(7)) {
			t.Errorf("%v has %d left", p, m.Len())
		}
	}
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	if _, err := Open(dir, time.Now, slog.New(slog.DiscardHandler)); !errors.Is(err, ErrLocked) {
		t.Fatalf("the second one gets %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	openStore(t, dir)
}

// TestDamagedStoreIsMadeAnew damages the file in the ways that disks do.
func TestDamagedStoreIsMadeAnew(t *testing.T) {
	for name, harm := range map[string]func([]byte) []byte{
		"cut":    func(b []byte) []byte { return b[:len(b)/2] },
		"empty":  func([]byte) []byte { return []byte("x") },
		"zeroed": func(b []byte) []byte { clear(b[4096:]); return b },
		"rubbish": func(b []byte) []byte {
			for i := 8192; i < len(b); i++ {
				b[i] = byte(i * 31)
			}
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, p := t.TempDir(), Space{"m", 64}
			s := openStore(t, dir)
			load(t, s, p)
			put(t, s, p, 300)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "vectors.db")
			src, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, harm(src), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			s = openStore(t, dir)
			load(t, s, p)
			put(t, s, p, 1)
			if m := load(t, s, p); !m.Has(keyOf(0)) {
				t.Error("nothing can be kept")
			}
		})
	}
}

func TestRowsThatAreNoVectorsAreLeftOut(t *testing.T) {
	s, p := openStore(t, t.TempDir()), Space{"m", 4}
	load(t, s, p)
	if err := s.Put(p, map[Key][]float32{keyOf(1): {1, 0, 0, 0}, keyOf(2): {1, 0}, keyOf(3): {0, 0, 0, 0}, keyOf(4): {9, 9, 9, 9}}); err != nil {
		t.Fatal(err)
	}
	if m := load(t, s, p); m.Len() != 1 || !m.Has(keyOf(1)) {
		t.Errorf("%d came back", m.Len())
	}
}

// writeBatches is what TestKilledWhileWriting kills: it keeps batches of ten for ever and
// says when each is on disk.
func writeBatches(dir string) error {
	s, err := Open(dir, time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	p := Space{"m", 16}
	if _, err := s.Load(p); err != nil {
		return err
	}
	for batch := 0; ; batch++ {
		all := map[Key][]float32{}
		for i := range 10 {
			v := make([]float32, p.Dim)
			v[i] = 1
			all[keyOf(10*batch+i)] = v
		}
		if err := s.Put(p, all); err != nil {
			return err
		}
		os.Stdout.WriteString(strconv.Itoa(batch) + "\n")
	}
}

func TestMain(m *testing.M) {
	if dir := os.Getenv("HANDRAIL_TEST_WRITES"); dir != "" {
		os.Stderr.WriteString(writeBatches(dir).Error())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestKilledWhileWriting holds that a batch which was said to be kept is, and that one is
// there whole or not at all.
func TestKilledWhileWriting(t *testing.T) {
	for round := range 3 {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "HANDRAIL_TEST_WRITES="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		last := -1
		lines := bufio.NewScanner(out)
		for last < 5+7*round && lines.Scan() {
			if last, err = strconv.Atoi(strings.TrimSpace(lines.Text())); err != nil {
				t.Fatal(err)
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		if last < 5 {
			t.Fatalf("it ended by itself after batch %d", last)
		}
		m := load(t, openStore(t, dir), Space{"m", 16})
		if m.Len()%10 != 0 || m.Len() < 10*(last+1) {
			t.Errorf("%d vectors after batch %d", m.Len(), last)
		}
	}
}
