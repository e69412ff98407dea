package tools

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-3e5a1d81/agent/agent"
)

// maxFile is the largest file that is edited, searched or hashed. Of larger
// ones read_file shows parts without recording them as read.
const maxFile = 16 << 20

// maxLinks is how many links one path may go through, as on Linux.
const maxLinks = 40

var (
	errOutside  = errors.New("lies outside the workspace; only files of the workspace are open to this tool")
	errTooLarge = errors.New("is larger than 16 MiB, too large for this tool: read_file shows parts of it, a command can change or search it") // maxFile
)

// workspace is the directory tree a call may touch. Paths in it are relative,
// slash-separated and real: no component is a link.
type workspace struct {
	root   *os.Root
	dir    string // as the run names it
	real   string // dir with its own links resolved
	denied denied
}

// openWorkspace opens the workspace of a call; the caller closes it.
func openWorkspace(call agent.Call, closed Closed) (*workspace, error) {
	if call.Workspace == "" {
		return nil, errors.New("this run has no workspace, so there are no files")
	}
	root, err := os.OpenRoot(call.Workspace)
	if err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", call.Workspace, err)
	}
	dir := filepath.Clean(call.Workspace)
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		_ = root.Close() // opened for reading
		return nil, fmt.Errorf("open workspace %s: %w", call.Workspace, err)
	}
	w := &workspace{root: root, dir: dir, real: resolved, denied: newDenied(closed)}
	if err := w.denied.around(resolved); err != nil {
		w.close()
		return nil, fmt.Errorf("workspace %s: %w", call.Workspace, err)
	}
	return w, nil
}

func (w *workspace) close() { _ = w.root.Close() } // opened for reading

// locate returns the real path of what p names, following links as long as
// they stay inside. The last components need not exist. Paths that leave the
// workspace, or that are denied, are refused.
func (w *workspace) locate(p string) (string, error) {
	rel, err := w.relative(p)
	if err != nil {
		return "", fmt.Errorf("%s %w", p, err)
	}
	resolved, err := w.resolve(rel)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p, err)
	}
	return resolved, nil
}

// relative is p relative to the workspace, by its text alone.
func (w *workspace) relative(p string) (string, error) {
	if strings.ContainsRune(p, 0) {
		return "", errors.New("is no file name")
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(w.dir, p)
	}
	for _, base := range []string{w.dir, w.real} {
		rel, err := filepath.Rel(base, p)
		if err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), nil
		}
	}
	return "", errOutside
}

// resolve replaces links by what they lead to, one component at a time.
func (w *workspace) resolve(rel string) (string, error) {
	done, todo, links := ".", strings.Split(rel, "/"), 0
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..": // only out of a link
			if done == "." {
				return "", errOutside
			}
			done = path.Dir(done)
			continue
		}
		next := path.Join(done, name)
		info, err := w.root.Lstat(next)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if err := w.deny(next, info); err != nil {
			return "", err
		}
		if info == nil || info.Mode().Type() != fs.ModeSymlink {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", errors.New("goes through too many links")
		}
		base, rest, err := w.follow(next)
		if err != nil {
			return "", err
		}
		if base {
			done = "."
		}
		todo = append(rest, todo...)
	}
	return done, nil
}

// follow reads a link: the components it leads to, and whether they start at
// the workspace rather than beside the link.
func (w *workspace) follow(link string) (fromRoot bool, rest []string, err error) {
	target, err := w.root.Readlink(link)
	if err != nil {
		return false, nil, err
	}
	if filepath.IsAbs(target) {
		fromRoot = true
		if target, err = w.relative(target); err != nil {
			return false, nil, fmt.Errorf("is a link that %w", err)
		}
	}
	return fromRoot, strings.Split(filepath.ToSlash(target), "/"), nil
}

// deny refuses what no tool may reach. Info may be nil.
func (w *workspace) deny(rel string, info fs.FileInfo) error {
	return w.denied.refuses(filepath.Join(w.real, filepath.FromSlash(rel)), rel, info)
}

// readAll reads the whole regular file at a real path, up to maxFile.
func (w *workspace) readAll(rel string) ([]byte, fs.FileInfo, error) {
	dir, err := openDir(w.root, path.Dir(rel), false)
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	data, info, err := readIn(dir, path.Base(rel))
	if err != nil {
		return nil, nil, fmt.Errorf("%s %w", rel, err)
	}
	return data, info, nil
}

// readIn reads the whole regular file of that name in dir, up to maxFile.
func readIn(dir *os.Root, name string) ([]byte, fs.FileInfo, error) {
	f, info, err := openIn(dir, name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := readInto(nil, f, info.Size())
	return data, info, err
}

// readInto reads the whole file, up to maxFile, into buf as far as that is large
// enough. Size is what the file was said to have.
func readInto(buf []byte, f io.Reader, size int64) ([]byte, error) {
	if size > maxFile {
		return nil, errTooLarge
	}
	buf = slices.Grow(buf[:0], int(size)+1) // one more, to meet the end without growing
	for {
		room := cap(buf) - len(buf)
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case err == nil && n < room && size > 0 && int64(len(buf)) == size:
			return buf, nil // as it was said to be; one more call would tell the same
		case len(buf) > maxFile: // it grew, or its size is not told
			return nil, errTooLarge
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return nil, err
		case len(buf) == cap(buf):
			buf = slices.Grow(buf, len(buf))
		}
	}
}

// printable is a path as the model may be shown it: on one line, and so that it
// can be told from others.
func printable(name string) string {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Sprintf("%q", name)
	}
	return name
}
