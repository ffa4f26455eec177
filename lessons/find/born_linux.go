package find

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// born returns when a folder was made, in nanoseconds, 0 where the disk does not say.
func born(dir string, _ *syscall.Stat_t) int64 {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_BTIME, &st); err != nil || st.Mask&unix.STATX_BTIME == 0 {
		return 0
	}
	return st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
}
