package socket

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Build says which build of the program a process is: the newer one keeps a brain.
type Build struct {
	Version string    `json:"version"`
	Time    time.Time `json:"time"` // of the commit it was built from, else of its file
}

// Greeting is what a client says first: who it is, and what it wants.
type Greeting struct {
	Protocol int   `json:"protocol"`
	Build    Build `json:"build"`
	Run      *Run  `json:"run,omitempty"` // what to run on this connection; nil: nothing, somebody only asks who is there
}

// Welcome is what the daemon answers.
type Welcome struct {
	Protocol int   `json:"protocol"`
	Build    Build `json:"build"`
	PID      int   `json:"pid"`
	Ends     bool  `json:"ends,omitempty"` // the daemon makes room for a newer build, and runs nothing
}

// Run is a call of the program that the daemon carries out for another process: what it was
// called with and where. Standard input, output and error follow on the connection.
type Run struct {
	Args  []string `json:"args"`
	Dir   string   `json:"dir"`
	Env   []string `json:"env"`             // "name=value"
	Event string   `json:"event,omitempty"` // names an event of a hook, which is then taken once, by this call or from the spool
}

// maxHead bounds a greeting, in bytes: a long command line and its environment.
const maxHead = 4 << 20

var errMessage = errors.New("the other end does not speak the protocol")

// ErrLost says that a daemon ended before the program it ran came to its end.
var ErrLost = errors.New("the daemon ended before it answered")

// Conn is one end of a connection. Several may send at once.
type Conn struct {
	net.Conn
	In *bufio.Reader

	mu sync.Mutex // one chunk at a time
}

// NewConn returns one end of a connection.
func NewConn(c net.Conn) *Conn { return &Conn{Conn: c, In: bufio.NewReaderSize(c, 32<<10)} }

// Dial connects to a daemon of this user's, and greets it until ctx ends.
func Dial(ctx context.Context, path string, g Greeting) (c *Conn, there Welcome, err error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, there, fmt.Errorf("greet the daemon: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	c, err = NewConn(conn), CheckPeer(conn)
	if err == nil {
		there, err = c.Greet(g)
	}
	if err != nil {
		return nil, there, fmt.Errorf("greet the daemon: %w", errors.Join(err, conn.Close()))
	}
	return c, there, nil
}

// Greet sends a greeting and returns the answer.
func (c *Conn) Greet(g Greeting) (there Welcome, err error) {
	if err := Send(c, g); err != nil {
		return there, err
	}
	kind, raw, err := ReadChunk(c.In)
	if err == nil && kind != Hello {
		err = errMessage
	}
	if err == nil {
		err = json.Unmarshal(raw, &there)
	}
	return there, err
}

// Pipe passes the streams on until the program ends, and returns its exit status. The input
// is read only if the program reads it. When ctx ends it hangs up and returns ctx's error; ErrLost
// says that the daemon ended, and that nobody knows what the program did.
func (c *Conn) Pipe(ctx context.Context, in io.Reader, out, errw io.Writer) (status int, err error) {
	defer c.Close() //nolint:errcheck // whatever came of it, it is over
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	for {
		kind, data, err := ReadChunk(c.In)
		if err != nil {
			return 1, cmp.Or(ctx.Err(), fmt.Errorf("%w: %w", ErrLost, err))
		}
		switch kind {
		case Want:
			go c.feed(in) // until the input ends; a terminal's read cannot be broken off
		case Stdout:
			_, err = out.Write(data)
		case Stderr:
			_, err = errw.Write(data)
		case Exit:
			if len(data) == 1 {
				_ = c.Send(Got, nil) // a daemon that has gone does not count
				return int(data[0]), nil
			}
			return 1, ErrLost
		}
		if err != nil {
			return 1, fmt.Errorf("write what the program said: %w", err)
		}
	}
}

// feed sends the input.
func (c *Conn) feed(in io.Reader) {
	_, _ = io.Copy(Stream{c, Stdin}, in) // a daemon that has gone shows in Pipe
	_ = c.Send(Stdin, nil)
}

// Stream is one of a program's streams, to the end at which it is read.
type Stream struct {
	Conn *Conn
	Kind Kind
}

// Write sends data. None is not sent: that would be the end of an input.
func (s Stream) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := s.Conn.Send(s.Kind, p); err != nil {
		return 0, fmt.Errorf("write to the other end: %w", err)
	}
	return len(p), nil
}

// Send sends data as one kind.
func (c *Conn) Send(kind Kind, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return WriteChunk(c, kind, data)
}

// Send sends a greeting or the answer to one.
func Send(w io.Writer, message any) error {
	raw, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return writeChunk(w, Hello, raw)
}

// ReadGreeting returns what a client says before it runs something.
func ReadGreeting(in io.Reader) (g Greeting, err error) {
	kind, raw, err := ReadChunk(in)
	if err == nil && (kind != Hello || json.Unmarshal(raw, &g) != nil) {
		err = errMessage
	}
	return g, err
}

// Kind says what a chunk holds. Both ends send chunks: a byte for the kind, four for the length of the data (big
// endian), the data. A connection begins with Hello, whose meaning holds for every protocol, so that builds
// of any age can make room for each other; the others follow a Hello with a Run.
type Kind byte

// The kinds of chunks.
const (
	Stdin  Kind = iota // to the daemon; without data: the end of the input
	Want               // to the client, without data: the program reads its input
	Stdout             // to the client
	Stderr             // to the client
	Exit               // to the client, the last: the status, one byte
	Got                // to the daemon, without data, the last: the client has all of it
	Hello              // a Greeting, and the Welcome that answers it
)

// MaxChunk is how much data a chunk has at most, in bytes.
const MaxChunk = 64 << 10

// WriteChunk sends data as one kind, in as many chunks as it takes; no data is one chunk.
func WriteChunk(w io.Writer, kind Kind, data []byte) error {
	for {
		part := data[:min(len(data), MaxChunk)]
		if err := writeChunk(w, kind, part); err != nil {
			return err
		}
		data = data[len(part):]
		if len(data) == 0 {
			return nil
		}
	}
}

func writeChunk(w io.Writer, kind Kind, data []byte) error {
	head := [5]byte{byte(kind)}
	binary.BigEndian.PutUint32(head[1:], uint32(len(data)))
	_, err := w.Write(append(head[:], data...))
	return err
}

// ReadChunk returns the next chunk. Its data is the caller's.
func ReadChunk(in io.Reader) (Kind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return 0, nil, err
	}
	kind, most := Kind(head[0]), uint32(MaxChunk)
	if kind == Hello {
		most = maxHead
	}
	length := binary.BigEndian.Uint32(head[1:])
	if length > most || kind > Hello {
		return 0, nil, errMessage
	}
	data := make([]byte, length)
	_, err := io.ReadFull(in, data)
	return kind, data, err
}
