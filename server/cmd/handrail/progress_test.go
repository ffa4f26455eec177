package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgressLine holds that the line comes late, changes seldom, and is gone at the
// end, finished or not.
func TestProgressLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		line := func() *progress {
			out.Reset()
			p := (&app{}).progress()
			p.to, p.label = &out, "Indexing"
			return p
		}
		p := line()
		p.show(1, 100)
		p.end()
		p.show(2, 100)
		if out.String() != "" {
			t.Errorf("indexing that took no time shows %q", out.String())
		}

		p = line() // it is cancelled on the way
		time.Sleep(progressAfter)
		p.show(10, 100)
		p.show(11, 100)
		time.Sleep(progressEvery)
		p.show(50, 100)
		p.end()
		time.Sleep(progressEvery)
		p.show(60, 100)
		if want := "\rIndexing 10/100\rIndexing 50/100\r\x1b[K"; out.String() != want {
			t.Errorf("the terminal gets %q, want %q", out.String(), want)
		}
	})
}
