package runstore

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockExclusive takes the lock of an owner. It belongs to the handle, which
// children do not inherit, and ends with the process.
func lockExclusive(f *os.File) error { return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// lockShared fails while an owner holds the lock.
func lockShared(f *os.File) error { return lockFile(f, 0) }

func lockFile(f *os.File, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), flags|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
}
