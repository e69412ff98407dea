//go:build unix

package cmd

import (
	"os"

	"golang.org/x/sys/unix"
)

// unread reports whether f is a pipe or socket that nobody reads any more.
func unread(f *os.File) bool {
	fds := []unix.PollFd{{Fd: int32(f.Fd())}} //nolint:gosec // file descriptors are small
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
