package main

import (
	"strings"
	"testing"
	"time"
)

// TestProgressLine holds that the line comes late, changes seldom, and is gone at the
// end, finished or not.
func TestProgressLine(t *testing.T) {
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	var out strings.Builder
	line := func() *progress {
		out.Reset()
		return &progress{to: &out, label: "Indexing", now: func() time.Time { return at }, started: at}
	}
	p := line()
	p.show(1, 100)
	p.end()
	p.show(2, 100)
	if out.String() != "" {
		t.Errorf("indexing that took no time shows %q", out.String())
	}

	p = line() // it is cancelled on the way
	at = at.Add(progressAfter)
	p.show(10, 100)
	p.show(11, 100)
	at = at.Add(progressEvery)
	p.show(50, 100)
	p.end()
	at = at.Add(progressEvery)
	p.show(60, 100)
	if want := "\rIndexing 10/100\rIndexing 50/100\r\x1b[K"; out.String() != want {
		t.Errorf("the terminal gets %q, want %q", out.String(), want)
	}
}
