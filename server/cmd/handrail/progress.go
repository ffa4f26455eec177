package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

const (
	// progressAfter is how long indexing may take before a person at a terminal is told.
	progressAfter = time.Second
	// progressEvery is how often they are told more: often enough to look alive.
	progressEvery = 100 * time.Millisecond
)

// progress is a line at a terminal that says how far indexing is.
type progress struct {
	to    io.Writer // nil where nobody looks
	label string
	now   func() time.Time

	mu      sync.Mutex // guards what follows
	started time.Time
	shown   time.Time // zero while there is no line
	ended   bool
}

func (a *app) progress() *progress {
	p := &progress{label: a.locale().Indexing(), now: time.Now, started: time.Now()}
	if f, ok := a.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.to = f
	}
	return p
}

// show draws the line anew if it is time.
func (p *progress) show(done, total int) {
	if p.to == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.ended || done == total || now.Sub(p.started) < progressAfter || now.Sub(p.shown) < progressEvery {
		return
	}
	p.shown = now
	fmt.Fprintf(p.to, "\r%s %d/%d", p.label, done, total)
}

// end takes the line away, however indexing ended; nothing is shown after it.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if !p.shown.IsZero() {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}
