package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// What openDir and openFile refuse.
var (
	errLink      = errors.New("is a symbolic link; only real files and directories are taken here")
	errNoDir     = errors.New("is not a directory")
	errDirectory = errors.New("is a directory")
	errIrregular = errors.New("is not a regular file")
	errSwapped   = errors.New("was exchanged while it was opened")
)

// openDir opens the directory at rel, slash-separated and below root, without
// following a link at any component: each is looked at and opened by itself,
// and what was opened must be what was looked at. With create, missing
// directories are made. The caller closes what it gets.
func openDir(root *os.Root, rel string, create bool) (*os.Root, error) {
	dir, err := root.OpenRoot(".")
	if err != nil || rel == "." {
		return dir, err
	}
	for i, name := range strings.Split(rel, "/") {
		next, _, err := enter(dir, name, create)
		_ = dir.Close() // opened for reading
		if err != nil {
			return nil, placed(path.Join(strings.Split(rel, "/")[:i+1]...), err)
		}
		dir = next
	}
	return dir, nil
}

// placed says of which path err is. Our own errors go on behind its name.
func placed(name string, err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return fmt.Errorf("%s: %w", name, fault.Err)
	}
	return fmt.Errorf("%s %w", name, err)
}

func enter(dir *os.Root, name string, create bool) (*os.Root, fs.FileInfo, error) {
	info, err := dir.Lstat(name)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := dir.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, nil, err
		}
		info, err = dir.Lstat(name)
	}
	switch {
	case err != nil:
		return nil, nil, err
	case info.Mode().Type() == fs.ModeSymlink:
		return nil, nil, errLink
	case !info.IsDir():
		return nil, nil, errNoDir
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, nil, err
	}
	now, err := next.Stat(".")
	if err == nil && !os.SameFile(info, now) {
		err = errSwapped
	}
	if err != nil {
		_ = next.Close() // opened for reading
		return nil, nil, err
	}
	return next, now, nil
}

// openFile opens the regular file at rel for reading, following no link.
func openFile(root *os.Root, rel string) (*os.File, fs.FileInfo, error) {
	dir, err := openDir(root, path.Dir(rel), false)
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	f, info, err := openIn(dir, path.Base(rel))
	if err != nil {
		return nil, nil, fmt.Errorf("%s %w", rel, err)
	}
	return f, info, nil
}

// openIn opens the regular file of that name in dir, following no link.
func openIn(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	info, err := regular(dir, name)
	if err != nil {
		return nil, nil, err
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, nil, err
	}
	now, err := f.Stat()
	if err == nil && !os.SameFile(info, now) {
		err = errSwapped
	}
	if err != nil {
		_ = f.Close() // opened for reading
		return nil, nil, err
	}
	return f, now, nil
}

// regular looks at name without following it; only a regular file passes.
func regular(dir *os.Root, name string) (fs.FileInfo, error) {
	info, err := dir.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().Type() == fs.ModeSymlink:
		return nil, errLink
	case info.IsDir():
		return nil, errDirectory
	case !info.Mode().IsRegular():
		return nil, errIrregular
	}
	return info, nil
}
