package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/internal/replay"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/runstore"
	"github.com/seed-3e5a1d81/agent/tools"
)

const replayLong = `Drive what a run's model said and its tools gave through this version of agent
once more, and compare what it writes with the run's journal. No model is asked,
no tool called, nothing in the workspace or the database is changed; it works for
every run, however that ended. With --file it is one that agent export wrote.

The modes and tools are those of this version and configuration. Where something
else comes of it than the journal holds, the first such record is shown (exit 1):
either agent changed, or the configuration did. Times, owners and the user's undo
are not compared. With --record what the model said is also written to a file, as
agent run --record does: together they make a report of a bug.`

type replayOptions struct {
	Run    string
	File   string
	Record string
}

const replayExample = `  agent replay latest
  agent replay 0192abcd --output json
  agent replay latest --record bug.yaml
  agent replay --file run.jsonl`

func newReplayCmd(w *wiring) *cobra.Command {
	opts := &replayOptions{}
	c := &cobra.Command{
		Use: "replay [RUNID]", Short: "Check that a run comes out the same", Long: replayLong, Example: replayExample,
		Args: argsOf(cobra.MaximumNArgs(1)), ValidArgsFunction: w.completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.Run = args[0]
			}
			return replayRun(cmd.Context(), w, opts)
		},
	}
	f := c.Flags()
	f.StringVar(&opts.File, "file", "", "replay the run in this file of agent export (- for stdin) instead of one in the database")
	f.StringVar(&opts.Record, "record", "", "write the model's replies to this file, as a script for --model script:FILE")
	_ = c.MarkFlagFilename("file", "jsonl")
	_ = c.MarkFlagFilename("record", "yaml", "yml")
	return c
}

// replayed is the JSON of replay.
type replayed struct {
	RunID      string              `json:"runId"`
	Same       bool                `json:"same"`
	Records    int                 `json:"records"`
	Inputs     int                 `json:"inputs"`
	Skipped    int                 `json:"skipped"`
	Difference *replayedDifference `json:"difference"`
	ExitCode   int                 `json:"exitCode"`
}

type replayedDifference struct {
	Seq      int64        `json:"seq"`
	Expected *agent.Event `json:"expected"`
	Got      *agent.Event `json:"got"`
	Message  string       `json:"message"`
}

func replayRun(ctx context.Context, w *wiring, opts *replayOptions) error {
	to, err := w.recording(opts.Record)
	if err != nil {
		return err
	}
	events, err := w.journalOf(ctx, opts)
	if err != nil {
		return err
	}
	if to != "" {
		if err := w.record(to, events); err != nil {
			return err
		}
	}
	cfg, err := w.replayer(events)
	if err != nil {
		return err
	}
	res, err := replay.Run(ctx, cfg, events)
	if err != nil {
		return fmt.Errorf("run %s: %w", res.RunID, err)
	}
	out := newReplayed(res)
	if w.g.machine() {
		err = printJSON(w.io.Out, out)
	} else {
		err = w.printReplayed(out)
	}
	if err != nil {
		return err
	}
	return exit.With(out.ExitCode)
}

// journalOf is the journal of the run that is meant, in the database or a file.
func (w *wiring) journalOf(ctx context.Context, opts *replayOptions) ([]agent.Event, error) {
	switch {
	case opts.Run != "" && opts.File != "":
		return nil, exit.Usagef("a run and --file contradict each other: use one of them")
	case opts.File != "":
		run, err := w.readRun("replay", opts.File)
		return run.Events, err
	case opts.Run == "":
		return nil, exit.Usagef("name a run: agent replay RUNID, agent replay latest, or agent replay --file FILE")
	}
	f, err := w.find(ctx, opts.Run)
	if err != nil {
		return nil, err
	}
	defer f.store.Close() //nolint:errcheck // only read
	return f.snap.Events, nil
}

// replayer joins the tools and modes of the run's workspace or, where that is
// not on this machine, of the current one.
func (w *wiring) replayer(events []agent.Event) (replay.Config, error) {
	workspace, err := w.replayedIn(events)
	if err != nil {
		return replay.Config{}, err
	}
	cfg, err := w.configuration(workspace, false)
	if err != nil {
		return replay.Config{}, err
	}
	all := tools.All(tools.Config{PlansDir: cfg.PlansDir.Value, Plans: tools.PlanDir{Dir: cfg.PlansDir.Value}})
	out := replay.Config{NewStore: func() agent.Store { return runstore.Memory() }, Tools: all}
	for _, confined := range []bool{true, false} { // whichever it was where the run was driven
		controller, err := modesOver(all, cfg, confined)
		if err != nil {
			return out, err
		}
		out.Modes = append(out.Modes, controller)
	}
	return out, nil
}

func (w *wiring) replayedIn(events []agent.Event) (string, error) {
	if st, err := agent.Fold(events); err == nil && st.Run.Workspace != "" {
		if info, err := os.Stat(st.Run.Workspace); err == nil && info.IsDir() {
			return st.Run.Workspace, nil
		}
	}
	return w.workspace()
}

func newReplayed(res replay.Result) replayed {
	out := replayed{RunID: res.RunID, Same: res.Difference == nil, Records: res.Records, Inputs: res.Inputs, Skipped: res.Skipped}
	if d := res.Difference; d != nil {
		out.ExitCode = exit.Failure
		out.Difference = &replayedDifference{Seq: d.Seq, Expected: d.Expected, Got: d.Got}
		if d.Err != nil {
			out.Difference.Message = d.Err.Error()
		}
	}
	return out
}

func (w *wiring) printReplayed(r replayed) error {
	out := w.page()
	if r.Same {
		out.Line("run ", r.RunID, ": the same, ", r.Records, " records after ", r.Inputs, " ", text.Plural(r.Inputs, "input", "inputs"))
		return out.show()
	}
	d := r.Difference
	out.Line("run ", r.RunID, ": differs at record ", d.Seq, " of ", r.Records)
	if d.Message != "" {
		out.Line("replaying it failed: ", d.Message)
	}
	out.Line()
	diff := udiff.Unified("recorded", "replayed", recordText(d.Expected), recordText(d.Got))
	out.diff(diff)
	return out.show()
}

// recordText lays a record out in lines, so that differences show.
func recordText(e *agent.Event) string {
	if e == nil {
		return "nothing\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", e.Type)
	p, err := replay.Comparable(*e)
	if err != nil {
		return b.String() + string(e.Payload) + "\n"
	}
	valueLines(&b, "", p)
	return b.String()
}

// valueLines writes "key.key: value", text of several lines below its key.
func valueLines(b *strings.Builder, key string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			valueLines(b, strings.TrimPrefix(key+"."+k, "."), v[k])
		}
	case []any:
		for i, item := range v {
			valueLines(b, fmt.Sprintf("%s[%d]", key, i), item)
		}
	case string:
		if strings.Contains(v, "\n") {
			fmt.Fprintf(b, "  %s:\n    %s\n", key, strings.ReplaceAll(v, "\n", "\n    "))
			return
		}
		fmt.Fprintf(b, "  %s: %s\n", key, v)
	default:
		raw, _ := json.Marshal(v) // it was decoded from JSON
		fmt.Fprintf(b, "  %s: %s\n", key, raw)
	}
}
