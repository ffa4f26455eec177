package socket

import "syscall"

// peerUser returns the user at the other end of a socket.
func peerUser(fd uintptr) (uid int, known bool, err error) {
	cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return 0, true, err
	}
	return int(cred.Uid), true, nil
}
