package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"handrail/triggers/heard"
)

// interruptible reads from r until ctx ends. A read that waits for input then stays
// behind; the process is about to end, and takes it along.
type interruptible struct {
	ctx context.Context
	r   io.Reader
	own []byte // what is read goes here first: a read that stays behind may still write to it
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	if len(i.own) < len(p) {
		i.own = make([]byte, len(p))
	}
	own := i.own[:len(p)]
	go func() {
		n, err := i.r.Read(own)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return copy(p, own[:got.n]), got.err
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	}
}

// maxLine bounds a line of --jsonl input, in bytes.
const maxLine = 32 << 20

// readLine returns the next line, or ok false for one longer than limit, which is passed
// over without being kept. The error is the reader's; a last line may come with io.EOF.
func readLine(in *bufio.Reader, limit int) (line []byte, ok bool, err error) {
	ok = true
	for {
		part, err := in.ReadSlice('\n')
		if ok = ok && len(line)+len(part) <= limit; ok {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, ok, err
		}
	}
}

// message is one line of --jsonl input: a text, and the conversation it stands in as far as it is known.
type message struct {
	ID     json.RawMessage `json:"id"`
	Text   string          `json:"text"`
	Before []heard.Said    `json:"before"` // oldest first
	Edited []string        `json:"edited"` // files that the last answer changed
}

// eachLine answers objects from standard input, a line each, in their order. A line that
// cannot be read is named on stderr and the rest go on.
func (a *app) eachLine(ctx context.Context, answer func(message) (any, error)) error {
	in := bufio.NewReaderSize(&interruptible{ctx: ctx, r: a.in}, 64<<10)
	out := a.encoder("")
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, ok, err := readLine(in, maxLine)
		if text := strings.TrimSpace(string(line)); text != "" || !ok {
			var q struct {
				message
				Text *string `json:"text"`
			}
			if bad := json.Unmarshal([]byte(text), &q); bad != nil || q.Text == nil {
				a.warn(a.locale().BadLine(n))
				a.status = exitFailed
			} else {
				if q.message.Text = *q.Text; q.ID == nil {
					q.ID = json.RawMessage("null")
				}
				v, err := answer(q.message)
				if err != nil {
					return err
				}
				if err := out(v); err != nil {
					return fmt.Errorf("write the answers: %w", err)
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the queries: %w", err)
		}
	}
}
