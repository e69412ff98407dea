//go:build unix

package runstore

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockExclusive takes the lock of an owner. It belongs to the open file, which
// children do not inherit (os opens with O_CLOEXEC), and ends with the process.
func lockExclusive(f *os.File) error { return flock(f, unix.LOCK_EX|unix.LOCK_NB) }

// lockShared fails while an owner holds the lock.
func lockShared(f *os.File) error { return flock(f, unix.LOCK_SH|unix.LOCK_NB) }

// lockInTurn waits for the exclusive lock, behind those that waited before.
func lockInTurn(f *os.File) error { return flock(f, unix.LOCK_EX) }

// unlock gives a lock up before its file is closed.
func unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if err != unix.EINTR {
			return err
		}
	}
}
