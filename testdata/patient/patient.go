// Package patient gives a program that speaks JSON-RPC its input as a host does: open until all of it is answered, and
// without exit before that.
package patient

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"sync"
)

var answered = regexp.MustCompile(`"id":[^,{}]+,"(?:result|error)":`)

// Input returns an input that goes on to exit, or ends, once the output has an answer to each of its requests.
func Input(in string, out io.Writer) (io.Reader, io.Writer) {
	at := len(in)
	if exit := strings.Index(in, `"method":"exit"`); exit >= 0 {
		at = max(strings.LastIndex(in[:exit], "Content-Length"), 0)
		if at == 0 { // a message a line
			at = strings.LastIndex(in[:exit], "\n") + 1
		}
	}
	t := &talk{out: out, done: make(chan struct{})}
	for line := range strings.Lines(in) {
		if strings.Contains(line, `"id":`) && strings.Contains(line, `"method":`) {
			t.open++
		}
	}
	t.look()
	return io.MultiReader(strings.NewReader(in[:at]), t, strings.NewReader(in[at:])), t
}

type talk struct {
	done chan struct{} // closed when all is answered

	mu   sync.Mutex // guards those below
	end  sync.Once
	out  io.Writer
	said bytes.Buffer
	open int
}

// Read has nothing to say, and waits until it may.
func (t *talk) Read([]byte) (int, error) {
	<-t.done
	return 0, io.EOF
}

func (t *talk) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said.Write(p)
	n, err := t.out.Write(p)
	t.look()
	return n, err
}

// look sees whether all is answered.
func (t *talk) look() {
	if len(answered.FindAllIndex(t.said.Bytes(), -1)) >= t.open {
		t.end.Do(func() { close(t.done) })
	}
}
