//go:build unix

package repofile

import (
	"io/fs"
	"syscall"
)

const nonblock = syscall.O_NONBLOCK

// owner is the user ID a file belongs to.
func owner(info fs.FileInfo) (uint32, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return st.Uid, true
}
