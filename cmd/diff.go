package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/file"
	"github.com/seed-3e5a1d81/agent/cmd/patch"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/manifest"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/tools"
)

type diffOptions struct {
	Run      string
	Paths    []string
	Stat     bool
	NameOnly bool
	Raw      bool
}

const diffLong = `Show what a run changed in the workspace: every file its tools wrote, from before
the first change to after the last, out of the database. What was taken back with
agent undo is not shown. Files that changed since are named on stderr.

What shell commands of the run changed is not in the patch: nothing keeps what was
there before. These files are named on stderr, with all else that changed while the
run was at work; in a git repository "git diff" shows what they hold.

PATH is a file or directory, as the diff names it or from the current directory.
Piped, invisible characters are marked as on a terminal; --raw leaves them, for
git apply.`

const diffExample = `  agent diff latest
  agent diff latest --stat
  agent diff 0192abcd src/
  agent diff latest --raw | git apply -R`

func newDiffCmd(w *wiring) *cobra.Command {
	opts := &diffOptions{}
	c := &cobra.Command{
		Use: "diff RUNID [PATH…]", Short: "Show what a run changed in files", Long: diffLong, Example: diffExample,
		Args: argsOf(cobra.MinimumNArgs(1)), ValidArgsFunction: w.completeChanged,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Run, opts.Paths = args[0], args[1:]
			return diffRun(cmd.Context(), w, opts)
		},
	}
	f := c.Flags()
	f.BoolVar(&opts.Stat, "stat", false, "show how many lines changed in each file")
	f.BoolVar(&opts.NameOnly, "name-only", false, "show only the names of the files")
	f.BoolVar(&opts.Raw, "raw", false, "print the patch as it is, to be applied")
	return c
}

// runDiff is the JSON of diff.
type runDiff struct {
	RunID     string                `json:"runId"`
	Workspace string                `json:"workspace"`
	Files     []patch.File          `json:"files"`
	Others    []manifest.Difference `json:"others"` // changed meanwhile, not by the run's tools
}

func diffRun(ctx context.Context, w *wiring, opts *diffOptions) error {
	if err := opts.contradiction(w.g); err != nil {
		return err
	}
	f, err := w.find(ctx, opts.Run)
	if err != nil {
		return err
	}
	defer f.store.Close() //nolint:errcheck // only read
	d, err := w.compareRun(ctx, f, opts.Paths)
	if err == nil {
		d.Others, err = w.othersOf(ctx, f)
	}
	switch {
	case err != nil:
		return err
	case w.g.machine():
		return printJSON(w.io.Out, d)
	}
	if err := w.printDiff(opts, d); err != nil {
		return err
	}
	w.noteDiff(f.state, d)
	w.noteOthers(d.Others)
	return nil
}

func (o *diffOptions) contradiction(g *globals) error {
	switch {
	case o.Stat && o.NameOnly, o.Stat && o.Raw, o.NameOnly && o.Raw:
		return exit.Usagef("--stat, --name-only and --raw contradict each other: use one of them")
	case o.Raw && g.machine():
		return exit.Usagef("--raw and --output %s contradict each other: the JSON holds the patches as they are", g.Output)
	}
	return nil
}

// compareRun compares what the run changed.
func (w *wiring) compareRun(ctx context.Context, f *found, paths []string) (runDiff, error) {
	run := f.state.Run
	d := runDiff{RunID: run.ID, Workspace: run.Workspace, Files: []patch.File{}}
	changes := f.state.Changes()
	chosen, err := w.choosePaths(run, changes, paths)
	if err != nil {
		return d, err
	}
	files, unread := w.files(run.Workspace)
	slices.SortFunc(changes, func(a, b agent.FileChange) int { return strings.Compare(a.Path, b.Path) })
	for _, c := range changes {
		if !chosen(c.Path) {
			continue
		}
		one, err := patch.Of(ctx, f.store, c)
		if err != nil {
			return d, fmt.Errorf("compare %s: %w", c.Path, err)
		}
		one.Now, one.Mixed = "unknown", f.state.Mixed(c.Path)
		if unread == nil { // a broken configuration is no reason not to show what is stored
			one.Now = nowOf(files, run.Workspace, c)
		}
		d.Files = append(d.Files, one)
	}
	return d, nil
}

// nowOf says how the file in the workspace stands to what the run left.
func nowOf(files agent.Files, workspace string, c agent.FileChange) string {
	data, _, err := files.ReadFile(workspace, c.Path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing && c.After == "", err == nil && agent.Digest(data) == c.After:
		return "same"
	case missing:
		if _, err := os.Stat(workspace); err != nil {
			return "unknown"
		}
		return "removed"
	case err == nil:
		return "changed"
	}
	return "unknown"
}

// files are the files of a workspace under the rules of the tools.
func (w *wiring) files(workspace string) (tools.Files, error) {
	cfg, err := w.configuration(workspace, false)
	if err != nil {
		return tools.Files{}, err
	}
	db, err := w.dbPath()
	if err != nil {
		return tools.Files{}, err
	}
	return tools.Files{Closed: tools.Closed{Paths: w.denied(db), Secrets: valuesOf(cfg.Sandbox.Secrets), Home: w.io.Env("HOME")}}, nil
}

// choosePaths returns which of the changed files are meant. A path that means
// none is a usage error.
func (w *wiring) choosePaths(run agent.Run, changes []agent.FileChange, paths []string) (func(string) bool, error) {
	if len(paths) == 0 {
		return func(string) bool { return true }, nil
	}
	chosen := map[string]bool{}
	for _, p := range paths {
		hit := false
		for _, name := range w.namesOf(run, p) {
			for _, c := range changes {
				if name == "." || c.Path == name || strings.HasPrefix(c.Path, name+"/") {
					chosen[c.Path], hit = true, true
				}
			}
			if hit {
				break
			}
		}
		if !hit {
			return nil, exit.Hintf(exit.Usagef("run %s changed no file %s", run.ID, p), "list them: %s", w.command("diff", run.ID, "--name-only"))
		}
	}
	return func(path string) bool { return chosen[path] }, nil
}

// namesOf are the paths in the workspace that a word on the command line may
// mean: from the current directory, else from the workspace.
func (w *wiring) namesOf(run agent.Run, word string) []string {
	var names []string
	for _, base := range []string{file.At(w.io.Dir, w.g.Dir), run.Workspace} {
		p := file.At(base, word)
		if real, err := filepath.EvalSymlinks(filepath.Dir(p)); err == nil {
			p = filepath.Join(real, filepath.Base(p))
		}
		if rel, err := filepath.Rel(run.Workspace, p); err == nil && filepath.IsLocal(rel) {
			names = append(names, filepath.ToSlash(rel))
		}
	}
	return names
}

func (w *wiring) printDiff(opts *diffOptions, d runDiff) error {
	if opts.Raw && !w.io.OutTTY {
		for _, f := range d.Files {
			if _, err := w.io.Out.Write([]byte(f.Patch)); err != nil {
				return err
			}
		}
		return nil
	}
	out := w.page()
	switch {
	case opts.NameOnly:
		for _, f := range d.Files {
			out.Line(f.Path)
		}
	case opts.Stat:
		printStat(out.Screen, d.Files)
	default:
		for _, f := range d.Files {
			out.diff(f.Text())
		}
	}
	return out.show()
}

// printStat prints what git diff --stat does.
func printStat(out *screen.Screen, files []patch.File) {
	name, widest, added, removed := 0, 0, 0, 0
	for _, f := range files {
		name, widest = max(name, text.Width(text.Field(f.Path, 60))), max(widest, f.Added+f.Removed)
		added, removed = added+f.Added, removed+f.Removed
	}
	if len(files) == 0 {
		return
	}
	bar := out.Fit(80, name+12)
	for _, f := range files {
		count, plus, minus := f.Stat(widest, bar)
		out.Line(" ", text.Pad(text.Field(f.Path, 60), name), " | ", fmt.Sprintf("%4s", count), " ", out.Look.Good(plus), out.Look.Bad(minus))
	}
	out.Line(fmt.Sprintf(" %d %s changed, %d %s(+), %d %s(-)", len(files), text.Plural(len(files), "file", "files"),
		added, text.Plural(added, "insertion", "insertions"), removed, text.Plural(removed, "deletion", "deletions")))
}

// noteDiff says what a diff does not show.
func (w *wiring) noteDiff(st *agent.State, d runDiff) {
	if len(d.Files) == 0 {
		w.tell("no changes")
		if len(st.Undone()) > 0 {
			w.tellCommand("they were taken back; bring them back", w.command("undo", d.RunID, "--redo"))
		}
		return
	}
	for _, f := range d.Files {
		switch {
		case f.Now == "changed" || f.Now == "removed":
			w.tell(fmt.Sprintf("note: %s was %s since", text.Line(f.Path), f.Now))
		case f.Mixed:
			w.tell(fmt.Sprintf("note: somebody else changed %s too, between changes of the run; the diff holds both", text.Line(f.Path)))
		}
	}
}
