package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/triggers/heard"
)

// interruptible returns what comes from in until ctx ends. A read that waits for input then stays
// behind; the process is about to end, and takes it along.
func interruptible(ctx context.Context, in io.Reader) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		_ = w.CloseWithError(err) // it never fails
	}()
	context.AfterFunc(ctx, func() { _ = w.CloseWithError(ctx.Err()) })
	return r
}

// maxLine bounds a line of --jsonl input, in bytes; a longer one ends the command.
const maxLine = 32 << 20

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
	in := bufio.NewScanner(interruptible(ctx, a.in))
	in.Buffer(nil, maxLine)
	out := a.encoder("")
	for n := 1; in.Scan() && ctx.Err() == nil; n++ {
		line := bytes.TrimSpace(in.Bytes())
		if len(line) == 0 {
			continue
		}
		var q struct {
			message
			Text *string `json:"text"`
		}
		if err := json.Unmarshal(line, &q); err != nil || q.Text == nil {
			a.warn(a.word(say(text{"Line %d is not a JSON object with a text and was passed over.", "%d번째 줄은 text가 있는 JSON 객체가 아니어서 건너뛰었습니다."}, n)))
			a.status = exitFailed
			continue
		}
		q.message.Text = *q.Text
		if q.ID == nil {
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
	if err := cmp.Or(ctx.Err(), in.Err()); err != nil {
		return fmt.Errorf("read the queries: %w", err)
	}
	return nil
}

// read returns what is in a file, or for - on standard input, up to a limit.
func (a *app) read(ctx context.Context, name string, limit int64) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(interruptible(ctx, a.in), limit))
	}
	f, err := os.Open(a.abs(name))
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	return io.ReadAll(io.LimitReader(f, limit))
}

// ask is what a command asks of a brain: how it opens it, what it asks, and how the answer reads without --json.
type ask[R any] struct {
	open func(*cobra.Command) (*server.Server, error)
	do   func(s *server.Server, cmd *cobra.Command, list []string) (R, error)
	show func(R)
}

// run carries a command out.
func (q ask[R]) run(a *app) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, list []string) (err error) {
		s, err := q.open(cmd)
		if err != nil {
			return err
		}
		r, err := q.do(s, cmd, list)
		if err != nil {
			return err
		}
		return a.result(r, func() { q.show(r) })
	}
}

// result tells what a command came to: as JSON where that is asked for.
func (a *app) result(r any, show func()) error {
	if a.json {
		return a.printJSON(r)
	}
	show()
	return nil
}

// openTrusted opens the brain for a command that shows what agents get. Where none of it comes to any, that is all
// it says.
func (a *app) openTrusted(cmd *cobra.Command) (*server.Server, error) {
	s, err := a.openReady(cmd.Context(), brain.Config{})
	if err == nil && a.untrusted(cmd.Context(), s) {
		err = errDone
	}
	return s, err
}

// openIndexed opens the brain for a command that needs its index.
func (a *app) openIndexed(cmd *cobra.Command) (*server.Server, error) {
	return a.openReady(cmd.Context(), brain.Config{})
}
