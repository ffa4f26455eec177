//go:build unix

package socket

import (
	"fmt"
	"io/fs"
	"os"
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
