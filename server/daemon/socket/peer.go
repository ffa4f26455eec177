package socket

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// ErrStranger says that the other end of a connection, or the folder of the daemon, is another user's.
var ErrStranger = errors.New("it belongs to another user")

// CheckPeer makes sure that the other end of a socket is this very user's, else it returns
// an error around ErrStranger. Both ends ask: a daemon whom it serves, a client to whom it
// tells prompts. Connections that are no sockets, such as a test's pipe, have no other user.
func CheckPeer(conn net.Conn) error {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	var uid int
	var known bool
	var asked error
	if err == nil {
		err = raw.Control(func(fd uintptr) { uid, known, asked = peerUser(fd) })
	}
	if err := cmp.Or(err, asked); err != nil {
		return fmt.Errorf("ask who is there: %w", err)
	}
	return sameUser(uid, known, os.Geteuid())
}

func sameUser(uid int, known bool, own int) error {
	if known && uid != own {
		return fmt.Errorf("user %d: %w", uid, ErrStranger)
	}
	return nil
}
