package manifest

import (
	"io/fs"
	"syscall"
)

// system returns what only the system knows of a file.
func system(info fs.FileInfo) (ctime int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctimespec.Nano(), st.Ino
	}
	return 0, 0
}
