package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/file"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/internal/runfile"
)

type exportOptions struct {
	Run    string
	File   string
	Redact bool
}

const exportLong = `Write a run to stdout or a file, with everything it takes to go on elsewhere:
its journal, its plans and what files held before it changed them. "agent import"
reads it on another machine, or in another job of a pipeline.

The file holds what you and the agent said and what it read; secrets of your
environment were masked when they were recorded. --redact replaces every text by
its length, for a report about how a run went: such a file cannot be imported.

A run that a process drives cannot be exported: "agent wait" waits for it.`

const exportExample = `  agent export latest >run.jsonl
  agent export 0192abcd --file run.jsonl
  agent export latest --redact --file report.jsonl`

func newExportCmd(w *wiring) *cobra.Command {
	opts := &exportOptions{}
	c := &cobra.Command{
		Use: "export RUNID", Short: "Write a run to a file, to go on elsewhere", Long: exportLong, Example: exportExample,
		Args: argsOf(cobra.ExactArgs(1)), ValidArgsFunction: w.completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Run = args[0]
			return exportRun(cmd.Context(), w, opts)
		},
	}
	f := c.Flags()
	f.StringVar(&opts.File, "file", "", "write to this file, in one step; an earlier export there is replaced; - is stdout, as without the flag")
	f.BoolVar(&opts.Redact, "redact", false, "leave out every text; the file then only tells how the run went")
	_ = c.MarkFlagFilename("file", "jsonl")
	return c
}

func exportRun(ctx context.Context, w *wiring, opts *exportOptions) error {
	path := ""
	if opts.File != "" && opts.File != file.Stdout {
		var err error
		if path, err = file.Replaceable("--file", w.io.Dir, opts.File, runfile.Begins); err != nil {
			return err
		}
	}
	f, err := w.find(ctx, opts.Run)
	if err != nil {
		return err
	}
	defer f.store.Close() //nolint:errcheck // only read
	if f.snap.Current() == agent.StatusRunning && f.snap.Owner != nil {
		err := &agent.BusyError{RunID: f.snap.ID, Owner: *f.snap.Owner}
		return exit.Hintf(err, "wait for it: %s", next.Run{Prefix: w.prefix(), ID: f.snap.ID}.Command("wait").Text)
	}
	run, err := f.travelling(ctx, w)
	if err == nil && opts.Redact {
		run, err = runfile.Redact(run)
	}
	if err != nil {
		return err
	}
	if path == "" {
		return writeRun(w.io.Out, run)
	}
	var data bytes.Buffer
	if err := writeRun(&data, run); err != nil {
		return err
	}
	return file.Write("export", path, data.Bytes())
}

func writeRun(out io.Writer, run runfile.Run) error {
	if err := runfile.Write(out, run); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// travelling is a run with all that is kept for it.
func (f *found) travelling(ctx context.Context, w *wiring) (runfile.Run, error) {
	run := runfile.Run{ID: f.snap.ID, ExportedAt: w.io.Now().UTC(), Events: f.snap.Events}
	digests, err := f.store.Digests(ctx, run.ID)
	if err != nil {
		return run, fmt.Errorf("export: %w", err)
	}
	for _, d := range digests {
		data, err := f.store.Blob(ctx, d)
		if err != nil {
			return run, fmt.Errorf("export: %w", err)
		}
		run.Blobs = append(run.Blobs, data)
	}
	return run, nil
}
