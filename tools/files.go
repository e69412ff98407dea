package tools

import (
	"fmt"
	"io/fs"
	"path"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/atomicfile"
)

// Files are the files of workspaces for agent.Undo, under the rules of
// write_file and edit_file: inside the workspace, through no link, nothing that
// is closed to the tools or protected, at most 16 MiB.
type Files struct{ Closed Closed }

var _ agent.Files = Files{}

// ReadFile implements agent.Files.
func (f Files) ReadFile(dir, rel string) ([]byte, fs.FileMode, error) {
	w, err := f.open(dir, rel)
	if err != nil {
		return nil, 0, err
	}
	defer w.close()
	data, info, err := w.readAll(rel)
	if err != nil {
		return nil, 0, err
	}
	return data, info.Mode().Perm(), nil
}

// WriteFile implements agent.Files.
func (f Files) WriteFile(dir, rel string, data []byte, perm fs.FileMode) error {
	w, err := f.open(dir, rel)
	if err != nil {
		return err
	}
	defer w.close()
	parent, err := openDir(w.root, path.Dir(rel), true)
	if err != nil {
		return fmt.Errorf("write %s: %w", rel, err)
	}
	defer parent.Close()
	return atomicfile.Write(parent, path.Base(rel), data, perm)
}

// RemoveFile implements agent.Files.
func (f Files) RemoveFile(dir, rel string) error {
	w, err := f.open(dir, rel)
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.remove(rel); err != nil {
		return err
	}
	for above := path.Dir(rel); above != "."; above = path.Dir(above) {
		if w.remove(above) != nil { // not empty, as a rule
			break
		}
	}
	return nil
}

// remove removes a file, or a directory that is empty.
func (w *workspace) remove(rel string) error {
	dir, err := openDir(w.root, path.Dir(rel), false)
	if err != nil {
		return fmt.Errorf("remove %s: %w", rel, err)
	}
	defer dir.Close()
	return atomicfile.Remove(dir, path.Base(rel))
}

// open opens the workspace for one file, which must be named by its real path.
func (f Files) open(dir, rel string) (*workspace, error) {
	w, err := openWorkspace(agent.Call{Workspace: dir}, f.Closed)
	if err != nil {
		return nil, err
	}
	if err := w.own(rel); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// own refuses what no tool writes, and other names of files.
func (w *workspace) own(rel string) error {
	located, err := w.locate(rel)
	switch {
	case err != nil:
		return err
	case located != rel:
		return fmt.Errorf("%s goes through a link", rel)
	case protected(rel) != "":
		return fmt.Errorf("%s is protected: %s", rel, protected(rel))
	}
	return nil
}
