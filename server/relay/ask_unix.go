//go:build unix

package relay

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"handrail/server/daemon/socket"
)

// maxReply bounds a message of the daemon's; an answer is a block of some thousand
// characters.
const maxReply = 1 << 20

var (
	errStranger = errors.New("the other end belongs to another user")
	errRefused  = errors.New("the daemon does not answer events")
	errNoReply  = errors.New("that is no reply")
)

// ask hands an event to the daemon at a socket and waits for its reply.
func ask(path string, e Event, until time.Time) (Reply, error) {
	conn, err := dial(path)
	if err != nil {
		return Reply{}, err
	}
	defer conn.Close() //nolint:errcheck // the process ends; a daemon at work gives up then
	if err := conn.SetDeadline(until); err != nil {
		return Reply{}, err
	}
	in := bufio.NewReader(conn)

	hello, err := json.Marshal(map[string]any{"protocol": socket.Protocol})
	if err != nil {
		return Reply{}, err
	}
	var there struct{ Protocol int }
	if err := exchange(conn, in, 1, "hello", hello, &there); err != nil {
		return Reply{}, err
	}
	if there.Protocol != socket.Protocol {
		return Reply{}, errNoReply
	}
	payload := e.Payload
	e.Payload = json.RawMessage("0")
	head, err := json.Marshal(e)
	if err != nil {
		return Reply{}, err
	}
	// The payload is the last member and known to be good; it is not read once more.
	params := append(head[:len(head)-len("0}")], payload...)
	var r Reply
	err = exchange(conn, in, 2, Method, append(params, '}'), &r)
	return r, err
}

// dial connects to a socket of this very user's.
func dial(path string) (*os.File, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	if err = syscall.SetNonblock(fd, true); err == nil {
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: path}) // at once, or not at all
	}
	var uid int
	var known bool
	if err == nil {
		uid, known, err = socket.PeerUser(uintptr(fd))
	}
	if err == nil && known && uid != os.Geteuid() {
		err = errStranger
	}
	if err != nil {
		return nil, errors.Join(err, syscall.Close(fd))
	}
	return os.NewFile(uintptr(fd), path), nil
}

// exchange makes one call.
func exchange(conn io.Writer, in *bufio.Reader, id int, method string, params []byte, result any) error {
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	if _, err := conn.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)); err != nil {
		return err
	}
	for {
		raw, err := message(in)
		if err != nil {
			return err
		}
		var m struct {
			ID     *int
			Result json.RawMessage
			Error  json.RawMessage
		}
		switch err := json.Unmarshal(raw, &m); {
		case err != nil:
			return err
		case m.ID == nil: // a notification
		case *m.ID != id:
			return errNoReply
		case len(m.Error) > 0:
			return errRefused
		default:
			return json.Unmarshal(m.Result, result)
		}
	}
}

// message reads one message.
func message(in *bufio.Reader) ([]byte, error) {
	length := -1
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		if value, ok := strings.CutPrefix(text, "Content-Length:"); ok {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return nil, err
			}
		}
	}
	if length < 0 || length > maxReply {
		return nil, errNoReply
	}
	body := make([]byte, length)
	_, err := io.ReadFull(in, body)
	return body, err
}
