// Package file finds, checks and writes the files that a command line names.
package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/internal/atomicfile"
)

// Stdout is the name by which programs mean stdout.
const Stdout = "-"

// At is a path as it is meant in the directory base.
func At(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// Cause is the cause of a path error without the path, which the caller has
// named in full.
func Cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Exists reports whether there is something of this path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Replaceable checks that a file a flag names can be written, and that nothing
// is lost but what ours recognizes by how it begins. It returns the path.
func Replaceable(flag, dir, name string, ours func(data []byte) bool) (string, error) {
	if name == Stdout {
		return "", exit.Usagef("%s -: name a file: stdout is for results (./- is the file of that name)", flag)
	}
	path := At(dir, name)
	if info, err := os.Stat(filepath.Dir(path)); err != nil {
		return "", exit.Usagef("%s %s: %v", flag, name, Cause(err))
	} else if !info.IsDir() {
		return "", exit.Usagef("%s %s: %s is not a directory", flag, name, filepath.Dir(path))
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil
	case err != nil:
		return "", exit.Usagef("%s %s: %v", flag, name, Cause(err))
	case !info.Mode().IsRegular():
		return "", exit.Usagef("%s %s: not a regular file", flag, name)
	}
	data, err := begin(path)
	if err != nil {
		return "", exit.Usagef("%s %s: %v", flag, name, Cause(err))
	}
	if len(data) > 0 && !ours(data) {
		return "", exit.Hintf(exit.Usagef("%s %s: there is something else of that name, which is not replaced", flag, name), "remove it, or name another file")
	}
	return path, nil
}

// begin reads as much of a file as tells what it is.
func begin(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<20))
}

// Write replaces a file in one step; it is readable by its owner alone. what is
// the word for it in errors.
func Write(what, path string, data []byte) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	defer dir.Close()
	if err := atomicfile.Write(dir, filepath.Base(path), data, 0o600); err != nil {
		return fmt.Errorf("write %s in %s: %w", what, filepath.Dir(path), err)
	}
	return nil
}
