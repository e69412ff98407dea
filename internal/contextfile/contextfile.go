// Package contextfile loads what a repository and its user want every model to
// know: AGENTS.md, else CLAUDE.md, of each directory from the repository root
// down to the workspace, and one file of the user. The repository's author is
// not trusted: only regular files inside it are read, none through a link.
package contextfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/config/repofile"
)

// Limits in bytes: of one file, and of all together.
const (
	MaxFile = 64 << 10
	maxAll  = 256 << 10
)

// Places says where to look.
type Places struct {
	// Root is the root of the repository and Workspace the directory the run
	// works in, Root itself or below; both absolute, without links. Root ""
	// means Workspace.
	Root, Workspace string
	// User is the user's own file, which may be a link; "": none.
	User string
}

// File is one file that was found. One that could not be taken has a Notice
// that says why, and neither Digest nor Text.
type File struct {
	Path   string // relative to the root, slashes; the user's file: absolute
	Digest string // of the bytes, as agent.Digest
	Size   int    // of the file, in bytes
	Text   string // without invisible characters, lines end in "\n"
	Notice string // one sentence for the person; "" if there is nothing to tell
}

// loaded reports whether the file's text is part of the context.
func (f File) loaded() bool { return f.Digest != "" }

// Load reads the files in the order a model is to read them: the user's, then
// from the root down. A file that is missing is left out, one that cannot be
// taken is in the list with its Notice. The error means that Places are wrong
// or the root cannot be opened.
func Load(p Places) ([]File, error) {
	if p.Root == "" {
		p.Root = p.Workspace
	}
	dirs, err := between(p.Root, p.Workspace)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return nil, fmt.Errorf("load context files of %s: %w", p.Root, err)
	}
	defer root.Close()
	var files []File
	if f, ok := userFile(p.User); ok {
		files = append(files, f)
	}
	for _, dir := range dirs {
		files = append(files, inDir(root, dir)...)
	}
	return bounded(files), nil
}

// between lists the directories from root down to workspace, relative to root.
func between(root, workspace string) ([]string, error) {
	rel, err := filepath.Rel(root, workspace)
	if err != nil || !filepath.IsLocal(rel) || !filepath.IsAbs(root) {
		return nil, fmt.Errorf("load context files: workspace %s is not below %s", workspace, root)
	}
	dirs := []string{"."}
	if rel == "." {
		return dirs, nil
	}
	dir := ""
	for _, name := range strings.Split(filepath.ToSlash(rel), "/") {
		dir = path.Join(dir, name)
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// inDir reads the file of one directory. Where AGENTS.md cannot be taken, as
// when it is a link to CLAUDE.md, that is told and CLAUDE.md is tried.
func inDir(root *os.Root, dir string) []File {
	var files []File
	for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
		rel := path.Join(dir, name)
		data, err := repofile.Read(root, rel, MaxFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		f := fileOf(rel, data, err)
		files = append(files, f)
		if f.loaded() {
			break
		}
	}
	return files
}

// userFile reads the user's own file, following links: dotfiles are often kept
// elsewhere.
func userFile(file string) (File, bool) {
	if file == "" {
		return File{}, false
	}
	real, err := filepath.EvalSymlinks(file)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, false
	}
	if err != nil {
		return fileOf(file, nil, err), true
	}
	dir, err := os.OpenRoot(filepath.Dir(real))
	if err != nil {
		return fileOf(file, nil, err), true
	}
	defer dir.Close()
	data, err := repofile.Read(dir, filepath.Base(real), MaxFile)
	return fileOf(file, data, err), true
}

func fileOf(name string, data []byte, err error) File {
	text := string(data)
	switch {
	case err != nil:
		return File{Path: name, Notice: fmt.Sprintf("%s was not loaded: %v", name, reason(err))}
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return File{Path: name, Size: len(data), Notice: name + " was not loaded: it is not UTF-8 text"}
	}
	f := File{Path: name, Digest: agent.Digest(data), Size: len(data)}
	var stripped int
	if f.Text, stripped = visible(text); stripped > 0 {
		f.Notice = fmt.Sprintf("%s: invisible characters removed: %d", name, stripped)
	}
	return f
}

// reason leaves out what the notice has named.
func reason(err error) error {
	for _, known := range []error{repofile.ErrLink, repofile.ErrIrregular, repofile.ErrSwapped} {
		if errors.Is(err, known) {
			return fmt.Errorf("it %w", known)
		}
	}
	if errors.Is(err, repofile.ErrTooLarge) {
		return fmt.Errorf("it %w, at most %d KiB are read", repofile.ErrTooLarge, MaxFile>>10)
	}
	return err
}

// bounded drops what goes beyond maxAll, the files furthest down last to come.
func bounded(files []File) []File {
	sum := 0
	for i, f := range files {
		if sum+len(f.Text) > maxAll {
			files[i] = File{Path: f.Path, Size: f.Size, Notice: fmt.Sprintf(
				"%s was not loaded: the context files together have more than %d KiB", f.Path, maxAll>>10)}
			continue
		}
		sum += len(f.Text)
	}
	return files
}
