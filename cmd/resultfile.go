package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/internal/atomicfile"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// outcomeFlags are those of commands that leave a run somewhere: how a script
// learns where.
type outcomeFlags struct {
	Result      string // file that the final object is written to, "" for none
	SuspendedOK bool
}

func (o *outcomeFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Result, "result", "", "write the final object, as --output json prints it, to this file too")
	f.BoolVar(&o.SuspendedOK, "suspended-ok", false, "exit 0 instead of 3 when the run waits for you")
	_ = c.MarkFlagFilename("result", "json")
}

// code is the exit code of a command, as the flags want it.
func (o *outcomeFlags) code(code int) int {
	if o.SuspendedOK && code == exitSuspended {
		return exitOK
	}
	return code
}

// prepare checks, before anything happens, that the result can be written and
// that nothing but an earlier result would be lost. That is taken away: what
// lies there afterwards is of this command.
func (o *outcomeFlags) prepare(dir string) error {
	if o.Result == "" {
		return nil
	}
	name := o.Result
	o.Result = "" // not to be written until it may be
	path := absolute(dir, name)
	if info, err := os.Stat(filepath.Dir(path)); err != nil {
		return usagef("--result %s: %v", name, pathCause(err))
	} else if !info.IsDir() {
		return usagef("--result %s: %s is not a directory", name, filepath.Dir(path))
	}
	data, err := readRegular(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return usagef("--result %s: %v", name, pathCause(err))
	case len(data) > 0 && !isResult(data):
		return hintf(usagef("--result %s: there is something else of that name, and only a result is replaced", name), "remove it, or name another file")
	default:
		if err := os.Remove(path); err != nil {
			return usagef("--result %s: %v", name, pathCause(err))
		}
	}
	o.Result = path
	return nil
}

func readRegular(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func isResult(data []byte) bool {
	var r struct {
		Version  int
		RunID    *string
		ExitCode *int
	}
	return json.Unmarshal(data, &r) == nil && r.Version > 0 && r.RunID != nil && r.ExitCode != nil
}

// write writes the final object, in one step.
func (o *outcomeFlags) write(r report) error {
	if o.Result == "" {
		return nil
	}
	path := o.Result
	o.Result = "" // once, also where it fails
	data, err := text.JSON(r)
	if err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	defer dir.Close()
	if err := atomicfile.Write(dir, filepath.Base(path), data, 0o600); err != nil {
		return fmt.Errorf("write result in %s: %w", filepath.Dir(path), err)
	}
	return nil
}
