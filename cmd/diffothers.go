package cmd

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/manifest"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// othersOf is what else changed in the workspace while the run was at work in
// modes that may write: its commands did that, or somebody at the same time. It
// is known from the looks at the workspace, so by name alone.
func (w *wiring) othersOf(ctx context.Context, f *found) ([]manifest.Difference, error) {
	others := []manifest.Difference{}
	db, err := w.dbPath()
	if err != nil {
		return others, err
	}
	list, err := w.surveyor(f.store, db, nil).Stretches(ctx, f.state.Surveys(), w.plansDir(f.state.Run))
	if err != nil {
		return others, err
	}
	own := writtenByTools(f.snap.Events)
	for _, one := range list {
		if !one.Driven || one.ReadOnly {
			continue
		}
		for _, d := range one.Differences {
			others = slices.DeleteFunc(others, func(o manifest.Difference) bool { return o.Path == d.Path })
			if !own[d.Path] {
				others = append(others, d)
			}
		}
	}
	slices.SortFunc(others, func(a, b manifest.Difference) int { return strings.Compare(a.Path, b.Path) })
	return others, nil
}

// writtenByTools are the files that tools of a run wrote, and the directories
// these lie in.
func writtenByTools(events []agent.Event) map[string]bool {
	own := map[string]bool{}
	for _, e := range events {
		if e.Type != agent.ToolResult {
			continue
		}
		p, err := agent.Decode[agent.ResultPayload](e)
		if err != nil {
			continue // the fold has read it
		}
		for _, c := range p.Result.Changes {
			for at := c.Path; at != "." && !own[at]; at = path.Dir(at) {
				own[at] = true
			}
		}
	}
	return own
}

// shownOthers is how many paths are named.
const shownOthers = 20

func (w *wiring) noteOthers(others []manifest.Difference) {
	if len(others) == 0 {
		return
	}
	w.tell("also changed while the run was at work, by its commands or by somebody else:")
	for i, d := range others {
		if i == shownOthers {
			w.tell(fmt.Sprintf("  … and %d more (--output json has all)", len(others)-i))
			return
		}
		w.tell(fmt.Sprintf("  %s %s", text.Pad(string(d.Kind), 8), text.Line(d.Path)))
	}
}
