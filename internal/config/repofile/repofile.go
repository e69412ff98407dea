// Package repofile reads files of a repository whose author is not trusted: no
// link is followed, nothing but regular files is opened, and no file is read
// beyond a limit.
package repofile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// What Read refuses. Errors of Read wrap one of these, fs.ErrNotExist, or the
// error of the system.
var (
	ErrLink      = errors.New("is a symbolic link, and links are not followed here")
	ErrIrregular = errors.New("is not a regular file")
	ErrTooLarge  = errors.New("is too large")
	ErrSwapped   = errors.New("was exchanged while it was opened")
)

// Read returns the bytes of the regular file at rel, slash-separated and below
// root. Each component is looked at and opened by itself, and what was opened
// must be what was looked at: a link put there in between is not followed. A
// file of more than limit bytes is ErrTooLarge. Special files are neither read
// nor waited for.
func Read(root *os.Root, rel string, limit int64) ([]byte, error) {
	if !fs.ValidPath(rel) || rel == "." {
		return nil, fmt.Errorf("read %q: %w", rel, fs.ErrInvalid)
	}
	dir, err := root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	parts := strings.Split(rel, "/")
	for i, name := range parts[:len(parts)-1] {
		next, err := enter(dir, name)
		dir.Close()
		if err != nil {
			return nil, fmt.Errorf("read %s: %s: %w", rel, strings.Join(parts[:i+1], "/"), err)
		}
		dir = next
	}
	defer dir.Close()
	data, err := readFile(dir, parts[len(parts)-1], limit)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", rel, err)
	}
	return data, nil
}

// enter opens the directory name of dir, which must not be a link.
func enter(dir *os.Root, name string) (*os.Root, error) {
	info, err := dir.Lstat(name)
	switch {
	case err != nil:
		return nil, cause(err)
	case info.Mode().Type() == fs.ModeSymlink:
		return nil, ErrLink
	case !info.IsDir():
		return nil, fs.ErrNotExist
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, cause(err)
	}
	now, err := next.Stat(".")
	if err == nil && !os.SameFile(info, now) {
		err = ErrSwapped
	}
	if err != nil {
		next.Close()
		return nil, cause(err)
	}
	return next, nil
}

func readFile(dir *os.Root, name string, limit int64) ([]byte, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, cause(err)
	}
	if err := readable(info, limit); err != nil {
		return nil, err
	}
	// A FIFO put there in between must not be waited for.
	f, err := dir.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	now, err := f.Stat()
	if err == nil && !os.SameFile(info, now) {
		err = ErrSwapped
	}
	if err != nil {
		return nil, cause(err)
	}
	return readAll(f, limit)
}

func readable(info fs.FileInfo, limit int64) error {
	switch {
	case info.Mode().Type() == fs.ModeSymlink:
		return ErrLink
	case !info.Mode().IsRegular():
		return ErrIrregular
	case info.Size() > limit:
		return fmt.Errorf("%w: %d bytes, at most %d are read", ErrTooLarge, info.Size(), limit)
	}
	return nil
}

// readAll holds the limit for files that grow while they are read, too.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, cause(err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	}
	return data, nil
}

// cause drops the path of a path error; Read names it.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
