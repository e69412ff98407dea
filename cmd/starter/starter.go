// Package starter writes the configuration files to start from, in which every
// setting is explained and switched off.
package starter

import (
	_ "embed" // the files are written as they are
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/config/repofile"
)

//go:embed user.toml
var userTemplate string

//go:embed project.toml
var projectTemplate string

// User writes the user's file, which others have no business to read. It names
// the model, "" for none. A file that exists is fs.ErrExist and left as it is.
func User(path, model string) error {
	if path == "" {
		return exit.Configf("write configuration: neither XDG_CONFIG_HOME nor HOME is set")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return exit.Configf("write configuration: %v", err)
	}
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return exit.Configf("write configuration: %v", err)
	}
	defer dir.Close()
	return createFile(dir, filepath.Base(path), withModel(userTemplate, model), 0o600)
}

// Project writes the file of the project a workspace belongs to, and returns its
// path. A file that exists is fs.ErrExist. A repository may hold a link in its
// place, or in place of its directory: nothing is written through one.
func Project(workspace string) (string, error) {
	root := repofile.Root(workspace)
	path := filepath.Join(root, filepath.FromSlash(config.ProjectPath))
	top, err := os.OpenRoot(root)
	if err != nil {
		return path, fmt.Errorf("write configuration: %w", err)
	}
	defer top.Close()
	name := filepath.Dir(filepath.FromSlash(config.ProjectPath))
	if err := top.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return path, fmt.Errorf("write configuration: %w", err)
	}
	if info, err := top.Lstat(name); err != nil || !info.IsDir() {
		return path, exit.Configf("write configuration: %s in %s is a link or no directory", name, root)
	}
	dir, err := top.OpenRoot(name)
	if err != nil {
		return path, fmt.Errorf("write configuration: %w", err)
	}
	defer dir.Close()
	return path, createFile(dir, filepath.Base(path), projectTemplate, 0o666)
}

// createFile writes a new file; one that exists, a link that leads nowhere
// included, is fs.ErrExist.
func createFile(dir *os.Root, name, content string, perm fs.FileMode) (err error) {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	defer func() {
		if closing := f.Close(); err == nil && closing != nil {
			err = fmt.Errorf("write configuration: %w", closing)
		}
	}()
	if _, err := f.WriteString(content); err != nil {
		return errors.Join(fmt.Errorf("write configuration: %w", err), dir.Remove(name))
	}
	return nil
}

// withModel is a template with its model set. JSON's texts are TOML's.
func withModel(template, id string) string {
	if id == "" {
		return template
	}
	quoted, err := json.Marshal(id)
	if err != nil {
		return template // no text fails to be quoted
	}
	return strings.Replace(template, "\n#model = \"demo\"\n", "\nmodel = "+string(quoted)+"\n", 1)
}
