package server

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// TestStateIsOnDiskWithinASecond looks at the file as a process that takes over after a
// kill would find it: nothing was closed, and what is a second old is there, even while
// more keeps coming.
func TestStateIsOnDiskWithinASecond(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, err := openState(dir, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		s.put(candidateBucket, "first", Candidate{ID: "first"})
		for i := range 10 {
			<-time.After(99 * time.Millisecond)
			s.put(answerBucket, "later", answer{ID: "later", At: time.Unix(int64(i), 0)})
		}
		synctest.Wait()
		file, err := os.ReadFile(filepath.Join(dir, "state.db"))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.close(); err != nil {
			t.Fatal(err)
		}

		after := filepath.Join(dir, "after")
		if err := os.MkdirAll(after, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(after, "state.db"), file, 0o600); err != nil {
			t.Fatal(err)
		}
		killed, err := openState(after, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if list := killed.candidates(); len(list) != 1 || list[0].ID != "first" {
			t.Errorf("candidates %v", list)
		}
		if list := killed.answers(); len(list) != 1 {
			t.Errorf("answers %v", list)
		}
		if err := killed.close(); err != nil {
			t.Fatal(err)
		}
	})
}
