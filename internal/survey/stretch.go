package survey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/manifest"
)

// Stretch is what happened in the workspace between two looks at it.
type Stretch struct {
	Mode        string                `json:"mode"`
	Driven      bool                  `json:"driven"`   // a process drove the run; else it waited
	ReadOnly    bool                  `json:"readOnly"` // in a mode that cannot write the workspace
	From        time.Time             `json:"from"`
	To          time.Time             `json:"to"`
	Files       int64                 `json:"files"` // at its end
	Differences []manifest.Difference `json:"differences"`
	Plans       []string              `json:"plans"`   // plan files that differ
	Outputs     []string              `json:"outputs"` // files the agent's own output went to, which differ for that
	// Died: the process could not take the last look, so that what changed until
	// the run was taken up again counts too.
	Died bool `json:"died"`
	// Open: there was no last look, the run is at work or its process died.
	Open bool `json:"open"`
	// Problem says why a look could not be had; "" if both were.
	Problem string `json:"problem"`
}

// Stretches compares the looks at a run's workspace one after the other, and leaves
// out where the run was moved to another. plans is the plans directory, relative to
// the workspace. A look that was not kept is the stretch's Problem, not an error.
func (s *Surveyor) Stretches(ctx context.Context, looks []agent.Surveyed, plans string) ([]Stretch, error) {
	list := []Stretch{}
	if len(looks) == 0 {
		return list, nil
	}
	for i := 1; i < len(looks); i++ {
		was, is := looks[i-1], looks[i]
		if was.Workspace != is.Workspace {
			continue // the run was moved
		}
		one := Stretch{
			Mode: is.Mode, Driven: is.When != agent.SurveyBegin, ReadOnly: is.ReadOnly, From: was.At, To: is.At, Files: is.Files,
			Differences: []manifest.Difference{}, Plans: []string{}, Outputs: []string{},
		}
		if !one.Driven && was.When != agent.SurveyEnd { // nobody was there to take the last look
			one.Mode, one.Driven, one.ReadOnly, one.Died = was.Mode, true, was.ReadOnly, true
		}
		if err := s.compare(ctx, &one, was.SurveyPayload, is.SurveyPayload, plans); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	if last := looks[len(looks)-1]; last.When != agent.SurveyEnd {
		list = append(list, unfinished(last))
	}
	return list, nil
}

// unfinished is what came after the last look, of which nothing is known.
func unfinished(last agent.Surveyed) Stretch {
	return Stretch{
		Mode: last.Mode, Driven: true, ReadOnly: last.ReadOnly, From: last.At, To: last.At,
		Differences: []manifest.Difference{}, Plans: []string{}, Outputs: []string{}, Open: true,
		Problem: "the run is at work, or its process died: there was no look since; --now takes one",
	}
}

// Since compares the workspace as it is now, which now says, with the last look at
// it. plans is as for Stretches. That there was no look, and that none can be had
// now, is its Problem.
func (s *Surveyor) Since(ctx context.Context, run agent.Run, looks []agent.Surveyed, plans string, now time.Time) (*Stretch, error) {
	one := &Stretch{To: now, Differences: []manifest.Difference{}, Plans: []string{}, Outputs: []string{}}
	last := -1
	for i, l := range looks {
		if l.Manifest != "" && l.Workspace == run.Workspace {
			last = i
		}
	}
	if last < 0 {
		one.Problem = "the workspace was never looked at"
		return one, nil
	}
	one.Mode, one.From = looks[last].Mode, looks[last].At
	before, err := s.read(ctx, looks[last].Manifest)
	if err != nil {
		return nil, fmt.Errorf("read what was seen of %s: %w", run.Workspace, err)
	}
	switch after, err := s.take(ctx, run.Workspace, before); {
	case err != nil:
		one.Problem = err.Error()
	default:
		one.Files, _ = after.Files()
		one.differ(before.Manifest, after, plans, looks[last].Outputs)
	}
	return one, nil
}

// compare fills in how two looks differ.
func (s *Surveyor) compare(ctx context.Context, one *Stretch, was, is agent.SurveyPayload, plans string) error {
	switch {
	case was.Error+is.Error != "":
		one.Problem = cmp.Or(was.Error, is.Error)
		return nil
	case was.Digest == is.Digest:
		return nil
	}
	before, err := s.read(ctx, was.Manifest)
	if err == nil {
		var after *manifest.Kept
		if after, err = s.read(ctx, is.Manifest); err == nil {
			one.differ(before.Manifest, after.Manifest, plans, slices.Concat(was.Outputs, is.Outputs))
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		one.Problem, err = "what was seen is not in the database any more", nil
	}
	if err != nil {
		return fmt.Errorf("compare workspace at %s and %s: %w", one.From.Local().Format(time.DateTime), one.To.Local().Format(time.DateTime), err)
	}
	return nil
}

// differ tells the plans apart from the rest, and the files in outputs; the
// directories plans lie in are neither.
func (one *Stretch) differ(before, after *manifest.Manifest, plans string, outputs []string) {
	plans = path.Clean(plans)
	for _, d := range manifest.Compare(before, after) {
		switch {
		case strings.HasPrefix(d.Path, plans+"/"):
			one.Plans = append(one.Plans, d.Path)
		case slices.Contains(outputs, d.Path):
			one.Outputs = append(one.Outputs, d.Path)
		case d.Path != plans && !strings.HasPrefix(plans, d.Path+"/"):
			one.Differences = append(one.Differences, d)
		}
	}
}

// Verdicts on what a run did to the workspace in modes that cannot write it.
const (
	Unchanged = "unchanged"
	Changed   = "changed"
	Unknown   = "unknown" // not all of it was looked at
	None      = "none"    // the run was in no such mode
)

// VerdictOf judges the stretches in modes that cannot write.
func VerdictOf(list []Stretch) string {
	verdict := None
	for _, one := range ReadOnly(list) {
		switch {
		case len(one.Differences) > 0:
			return Changed
		case one.Problem != "":
			verdict = Unknown
		case verdict == None:
			verdict = Unchanged
		}
	}
	return verdict
}

// ReadOnly are the stretches at work in modes that cannot write.
func ReadOnly(list []Stretch) []Stretch {
	return slices.DeleteFunc(slices.Clone(list), func(s Stretch) bool { return !s.Driven || !s.ReadOnly })
}
