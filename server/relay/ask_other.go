//go:build !unix

package relay

import (
	"errors"
	"time"
)

// ask leaves everything to the command: without the net package there is no way to a socket.
func ask(string, Event, time.Time) (Reply, error) { return Reply{}, errors.ErrUnsupported }
