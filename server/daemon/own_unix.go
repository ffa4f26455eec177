//go:build unix

package daemon

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// onlyOurs makes sure that a folder is this user's and closed to everybody else.
func onlyOurs(dir string, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("run folder %s: it belongs to another user", dir)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("close the run folder to others: %w", err)
	}
	return nil
}

// closeToOthers lets this user alone speak to a socket.
func closeToOthers(socket string) error { return os.Chmod(socket, 0o600) }

// detach makes a program survive its starter: a session of its own, and none of the files
// that whoever started us may have left open for us. A host that waits for the end of a
// pipe would wait for the daemon.
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
