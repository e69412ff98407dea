//go:build unix

package sandbox

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByUser reports whether a file is this user's.
func ownedByUser(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
