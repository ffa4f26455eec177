package find

import "syscall"

// born returns when a folder was made, in nanoseconds.
func born(_ string, st *syscall.Stat_t) int64 { return st.Birthtimespec.Nano() }
