// Package patient gives a program that speaks JSON-RPC, a message a line, its input as a host does: open until all of
// it is answered.
package patient

import (
	"bytes"
	"io"
	"sync"
)

// Input returns an input that ends once the output has an answer to each of its requests.
func Input(in string, out io.Writer) (io.Reader, io.Writer) {
	t := &talk{in: bytes.NewReader([]byte(in)), out: out, answered: make(chan struct{})}
	for line := range bytes.Lines([]byte(in)) {
		if bytes.Contains(line, []byte(`"id":`)) && bytes.Contains(line, []byte(`"method":`)) {
			t.open++
		}
	}
	t.answer(0)
	return reader{t}, t
}

type talk struct {
	in       *bytes.Reader
	answered chan struct{}
	end      sync.Once

	mu   sync.Mutex // guards those below
	out  io.Writer
	open int
}

type reader struct{ *talk }

func (r reader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if err != nil {
		<-r.answered
	}
	return n, err
}

func (t *talk) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := t.out.Write(p)
	t.answer(bytes.Count(p, []byte("\n")))
	return n, err
}

// answer counts answers, a line each.
func (t *talk) answer(n int) {
	t.open -= n
	if t.open <= 0 {
		t.end.Do(func() { close(t.answered) })
	}
}
