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
	to    io.Writer
	label string

	mu    sync.Mutex // guards what follows
	next  time.Time  // when the line is drawn anew
	shown bool
	ended bool
}

func (a *app) progress() *progress {
	p := &progress{to: io.Discard, label: a.locale().Indexing(), next: time.Now().Add(progressAfter)}
	if f, ok := a.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.to = f
	}
	return p
}

// show draws the line anew if it is time.
func (p *progress) show(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.ended || done == total || now.Before(p.next) {
		return
	}
	p.shown, p.next = true, now.Add(progressEvery)
	fmt.Fprintf(p.to, "\r%s %d/%d", p.label, done, total)
}

// end takes the line away, however indexing ended; nothing is shown after it.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}
