//go:build unix && !linux && !darwin

package find

import "syscall"

// born does not know when a folder was made.
func born(string, *syscall.Stat_t) int64 { return 0 }
