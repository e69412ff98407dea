package cmd

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/report"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/gitdir"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/runstore"
)

type pruneOptions struct {
	confirmFlags
	OlderThan string
	DryRun    bool
	All       bool
}

const pruneLong = `Delete the runs of this workspace that ended long ago: finished with no plan left
to decide, failed or canceled, and not touched for the time given. What waits for
you, is paused or is at work is never deleted.

Those touched longest ago go first. Other commands go on meanwhile. Ctrl-C stops it:
what is gone until then is told. Nothing is deleted unless this or "agent delete" is
called. The file of the database does not shrink; its room is used again.`

const pruneExample = `  agent prune --older-than 90d --dry-run
  agent prune --older-than 90d --all --yes`

func newPruneCmd(w *wiring) *cobra.Command {
	opts := &pruneOptions{}
	c := &cobra.Command{
		Use: "prune --older-than D", Short: "Delete runs that ended long ago", Long: pruneLong, Example: pruneExample,
		Args: argsOf(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return pruneRun(cmd.Context(), w, opts) },
	}
	f := c.Flags()
	f.StringVar(&opts.OlderThan, "older-than", "", "those not touched for so long, such as 90d, 12w or 36h")
	f.BoolVarP(&opts.DryRun, "dry-run", "n", false, "only say which runs would be deleted")
	f.BoolVar(&opts.All, "all", false, "of every workspace")
	opts.add(c)
	return c
}

// ageOf reads a time span; days and weeks are counted too.
func ageOf(s string) (time.Duration, error) {
	units := map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour}
	for unit, length := range units {
		if number, ok := strings.CutSuffix(s, unit); ok {
			n, err := strconv.Atoi(number)
			if err != nil || n < 0 || n > 100_000 {
				return 0, fmt.Errorf("parse time span %q", s)
			}
			return time.Duration(n) * length, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("parse time span %q", s)
	}
	return d, nil
}

func pruneRun(ctx context.Context, w *wiring, opts *pruneOptions) error {
	if err := refuseInside(w.io, "deleting runs"); err != nil {
		return err
	}
	age, err := ageOf(opts.OlderThan)
	if err != nil {
		return exit.Usagef("--older-than %q: say for how long runs are kept, such as 90d, 12w or 36h", opts.OlderThan)
	}
	q := runstore.EndedQuery{Before: w.io.Now().Add(-age)}
	if !opts.All {
		workspace, err := w.workspace()
		if err != nil {
			return err
		}
		q.Project = gitdir.Project(workspace)
	}
	store, err := w.readStore(ctx)
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // every deletion was committed
	n, err := store.CountEnded(ctx, q)
	if err != nil {
		return err
	}
	if n > 0 && !opts.DryRun {
		question := fmt.Sprintf("Delete %d %s for good?", n, text.Plural(n, "run", "runs"))
		if yes, err := opts.confirmed(ctx, w, question, "Delete"); err != nil || !yes {
			return w.kept(err)
		}
	}
	ctx, stop := stoppable(ctx, w)
	defer stop()
	p := &pruning{w: w, out: bufio.NewWriter(w.io.Out), dry: opts.DryRun, selected: n}
	if opts.DryRun {
		return p.end(ctx, p.list(ctx, store, q))
	}
	return p.end(ctx, p.delete(ctx, store, q))
}

// pruning is what prune deleted so far, or would. JSON is printed as it comes,
// however much it is; a person is shown the first few, and how many there are.
type pruning struct {
	w        *wiring
	out      *bufio.Writer // of the JSON
	dry      bool
	selected int
	done     int
	first    []deletedRun
}

// What a person is shown, and how many runs are read at a time.
const (
	shownPruned = 50
	prunePage   = 1000
)

// list adds the runs of a query.
func (p *pruning) list(ctx context.Context, store runstore.Store, q runstore.EndedQuery) error {
	var last runstore.EndedRun
	for {
		page, err := store.Ended(ctx, q, last, prunePage)
		if err != nil {
			return err
		}
		p.add(page)
		if len(page) < prunePage {
			return nil
		}
		if last = page[len(page)-1]; !p.w.g.machine() { // the rest is counted
			p.done = p.selected
			return nil
		}
	}
}

// delete deletes the runs of a query and adds what is gone.
func (p *pruning) delete(ctx context.Context, store runstore.Store, q runstore.EndedQuery) error {
	var spin *screen.Spinner
	if !p.w.g.machine() || !p.w.io.OutTTY { // beside the JSON it would stand in it
		spin = spinnerOn(p.w.io, p.w.g, p.w.errScreen())
	}
	defer spin.End()
	show := func() { spin.Show("deleting runs: " + p.count() + " gone") }
	if p.selected > 0 {
		show()
	}
	return store.Prune(ctx, q, func(runs []runstore.EndedRun) {
		p.add(runs)
		show()
	})
}

// count says how many runs there are.
func (p *pruning) count() string {
	if p.done == p.selected {
		return fmt.Sprintf("%d %s", p.done, text.Plural(p.done, "run", "runs"))
	}
	return fmt.Sprintf("%d of %d %s", p.done, p.selected, text.Plural(p.selected, "run", "runs"))
}

// add takes runs in, and prints them if nobody but a program reads them.
func (p *pruning) add(runs []runstore.EndedRun) {
	for _, r := range runs {
		d := deletedRun{r.ID, r.Title, r.Status, r.Workspace, r.Updated.UTC()}
		if p.w.g.machine() {
			p.print(d)
		} else if len(p.first) < shownPruned {
			p.first = append(p.first, d)
		}
		p.done++
	}
	_ = p.out.Flush() // it remembers its faults
}

// print prints a run as one of deletedRuns.
func (p *pruning) print(d deletedRun) {
	line, _ := text.JSON(d) // strings
	before := ","
	if p.done == 0 {
		before = `{"deleted":[`
	}
	_, _ = p.out.WriteString(before)
	_, _ = p.out.Write(bytes.TrimRight(line, "\n"))
}

// end shows what was done. What err stopped is told all the same: those runs
// are gone.
func (p *pruning) end(ctx context.Context, err error) error {
	sig := exit.StoppedBy(ctx)
	if err == nil {
		sig = nil // it came too late
	}
	if err != nil && sig == nil && p.done == 0 {
		return err
	}
	if p.w.g.machine() {
		return p.endJSON(sig, err)
	}
	if err := p.printFirst(); err != nil {
		return err
	}
	verb := "deleted"
	if p.dry {
		verb = "would be deleted"
	}
	switch line := p.count() + " " + verb; {
	case sig != nil:
		p.w.tell("stopped: " + line)
		return exit.With(exit.OfSignal(sig))
	case err == nil && p.done < p.selected && !p.dry:
		p.w.tell(line + ": the others were taken up, or deleted, by another process")
	default:
		p.w.tell(line)
	}
	return err
}

func (p *pruning) printFirst() error {
	if len(p.first) == 0 {
		return nil
	}
	t := screen.Table{Head: []string{"ID", "LAST TOUCHED", "STATUS", "TITLE"}, Widest: []int{8, 20, 11, 60}}
	for _, r := range p.first {
		t.Add(shortID(r.RunID), clock(r.UpdatedAt), string(r.Status), r.Title)
	}
	if err := p.w.printTable(&t); err != nil {
		return err
	}
	if more := p.done - len(p.first); more > 0 {
		out := newScreen(p.w.io, p.w.g, p.w.io.Out, p.w.io.OutTTY)
		out.Line("… and ", more, " more (--output json has all)")
		return out.Flush()
	}
	return nil
}

// endJSON ends the object, with the error that kept prune from going on.
func (p *pruning) endJSON(sig os.Signal, err error) error {
	rest := deletedRuns{Deleted: []deletedRun{}, DryRun: p.dry}
	code := exit.OK
	switch {
	case sig != nil:
		code = exit.OfSignal(sig)
	case err != nil:
		err = masked(p.w.io, p.w.g, err)
		mention(p.w.io.Cleaned(p.w.io.Err), err)
		code, rest.Error = exit.Of(err), report.ErrorOf(err)
	}
	line, err := text.JSON(rest)
	if err != nil {
		return err
	}
	if p.done > 0 {
		_, line, _ = bytes.Cut(line, []byte("["))
	}
	_, _ = p.out.Write(line)
	if err := p.out.Flush(); err != nil {
		return err
	}
	return exit.With(code)
}
