//go:build unix

package config

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile waits for the lock on f, which closing it gives back.
func lockFile(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
