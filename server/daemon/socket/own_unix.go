//go:build unix

package socket

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/handrail-dev/handrail/lessons/find"
)

// writable is W_OK of access(2).
const writable = 2

// onlyOurs makes sure that a folder is this user's, closed to everybody else, and can be written to.
func onlyOurs(dir string, info fs.FileInfo) error {
	if !find.IsOwn(info) {
		return fmt.Errorf("folder %s: %w", dir, ErrStranger)
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
