//go:build unix

package daemon

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// closeToOthers lets this user alone speak to a socket.
func closeToOthers(socket string) error { return os.Chmod(socket, 0o600) }

// detach makes a program survive its starter: a session of its own, and none of the files that whoever started us may
// have left open for us. A host that waits for the end of a pipe would wait for the daemon.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // no such folder here: nothing to go by
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
