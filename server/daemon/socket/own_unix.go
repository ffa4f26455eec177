//go:build unix

package socket

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// writable is W_OK of access(2).
const writable = 2

// onlyOurs makes sure that a folder is this user's, closed to everybody else, and can be written to.
func onlyOurs(dir string, info fs.FileInfo) error {
	if err := ours(dir, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("close a folder to others: %w", err)
		}
	}
	if err := syscall.Access(dir, writable); err != nil { // a disk that is read alone
		return fmt.Errorf("write to %s: %w", dir, err)
	}
	return nil
}

// ours makes sure that a folder is this user's.
func ours(dir string, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("folder %s: %w", dir, ErrStranger)
	}
	return nil
}
