//go:build unix

package runstore

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockExclusive takes the lock of an owner. It belongs to the open file, which
// children do not inherit (os opens with O_CLOEXEC), and ends with the process.
func lockExclusive(f *os.File) error { return flock(f, unix.LOCK_EX) }

// lockShared fails while an owner holds the lock.
func lockShared(f *os.File) error { return flock(f, unix.LOCK_SH) }

func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		if err != unix.EINTR {
			return err
		}
	}
}
