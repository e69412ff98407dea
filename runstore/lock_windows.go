package runstore

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockExclusive takes the lock of an owner. It belongs to the handle, which
// children do not inherit, and ends with the process.
func lockExclusive(f *os.File) error {
	return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
}

// lockShared fails while an owner holds the lock.
func lockShared(f *os.File) error { return lockFile(f, windows.LOCKFILE_FAIL_IMMEDIATELY) }

// lockInTurn waits for the exclusive lock, behind those that waited before.
func lockInTurn(f *os.File) error { return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// unlock gives a lock up before its file is closed.
func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
}

func lockFile(f *os.File, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
}
