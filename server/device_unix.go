//go:build unix

package server

import (
	"os"
	"syscall"
)

// device returns the number of the disk that a folder is on, 0 where it is not known.
func device(dir string) uint64 {
	info, err := os.Stat(dir)
	if err != nil {
		return 0
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Dev) //nolint:unconvert,gosec // an int32 on a Mac
	}
	return 0
}
