package runstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// prepareFile makes sure that an ordinary file is at path which SQLite may
// open, on a local file system, and returns its absolute path, links resolved:
// all who use one database must find the same files beside it. A file that is
// there already may be anybody's and is left as it is.
func prepareFile(path string) (string, error) {
	const op = "open"
	if path == "" {
		return "", &Error{Op: op, Path: `""`, Reason: "no path given", Hint: hintOther}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fileError(op, path, err)
	}
	info, err := os.Stat(abs)
	if errors.Is(err, fs.ErrNotExist) {
		if err := createFile(abs); err != nil {
			return "", fileError(op, abs, err)
		}
		info, err = os.Stat(abs)
	}
	if err != nil {
		return "", fileError(op, abs, err)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	return abs, checkFile(abs, info)
}

func checkFile(path string, info fs.FileInfo) error {
	const op = "open"
	if info.IsDir() {
		return &Error{Op: op, Path: path, Reason: "it is a directory", Hint: hintOther}
	}
	if !info.Mode().IsRegular() {
		return &Error{Op: op, Path: path, Reason: "it is not a regular file", Hint: hintOther}
	}
	if kind := networkFS(filepath.Dir(path)); kind != "" {
		return &Error{Op: op, Path: path, Reason: fmt.Sprintf("it lies on a network file system (%s), where locks and the write-ahead log do not hold", kind), Hint: "choose a local file (agent --db PATH, or AGENT_DB)"}
	}
	if err := writable(path); err != nil {
		return fileError(op, path, err)
	}
	return nil
}

// createFile makes an empty file, mode 0600 whatever the umask; SQLite gives
// its other files the mode of the first. The file appears complete under its
// name: closing a descriptor of a database that another goroutine has opened
// already would drop that one's locks.
func createFile(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // its other name stays
	if err := errors.Join(tmp.Chmod(0o600), tmp.Close()); err != nil {
		return err
	}
	err = os.Link(tmp.Name(), path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without links
		var f *os.File
		if f, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err == nil {
			err = f.Close()
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// narrow takes other users' rights from a database that proved to be ours and
// was made elsewhere. It may not be possible (another owner, a file system
// without modes); then whoever made it so has to decide.
func narrow(path string) {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() == 0o600 {
		return
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Chmod(path+suffix, 0o600)
	}
}

// narrowDir does the same for a directory that is the agent's by its name.
func narrowDir(dir string) {
	if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(dir, 0o700) //nolint:gosec // a directory needs its x
	}
}
