package server

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/handrail-dev/handrail/testdata/many"
)

// BenchmarkLife is what the upkeep of a brain of 12,000 cards takes. Run each by itself, with
// -benchtime 1x, to read its peak of memory.
func BenchmarkLife(b *testing.B) {
	dir := b.TempDir()
	brain := filepath.Join(dir, ".brain")
	if err := many.Write(brain, 12000); err != nil {
		b.Fatal(err)
	}
	s, err := New(ctx, Config{Brain: brain, CacheDir: filepath.Join(dir, "cache"), StateDir: filepath.Join(dir, "state"), Now: now})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	<-s.Ready()
	for _, act := range []struct {
		name string
		do   func() error
	}{
		{"tidy", func() error { _, err := s.Tidy(ctx, TidyRequest{}); return err }},
		{"stats", func() error { _, err := s.Stats(ctx); return err }},
	} {
		b.Run(act.name, func(b *testing.B) {
			for b.Loop() {
				if err := act.do(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(peakMemory(), "peak-MB")
		})
	}
}

// peakMemory returns the most memory that this process has had, 0 where the system does not
// say it as Linux does.
func peakMemory() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.Atoi(string(fields[0])) // "" and what is no number are 0
	return float64(kb) / 1024
}
