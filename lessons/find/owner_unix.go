//go:build unix

package find

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// IsOwn reports whether a file belongs to the user of this process.
func IsOwn(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// owned reports whether a folder, and the link that leads to it, is this user's. What is root's
// counts where nobody else may write to it.
func owned(dir string) bool {
	for _, stat := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		info, err := stat(dir)
		if err != nil {
			return false
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		const others = 0o022 // those who are not the owner may write
		if !ok || int(st.Uid) != os.Geteuid() && (st.Uid != 0 || info.IsDir() && info.Mode().Perm()&others != 0) {
			return false
		}
	}
	return true
}

// Identity returns what a folder is, whatever its name and place: the number of its inode and when
// that was made, which neither an archive nor a clone can bring along. "" for no folder.
func Identity(dir string) string {
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%x-%x", st.Ino, born(dir, st))
}
