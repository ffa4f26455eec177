package main

import (
	"bufio"
	"errors"
	"net"
	"time"

	"github.com/handrail-dev/handrail/server/daemon/socket"
)

// exitElsewhere is the status of a daemon's program that leaves the event to this machine's.
const exitElsewhere = 75

var errElsewhere = errors.New("the daemon does not answer this event")

// ask has the daemon of a brain run "handrail hook" with the payload as its input, and
// returns what it printed. It has to greet until then; the answer may take until end.
func ask(place socket.Place, run socket.Run, payload []byte, until, end time.Time) (out []byte, err error) {
	note, _ := place.Owner()
	if note.Protocol != socket.Protocol {
		return nil, errElsewhere
	}
	dialer := net.Dialer{Deadline: until}
	conn, err := dialer.Dial("unix", note.Socket)
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // the process ends; a daemon at work gives up then
	if err := errors.Join(socket.CheckPeer(conn), conn.SetDeadline(until)); err != nil {
		return nil, err
	}
	in := bufio.NewReader(conn)
	there, err := socket.Greet(conn, in, socket.Greeting{Protocol: socket.Protocol, Run: &run})
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(end) // fails on a closed connection alone
	if there.Protocol != socket.Protocol {
		return nil, errElsewhere
	}
	if err := errors.Join(socket.WriteChunk(conn, socket.Stdin, payload), socket.WriteChunk(conn, socket.Stdin, nil)); err != nil {
		return nil, err
	}
	for {
		switch kind, data, err := socket.ReadChunk(in); {
		case err != nil:
			return nil, err
		case kind == socket.Stdout:
			out = append(out, data...)
		case kind == socket.Exit && len(data) == 1 && data[0] == exitElsewhere:
			return nil, errElsewhere
		case kind == socket.Exit:
			_ = socket.WriteChunk(conn, socket.Got, nil) // a daemon that has gone does not count
			return out, nil
		}
	}
}
