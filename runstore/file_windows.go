package runstore

import "os"

// writable tells a read-only file; Windows has no more to ask beforehand.
func writable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return &os.PathError{Op: "write", Path: path, Err: os.ErrPermission}
	}
	return nil
}
