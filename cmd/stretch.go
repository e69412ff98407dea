package cmd

import (
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
	"github.com/seed-3e5a1d81/agent/tools"
)

// stretch is what happened in the workspace between two looks at it.
type stretch struct {
	Mode        string                `json:"mode"`
	Driven      bool                  `json:"driven"`   // a process drove the run; else it waited
	ReadOnly    bool                  `json:"readOnly"` // in a mode that cannot write the workspace
	From        time.Time             `json:"from"`
	To          time.Time             `json:"to"`
	Files       int64                 `json:"files"` // at its end
	Differences []manifest.Difference `json:"differences"`
	Plans       []string              `json:"plans"` // plan files that differ
	// Died: the process could not take the last look, so that what changed until
	// the run was taken up again counts too.
	Died bool `json:"died"`
	// Open: there was no last look, the run is at work or its process died.
	Open bool `json:"open"`
	// Problem says why a look could not be had; "" if both were.
	Problem string `json:"problem"`
}

// stretches compares the looks at a run's workspace one after the other. plans
// is the plans directory.
func (s *surveyor) stretches(ctx context.Context, looks []agent.Surveyed, plans string) ([]stretch, error) {
	list := []stretch{}
	if len(looks) == 0 {
		return list, nil
	}
	for i := 1; i < len(looks); i++ {
		was, is := looks[i-1], looks[i]
		if was.Workspace != is.Workspace {
			continue // the run was moved
		}
		one := stretch{
			Mode: is.Mode, Driven: is.When != agent.SurveyBegin, ReadOnly: is.ReadOnly, From: was.At, To: is.At, Files: is.Files,
			Differences: []manifest.Difference{}, Plans: []string{},
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
func unfinished(last agent.Surveyed) stretch {
	return stretch{
		Mode: last.Mode, Driven: true, ReadOnly: last.ReadOnly, From: last.At, To: last.At,
		Differences: []manifest.Difference{}, Plans: []string{}, Open: true,
		Problem: "the run is at work, or its process died: there was no look since; --now takes one",
	}
}

// compare fills in how two looks differ.
func (s *surveyor) compare(ctx context.Context, one *stretch, was, is agent.SurveyPayload, plans string) error {
	switch {
	case was.Error+is.Error != "":
		one.Problem = firstOf(was.Error, is.Error)
		return nil
	case was.Digest == is.Digest:
		return nil
	}
	before, err := s.read(ctx, was.Manifest)
	if err == nil {
		var after *manifest.Kept
		if after, err = s.read(ctx, is.Manifest); err == nil {
			one.differ(before.Manifest, after.Manifest, plans)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		one.Problem, err = "what was seen is not in the database any more", nil
	}
	if err != nil {
		return fmt.Errorf("compare workspace at %s and %s: %w", clock(one.From), clock(one.To), err)
	}
	return nil
}

// differ tells the plans apart from the rest; the directories they lie in are
// neither.
func (one *stretch) differ(before, after *manifest.Manifest, plans string) {
	plans = path.Clean(firstOf(plans, tools.DefaultPlansDir))
	for _, d := range manifest.Compare(before, after) {
		switch {
		case strings.HasPrefix(d.Path, plans+"/"):
			one.Plans = append(one.Plans, d.Path)
		case d.Path != plans && !strings.HasPrefix(plans, d.Path+"/"):
			one.Differences = append(one.Differences, d)
		}
	}
}

// Verdicts on what a run did to the workspace in modes that cannot write it.
const (
	verdictUnchanged = "unchanged"
	verdictChanged   = "changed"
	verdictUnknown   = "unknown" // not all of it was looked at
	verdictNone      = "none"    // the run was in no such mode
)

// verdictOf judges the stretches in modes that cannot write.
func verdictOf(list []stretch) string {
	verdict := verdictNone
	for _, one := range readOnly(list) {
		switch {
		case len(one.Differences) > 0:
			return verdictChanged
		case one.Problem != "":
			verdict = verdictUnknown
		case verdict == verdictNone:
			verdict = verdictUnchanged
		}
	}
	return verdict
}

// readOnly are the stretches at work in modes that cannot write.
func readOnly(list []stretch) []stretch {
	return slices.DeleteFunc(slices.Clone(list), func(s stretch) bool { return !s.Driven || !s.ReadOnly })
}
