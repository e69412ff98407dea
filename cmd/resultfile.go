package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/file"
	"github.com/seed-3e5a1d81/agent/cmd/report"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// outcomeFlags are those of commands that leave a run somewhere: how a script
// learns where.
type outcomeFlags struct {
	Result      string // file the final object is wanted in, as it was named; "" for none
	SuspendedOK bool

	looked bool   // at whether it may be written there
	path   string // where it will be written, "" for nowhere
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
	o.looked = true
	if o.Result == "" {
		return nil
	}
	path, err := file.Replaceable("--result", dir, o.Result, report.Begins)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return exit.Usagef("--result %s: %v", o.Result, file.Cause(err))
	}
	o.path = path
	return nil
}

// prepareRefused prepares for the result of a command line that was refused
// before its command began: what a script reads there must not be of an earlier
// one. A second fault, of the file, waits until the first is mended.
func (o *outcomeFlags) prepareRefused(root *cobra.Command, dir string, args []string) {
	c, _, err := root.Find(args)
	if o.looked || err != nil || c.Flags().Lookup("result") == nil {
		return
	}
	o.Result = cmp.Or(o.Result, lastOf(args, resultAt))
	_ = o.prepare(dir)
}

// resultAt reads one argument as outputAt does, for --result.
func resultAt(arg string) (value string, spelled, taken bool) {
	name, value, inside := strings.Cut(arg, "=")
	return value, name == "--result", name == "--result" && !inside
}

// write writes the final object, in one step.
func (o *outcomeFlags) write(r report.Final) error {
	if o.path == "" {
		return nil
	}
	path := o.path
	o.path = "" // once, also where it fails
	data, err := text.JSON(r)
	if err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return file.Write("result", path, data)
}
