//go:build darwin || freebsd

package socket

import "golang.org/x/sys/unix"

// peerUser returns the user at the other end of a socket.
func peerUser(fd uintptr) (uid int, known bool, err error) {
	cred, err := unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, true, err
	}
	return int(cred.Uid), true, nil
}
