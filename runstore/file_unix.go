//go:build unix

package runstore

import (
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// writable asks without opening: closing a descriptor of a database would drop
// the locks this process holds on it.
func writable(path string) error {
	for _, p := range []string{path, filepath.Dir(path)} {
		if err := unix.Access(p, unix.W_OK); err != nil {
			return &fs.PathError{Op: "write", Path: p, Err: err}
		}
	}
	return nil
}
