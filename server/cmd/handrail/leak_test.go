package main

import (
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestCallLeavesNothing: a daemon carries out thousands of calls, so none may leave memory behind.
func TestCallLeavesNothing(t *testing.T) {
	gone := make(chan struct{})
	func() {
		in := &struct{ io.Reader }{strings.NewReader("")}
		runtime.AddCleanup(in, func(c chan struct{}) { close(c) }, gone)
		if status := execute(t.Context(), call{args: []string{"help"}}, in, io.Discard, io.Discard); status != exitDone {
			t.Errorf("status %d", status)
		}
	}()
	end := time.Now().Add(10 * time.Second)
	for {
		runtime.GC()
		select {
		case <-gone:
			return
		default:
		}
		if time.Now().After(end) {
			t.Fatal("what a call read from is still held")
		}
		runtime.Gosched()
	}
}
