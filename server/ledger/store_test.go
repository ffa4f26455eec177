package ledger

import (
	"cmp"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"
)

// TestStateIsOnDiskWithinASecond looks at the file as a process that takes over after a
// kill would find it: nothing was closed, and what is a second old is there, even while
// more keeps coming.
func TestStateIsOnDiskWithinASecond(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(dir, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		first, later := NewTable[string](s, "first"), NewTable[time.Time](s, "later")
		first.Put("a", "word")
		for i := range 10 {
			<-time.After(99 * time.Millisecond)
			later.Put("b", time.Unix(int64(i), 0))
		}
		synctest.Wait()
		file, err := os.ReadFile(filepath.Join(dir, "state.db"))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}

		after := filepath.Join(dir, "after")
		if err := os.MkdirAll(after, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(after, "state.db"), file, 0o600); err != nil {
			t.Fatal(err)
		}
		killed, err := Open(after, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := NewTable[string](killed, "first").Get("a"); got != "word" {
			t.Errorf("first: %q", got)
		}
		if !NewTable[time.Time](killed, "later").Has("b") {
			t.Error("what keeps changing is not there")
		}
		if err := killed.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestTables pins what the tables promise: every change is saved, rows beyond the bound go, a key
// that bbolt refuses keeps nothing else from the disk, and what cannot be read is left alone.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	open := func() (*Store, *Table[int]) {
		t.Helper()
		s, err := Open(dir, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return s, NewTable[int](s, "numbers").Bound(8, cmp.Compare[int])
	}
	s, numbers := open()
	if _, err := Open(dir, slog.New(slog.DiscardHandler)); !errors.Is(err, ErrLocked) {
		t.Errorf("a second owner: %v", err)
	}
	for i := range 11 {
		numbers.Put(strconv.Itoa(i), i)
	}
	numbers.Put("", 20)
	numbers.Put(strings.Repeat("k", 40_000), 21)
	numbers.Update("9", func(n *int) { *n = 90 })
	if _, ok := numbers.Change("none", func(*int) bool { return true }); ok {
		t.Error("Change made a row")
	}
	numbers.Change("10", func(n *int) bool { *n = 100; return true })
	numbers.Delete("8")
	NewTable[string](s, "words").Put("7", "seven")
	if err := s.Save(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s, numbers = open()
	if got := numbers.All(cmp.Compare[int]); !slices.Equal(got, []int{3, 4, 5, 6, 7, 90, 100}) {
		t.Errorf("after a restart: %v", got)
	}
	wrong := NewTable[int](s, "words")
	if wrong.Has("7") {
		t.Error("a word is a number")
	}
	wrong.Put("8", 8)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, _ = open()
	if got, _ := NewTable[string](s, "words").Get("7"); got != "seven" {
		t.Errorf("a row that was no number is %q now", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOnlyADamagedFileIsMovedAside: a disk that fails is no reason to begin anew.
func TestOnlyADamagedFileIsMovedAside(t *testing.T) {
	for name, tt := range map[string]struct {
		make func(path string) error
		left int // entries of the folder
	}{
		"damaged": {func(path string) error { return os.WriteFile(path, make([]byte, 1<<16), 0o600) }, 2},
		"cut short while it was made": {func(path string) error {
			db, err := bbolt.Open(path, 0o600, nil)
			if err != nil {
				return err
			}
			return errors.Join(db.Close(), os.Truncate(path, int64(os.Getpagesize())+100))
		}, 2},
		"unread": {func(path string) error { return os.Mkdir(path, 0o700) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := tt.make(filepath.Join(dir, "state.db")); err != nil {
				t.Fatal(err)
			}
			if s, err := Open(dir, slog.New(slog.DiscardHandler)); err == nil {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadDir(dir); err != nil || len(got) != tt.left {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

// TestNoRowIsSavedWithASecret: whoever puts it into whatever table, and under whatever key; in memory a row stays as it is.
func TestNoRowIsSavedWithASecret(t *testing.T) {
	type row struct {
		Path  string            `json:"path"`
		Lines []string          `json:"lines"`
		By    map[string]string `json:"by"`
		At    time.Time         `json:"at"`
		N     int               `json:"n"`
	}
	dir := t.TempDir()
	s, err := Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	const secret = "hunter2Zq77x9"
	in := row{"lessons/a.md", []string{"say \"<hi>\"\n\tto all\u200b", "deploy --password " + secret, "it was " + secret + "!"}, map[string]string{"token=" + secret: "x"}, time.Unix(7, 0).UTC(), 12345678901234567}
	rows := NewTable[row](s, "rows")
	rows.Put("deploy", in)
	rows.Put("src/token="+secret, row{Lines: []string{`C:\`, `"`}})
	if got, _ := rows.Get("deploy"); got.Lines[1] != in.Lines[1] {
		t.Errorf("in memory: %q", got.Lines)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if src, err := os.ReadFile(filepath.Join(dir, "state.db")); err != nil || strings.Contains(string(src), secret) {
		t.Errorf("the file holds the secret, or: %v", err)
	}
	s, err = Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows = NewTable[row](s, "rows")
	got, ok := rows.Get("deploy")
	if !ok || got.Path != in.Path || got.Lines[0] != in.Lines[0] || got.Lines[1] != "deploy --password [redacted]" || got.Lines[2] != "it was [redacted]!" || !got.At.Equal(in.At) || got.N != in.N || got.By["token=[redacted]"] != "x" {
		t.Errorf("read again: %+v", got)
	}
	if got, ok := rows.Get("src/token=[redacted]"); !ok || got.Lines[0] != `C:\` || got.Lines[1] != `"` {
		t.Errorf("read again: %+v", got)
	}
}
