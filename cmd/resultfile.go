package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/file"
	"github.com/seed-3e5a1d81/agent/cmd/report"
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
	if o.SuspendedOK && code == exit.Suspended {
		return exit.OK
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
	path, err := file.Replaceable("--result", dir, name, report.Begins)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return exit.Usagef("--result %s: %v", name, file.Cause(err))
	}
	o.Result = path
	return nil
}

// write writes the final object, in one step.
func (o *outcomeFlags) write(r report.Final) error {
	if o.Result == "" {
		return nil
	}
	path := o.Result
	o.Result = "" // once, also where it fails
	data, err := text.JSON(r)
	if err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return file.Write("result", path, data)
}
