package cmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/file"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/report"
	"github.com/seed-3e5a1d81/agent/internal/gitdir"
	"github.com/seed-3e5a1d81/agent/internal/runfile"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/tools"
)

type importOptions struct {
	actorFlags
	File string
}

const importLong = `Take over a run that "agent export" wrote, to go on with it in this workspace.
FILE may be - for stdin.

Plan files the workspace lacks are written again. Nobody owns the run; what was
granted in it is not granted here, a call that was approved and not run yet is
denied, and no project is trusted because of it. If the workspace stands at
another commit than the run began with, that is said. A run of the same ID is
never replaced.

The file is checked against its digests, but nobody vouches for what it says:
import runs of people whose plans you would approve.`

const importExample = `  agent import run.jsonl
  ssh build agent export latest | agent import -
  agent import run.jsonl -C ~/src/app --output json`

func newImportCmd(w *wiring) *cobra.Command {
	opts := &importOptions{}
	c := &cobra.Command{
		Use: "import FILE", Short: "Take over a run that was exported", Long: importLong, Example: importExample,
		Args: argsOf(cobra.ExactArgs(1)), ValidArgsFunction: completeExport,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.File = args[0]
			return importRun(cmd.Context(), w, opts)
		},
	}
	opts.add(c)
	return c
}

// completeExport offers files that may be exported runs.
func completeExport(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{"jsonl"}, cobra.ShellCompDirectiveFilterFileExt
}

func importRun(ctx context.Context, w *wiring, opts *importOptions) error {
	if err := refuseInside(w.io, "importing a run"); err != nil {
		return err
	}
	workspace, err := w.workspace()
	if err == nil {
		err = recordable(workspace)
	}
	if err != nil {
		return err
	}
	run, err := w.readRun("import", opts.File)
	if err != nil {
		return err
	}
	plans, err := planCopies(run)
	if err != nil {
		return err
	}
	s, err := w.recorder(ctx, &opts.actorFlags)
	if err != nil {
		return err
	}
	defer s.close()
	here := gitdir.Commit(workspace)
	st, err := s.agent.Adopt(ctx, agent.Adoption{
		Events: run.Events, Blobs: run.Blobs, Workspace: workspace, Project: gitdir.Project(workspace), BaseCommit: here,
		Source: run.Digest, By: s.by, Via: viaFlag,
	})
	switch {
	case errors.Is(err, agent.ErrRunExists):
		hint := next.Run{Prefix: w.prefix(), ID: run.ID}.Command("show").Text
		return s.finish(ctx, run.ID, exit.Hintf(err, "it was left as it is: %s", hint))
	case err != nil && agent.Code(err) == "":
		return unreadable("import", opts.File, err)
	case err != nil:
		return err
	}
	done := imported{Restored: w.restore(ctx, workspace, plans, run), BaseCommit: commitThere{st.Run.BaseCommit, here}}
	return s.showImport(ctx, run.ID, done)
}

func unreadable(verb, file string, err error) error {
	return exit.Hintf(exit.Refusef("invalid_export", "%s %s: %v", verb, file, err), "write one with: agent export RUNID --file FILE")
}

// readRun reads an exported run, whole and checked. verb is what for.
func (w *wiring) readRun(verb, name string) (runfile.Run, error) {
	in := w.io.In
	if name != fromStdin {
		f, err := os.Open(file.At(w.io.Dir, name))
		if err != nil {
			return runfile.Run{}, exit.Usagef("%s %s: %v", verb, name, file.Cause(err))
		}
		defer f.Close()
		in = f
	}
	if in == nil {
		return runfile.Run{}, exit.Usagef("%s -: stdin is closed", verb)
	}
	run, err := runfile.Read(in)
	var unread *fs.PathError
	if errors.As(err, &unread) {
		return run, exit.Usagef("%s %s: %v", verb, name, unread.Err)
	}
	if err != nil {
		return run, unreadable(verb, name, err)
	}
	if run.Redacted {
		return run, unreadable(verb, name, errors.New("it was exported with --redact: its texts are left out, and it cannot go on"))
	}
	return run, nil
}

// planCopy is a plan of an imported run, and the bytes it was shown as.
type planCopy struct {
	path   string
	source []byte
}

// planCopies are the plans of a run as they were last submitted. One whose path
// leads out of the workspace makes the file none of ours; so does one whose
// text is not there.
func planCopies(run runfile.Run) ([]planCopy, error) {
	st, err := agent.Fold(run.Events)
	if err != nil {
		return nil, exit.Refusef("invalid_export", "import run %s: %v", run.ID, err)
	}
	last := map[string]planCopy{}
	for _, p := range st.Plans() {
		if p.Digest == "" {
			continue // of a tool that read no file
		}
		at := slices.IndexFunc(run.Blobs, func(b []byte) bool { return agent.Digest(b) == p.Digest })
		if !filepath.IsLocal(filepath.FromSlash(p.Path)) || at < 0 {
			return nil, exit.Refusef("invalid_export", "import run %s: plan %q: it leads out of the workspace, or its text is missing", run.ID, p.Path)
		}
		last[p.Path] = planCopy{p.Path, run.Blobs[at]}
	}
	var out []planCopy
	for _, p := range last {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b planCopy) int { return bytes.Compare([]byte(a.path), []byte(b.path)) })
	return out, nil
}

// restore writes the plan files the workspace lacks and returns their paths.
// What cannot be written is told: the run is there, and a plan that is approved
// is written again then.
func (w *wiring) restore(ctx context.Context, workspace string, plans []planCopy, run runfile.Run) []string {
	restored := []string{}
	cfg, err := w.configuration(workspace, false)
	if err != nil {
		w.tell("warning: no plan file was written: " + err.Error())
		return restored
	}
	dir := tools.PlanDir{Dir: cfg.PlansDir.Value}
	for _, p := range plans {
		_, err := dir.ReadPlan(ctx, run.ID, workspace, p.path)
		if errors.Is(err, fs.ErrNotExist) {
			err = dir.RestorePlan(ctx, workspace, agent.PlanFile{Path: p.path, Source: p.source})
			if err == nil {
				restored = append(restored, p.path)
				continue
			}
		}
		if err != nil {
			w.tell(fmt.Sprintf("warning: %v", err))
		}
	}
	return restored
}

// commitThere is the commit a run began with, and the one the workspace stands
// at; "" where there is none.
type commitThere struct {
	Then string `json:"then"`
	Now  string `json:"now"`
}

func (c commitThere) moved() bool { return c.Then != "" && c.Then != c.Now }

// imported is what import adds to the final object.
type imported struct {
	Restored   []string    `json:"restored"` // plan files that were written
	BaseCommit commitThere `json:"baseCommit"`
}

// importedRun is the JSON of import.
type importedRun struct {
	report.Final
	imported
}

func (s *session) showImport(ctx context.Context, runID string, done imported) error {
	for _, p := range done.Restored {
		s.tell("restored " + text.Field(p, 200))
	}
	if done.BaseCommit.moved() {
		s.tell(fmt.Sprintf("warning: the run began at commit %s, this workspace stands at %s", done.BaseCommit.Then, cmp.Or(done.BaseCommit.Now, "none")))
	}
	if !s.w.g.machine() {
		return s.recorded(ctx, runID, 0, nil)
	}
	o, err := outcomeOf(ctx, s.store, runID, s.w.prefix(), nil, nil)
	if err != nil {
		return err
	}
	o.code = exit.OK
	r := importedRun{o.report(), done}
	if s.w.g.Output == outputJSONL {
		return printJSON(s.w.io.Out, resultLine{Type: "result", Payload: r})
	}
	return printJSON(s.w.io.Out, r)
}
