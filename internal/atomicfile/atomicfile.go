// Package atomicfile replaces files in one step, inside an os.Root.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Write makes name, a single file name in dir, hold data: a reader sees the
// old bytes or the new ones, never a mixture, also after a power failure. A
// link of that name is replaced, not followed. With perm 0 the file gets 0666
// less the umask, otherwise exactly the permission bits of perm. On error the
// directory is as it was. Beside name it removes what a Write that was killed
// more than a day ago left in dir.
func Write(dir *os.Root, name string, data []byte, perm fs.FileMode) error {
	return WriteIf(dir, name, data, perm, func() error { return nil })
}

// WriteIf is Write, but asks still once the new bytes are on the disk and only
// their name is to be set; an error of it leaves everything as it was.
func WriteIf(dir *os.Root, name string, data []byte, perm fs.FileMode, still func() error) error {
	// The name is our own and short: name itself may already be as long as the
	// file system allows.
	temp := tempPrefix + rand.Text() + tempSuffix
	if err := create(dir, temp, data, perm); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, cause(err)), discard(dir, temp))
	}
	if err := still(); err != nil {
		return errors.Join(err, discard(dir, temp))
	}
	if err := dir.Rename(temp, name); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, cause(err)), discard(dir, temp))
	}
	sweep(dir, time.Now().Add(-abandoned))
	syncDir(dir)
	return nil
}

// cause is err without the name of the temporary file, which tells nobody
// anything.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// Remove removes a file of that name in dir, also from what a power failure
// leaves.
func Remove(dir *os.Root, name string) error {
	if err := dir.Remove(name); err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	syncDir(dir)
	return nil
}

func create(dir *os.Root, temp string, data []byte, perm fs.FileMode) (err error) {
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if perm != 0 {
		if err := f.Chmod(perm.Perm()); err != nil {
			return err
		}
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

func discard(dir *os.Root, temp string) error {
	if err := dir.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncDir makes the rename durable. Some file systems and Windows cannot sync
// a directory; the file is whole either way, so that is no error.
func syncDir(dir *os.Root) {
	d, err := dir.Open(".")
	if err != nil {
		return
	}
	_ = d.Sync()
	_ = d.Close()
}
