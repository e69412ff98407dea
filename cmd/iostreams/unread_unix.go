//go:build unix

package iostreams

import (
	"os"

	"golang.org/x/sys/unix"
)

// unread reports whether f is a pipe or socket that nobody reads any more. A
// file that is closed meanwhile is not mistaken for another that got its number.
func unread(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	left := false
	err = conn.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd)}} //nolint:gosec // file descriptors are small
		n, err := unix.Poll(fds, 0)
		left = err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
	})
	return err == nil && left
}
