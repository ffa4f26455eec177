//go:build !unix

package server

import "os"

// device returns 1 for a folder that is there: a disk that is not has no root.
func device(dir string) uint64 {
	if _, err := os.Stat(dir); err != nil {
		return 0
	}
	return 1
}
