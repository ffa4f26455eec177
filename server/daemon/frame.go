package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
)

const (
	maxHeader = 4 << 10  // bytes of all header lines of one message; ours have one line
	maxBody   = 96 << 20 // bytes of one message: what an editor may send (64 MiB), escaped once more
	keepRoom  = 1 << 20  // a buffer that grew beyond it for a rare large message is not kept
)

// errTooLarge says that a message was not sent because nobody would read it.
var errTooLarge = errors.New("message is too large")

// marshal is json.Marshal without escapes for HTML: an answer about a web page would grow
// beyond what is sent.
func marshal(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// stream frames JSON-RPC messages with a Content-Length, as LSP does. Reading is for one
// goroutine, writing for many.
type stream struct {
	conn net.Conn
	in   *bufio.Reader
	max  int // bytes of one message

	mu  sync.Mutex // one message at a time; guards out
	out []byte
}

func newStream(conn net.Conn) *stream {
	return &stream{conn: conn, in: bufio.NewReaderSize(conn, 32<<10), max: maxBody}
}

// read returns the next message. After any error the stream is of no more use: whoever
// sends what cannot be read is no client of ours.
func (s *stream) read() (jsonrpc2.Message, error) {
	n, err := s.header()
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer // grows with what really comes, not with what the header says
	body.Grow(min(n, keepRoom) + bytes.MinRead)
	if _, err := io.CopyN(&body, s.in, int64(n)); err != nil {
		return nil, fmt.Errorf("read a message: %w", err)
	}
	msg, err := jsonrpc2.DecodeMessage(body.Bytes())
	if err != nil {
		return nil, fmt.Errorf("read a message: %w", err)
	}
	return msg, nil
}

func (s *stream) header() (length int, err error) {
	length = -1
	for seen := 0; ; {
		line, err := s.in.ReadSlice('\n')
		if seen += len(line); err != nil {
			return 0, err
		}
		if seen > maxHeader {
			return 0, jsonrpc2.ErrInvalidHeader
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, _ := strings.Cut(text, ":")
		if !strings.EqualFold(name, "Content-Length") {
			continue
		}
		if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
			return 0, jsonrpc2.ErrInvalidHeader
		}
	}
	if length < 0 {
		return 0, jsonrpc2.ErrInvalidHeader
	}
	if length > s.max {
		return 0, fmt.Errorf("read a message of %d bytes: %w", length, errTooLarge)
	}
	return length, nil
}

// write sends the message that add appends, or nothing when it is too large. It gives up
// when ctx ends; after any other error than errTooLarge the stream is of no more use.
func (s *stream) write(ctx context.Context, add func([]byte) []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	// The length comes first and is known last: leave room and fill it from the right.
	const room = len("Content-Length: 9223372036854775807\r\n\r\n")
	buf := add(append(s.out[:0], make([]byte, room)...))
	if s.out = buf; cap(buf) > keepRoom {
		s.out = nil
	}
	if len(buf)-room > s.max {
		return fmt.Errorf("send a message of %d bytes: %w", len(buf)-room, errTooLarge)
	}
	header := "Content-Length: " + strconv.Itoa(len(buf)-room) + "\r\n\r\n"
	start := room - len(header)
	copy(buf[start:], header)
	if ctx.Done() != nil {
		var over sync.WaitGroup
		over.Add(1)
		stop := context.AfterFunc(ctx, func() {
			defer over.Done()
			_ = s.conn.SetWriteDeadline(time.Unix(1, 0)) // fails on a closed connection alone
		})
		defer func() {
			if !stop() { // it may have come too late for this message and must not hit the next
				over.Wait()
				_ = s.conn.SetWriteDeadline(time.Time{})
			}
		}()
	}
	if _, err := s.conn.Write(buf[start:]); err != nil {
		return fmt.Errorf("send a message: %w", err)
	}
	return nil
}
