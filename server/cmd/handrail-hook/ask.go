package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"time"

	"handrail/server/daemon/socket"
	"handrail/server/relay"
)

// maxReply bounds a message of the daemon's; an answer is a block of some thousand
// characters.
const maxReply = 1 << 20

var errNoReply = errors.New("the daemon does not answer events")

// ask hands an event to the daemon at a socket and waits for its reply.
func ask(path string, e relay.Event, until time.Time) (r relay.Reply, err error) {
	dialer := net.Dialer{Deadline: until}
	conn, err := dialer.Dial("unix", path)
	if err != nil {
		return r, err
	}
	defer conn.Close() //nolint:errcheck // the process ends; a daemon at work gives up then
	if err := errors.Join(socket.CheckPeer(conn), conn.SetDeadline(until)); err != nil {
		return r, err
	}
	in := bufio.NewReader(conn)

	var there struct{ Protocol int }
	if err := exchange(conn, in, 1, "hello", fmt.Appendf(nil, `{"protocol":%d}`, socket.Protocol), &there); err != nil {
		return r, err
	}
	if there.Protocol != socket.Protocol {
		return r, errNoReply
	}
	params, err := json.Marshal(e)
	if err != nil {
		return r, err
	}
	err = exchange(conn, in, 2, relay.Method, params, &r)
	return r, err
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
		case *m.ID != id || len(m.Error) > 0:
			return errNoReply
		default:
			return json.Unmarshal(m.Result, result)
		}
	}
}

// message reads one message.
func message(in *bufio.Reader) ([]byte, error) {
	head, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	length, err := strconv.Atoi(head.Get("Content-Length"))
	if err != nil || length < 0 || length > maxReply {
		return nil, errNoReply
	}
	body := make([]byte, length)
	_, err = io.ReadFull(in, body)
	return body, err
}
