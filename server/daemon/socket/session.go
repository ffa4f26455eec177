package socket

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// The methods of the socket. A connection begins with Hello; their meaning holds for every
// protocol, so that builds of any age can make room for each other.
const (
	Hello = "hello"
	End   = "end" // a newer build asks the daemon to make room; the result says whether it does
)

// Build says which build of the program a process is, so that the newer one keeps a brain.
type Build struct {
	Version string    `json:"version"`
	Time    time.Time `json:"time"` // of the commit it was built from, else of its file
}

// Newer reports whether b was built later than another one.
func (b Build) Newer(than Build) bool { return b.Time.After(than.Time) }

// Greeting is the parameters of Hello and End.
type Greeting struct {
	Protocol int   `json:"protocol"`
	Build    Build `json:"build"`
	Run      *Run  `json:"run,omitempty"` // what to run on this connection; nil: nothing, somebody only asks who is there
}

// Welcome is the result of Hello.
type Welcome struct {
	Protocol  int   `json:"protocol"`
	Build     Build `json:"build"`
	PID       int   `json:"pid"`
	Elsewhere bool  `json:"elsewhere,omitempty"` // the daemon does not run it: the caller's program is newer
}

// Run is a call of the program that the daemon carries out for another process: what it was
// called with and where. Standard input, output and error follow on the connection.
type Run struct {
	Args    []string `json:"args"`
	Dir     string   `json:"dir"`
	Env     []string `json:"env"`               // "name=value"
	Event   string   `json:"event,omitempty"`   // names an event of a hook, which is then taken once, by this call or from the spool
	Program string   `json:"program,omitempty"` // file of the caller's program, where it could not say its build
}

// maxHead bounds a message beside the streams, in bytes: a long command line and its environment.
const maxHead = 4 << 20

var errMessage = errors.New("the other end does not speak the protocol")

// Refused is the error of a call that the other end answered with one.
type Refused struct{ Message string }

func (e *Refused) Error() string { return e.Message }

// message is a JSON-RPC 2.0 call or the answer to one.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`
}

type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Call makes one call and waits for its result.
func Call(w io.Writer, in *bufio.Reader, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	if err := write(w, message{ID: json.RawMessage("1"), Method: method, Params: raw}); err != nil {
		return err
	}
	for {
		m, err := read(in)
		switch {
		case err != nil:
			return err
		case m.Error != nil:
			return &Refused{m.Error.Message}
		case m.Method == "":
			return json.Unmarshal(m.Result, result)
		}
	}
}

// Read returns the next call.
func Read(in *bufio.Reader) (method string, params json.RawMessage, reply func(w io.Writer, result any, err error) error, err error) {
	m, err := read(in)
	if err != nil {
		return "", nil, nil, err
	}
	return m.Method, m.Params, func(w io.Writer, result any, failed error) error {
		answer := message{ID: m.ID}
		if failed != nil {
			answer.Error = &wireError{-32600, failed.Error()}
			return write(w, answer)
		}
		raw, err := json.Marshal(result)
		if err != nil {
			return err
		}
		answer.Result = raw
		return write(w, answer)
	}, nil
}

func write(w io.Writer, m message) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = w.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...))
	return err
}

func read(in *bufio.Reader) (m message, err error) {
	length := -1
	for {
		line, err := in.ReadSlice('\n') // no longer than the buffer
		if err != nil {
			return m, err
		}
		name, value, found := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		if !found {
			break
		}
		if strings.EqualFold(string(name), "Content-Length") {
			length, err = strconv.Atoi(string(bytes.TrimSpace(value)))
			if err != nil {
				return m, errMessage
			}
		}
	}
	if length < 0 || length > maxHead {
		return m, errMessage
	}
	var body bytes.Buffer // grows with what comes, not with what the header says
	if _, err := io.CopyN(&body, in, int64(length)); err != nil {
		return m, err
	}
	if json.Unmarshal(body.Bytes(), &m) != nil {
		return m, errMessage
	}
	return m, nil
}

// Kind says what a chunk holds. After Hello with a Run both ends send chunks: a byte for the
// kind, four for the length of the data (big endian), the data.
type Kind byte

// The kinds of chunks.
const (
	Stdin  Kind = iota // to the daemon; without data: the end of the input
	Want               // to the client, without data: the program reads its input
	Stdout             // to the client
	Stderr             // to the client
	Exit               // to the client, the last: the status, one byte
	Got                // to the daemon, without data, the last: the client has all of it
)

// MaxChunk is how much data a chunk has at most, in bytes.
const MaxChunk = 64 << 10

// WriteChunk sends data as one kind, in as many chunks as it takes; no data is one chunk.
func WriteChunk(w io.Writer, kind Kind, data []byte) error {
	for {
		part := data[:min(len(data), MaxChunk)]
		head := [5]byte{byte(kind)}
		binary.BigEndian.PutUint32(head[1:], uint32(len(part)))
		if _, err := w.Write(append(head[:], part...)); err != nil {
			return err
		}
		data = data[len(part):]
		if len(data) == 0 {
			return nil
		}
	}
}

// ReadChunk returns the next chunk. Its data is the caller's.
func ReadChunk(in io.Reader) (Kind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return 0, nil, err
	}
	length := binary.BigEndian.Uint32(head[1:])
	if length > MaxChunk || Kind(head[0]) > Got {
		return 0, nil, errMessage
	}
	data := make([]byte, length)
	_, err := io.ReadFull(in, data)
	return Kind(head[0]), data, err
}
