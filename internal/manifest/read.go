package manifest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// How much content one look reads. Files beyond are known as touched.
const (
	maxRead      = 64 << 20
	maxReadFiles = 2000
)

// read takes over the sums of files that were not touched, and reads those that
// were.
func (m *Manifest) read(ctx context.Context, dir string, previous *Manifest) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return // without sums a touched file stays touched
	}
	defer root.Close()
	left, files := int64(maxRead), maxReadFiles
	each(previous.Entries, m.Entries, func(was, is *Entry) {
		switch {
		case is == nil || !is.Mode.IsRegular():
		case was != nil && !was.touched(*is):
			is.Sum = was.Sum
		case is.Size <= left && files > 0 && ctx.Err() == nil:
			left, files = left-is.Size, files-1
			if sum, err := contentSum(root, *is); err == nil {
				is.Sum = sum
			}
		}
	})
}

var errElse = errors.New("is not what was looked at")

// contentSum reads a file, if it is still the one that was looked at.
func contentSum(root *os.Root, e Entry) (string, error) {
	f, err := root.OpenFile(filepath.FromSlash(e.Path), os.O_RDONLY|syscall.O_NONBLOCK, 0) // a fifo would block
	if err != nil {
		return "", err
	}
	defer f.Close()
	same := func() error {
		info, err := f.Stat()
		if err == nil && entryOf(e.Path, info) != e {
			err = errElse
		}
		return err
	}
	if err := same(); err != nil {
		return "", err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, e.Size+1)); err != nil {
		return "", err
	}
	if err := same(); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
