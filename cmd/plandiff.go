package cmd

import (
	"context"
	"fmt"

	"github.com/aymanbagabas/go-udiff"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
)

// blobs is the part of a store that keeps content.
type blobs interface {
	Blob(ctx context.Context, digest string) ([]byte, error)
}

// sourcesOf reads the texts of the plans that wait in a run. A text that cannot
// be read is left out; the payload is then shown instead.
func sourcesOf(ctx context.Context, store blobs, st *agent.State) tell.Plans {
	sources := tell.Plans{}
	for _, s := range next.Waiting(st) {
		d := next.Digest(s)
		if s.Kind != agent.KindPlan || d == "" {
			continue
		}
		source, err := planSource(ctx, store, d)
		if err != nil {
			continue
		}
		text := tell.PlanText{Source: source}
		if was, now, ok := revisionsOf(st, s); ok {
			if diff, err := planDiff(ctx, store, submissionOf(was), submissionOf(now)); err == nil {
				text.Diff, text.Was = diff, was.Revision
			}
		}
		sources[d] = text
	}
	return sources
}

// revisionsOf returns the revision a suspension shows and the one before it.
func revisionsOf(st *agent.State, s agent.Suspension) (was, now agent.Plan, ok bool) {
	plans := st.Plans()
	for i, p := range plans {
		if p.ToolCallID != s.ToolCallID || p.N != s.N {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			if plans[j].Path == p.Path {
				return plans[j], p, true
			}
		}
	}
	return was, now, false
}

// planDiff returns the unified diff between two stored revisions of a plan.
func planDiff(ctx context.Context, store blobs, was, now agent.PlanSubmission) (string, error) {
	before, err := planSource(ctx, store, was.Digest)
	if err != nil {
		return "", err
	}
	after, err := planSource(ctx, store, now.Digest)
	if err != nil {
		return "", err
	}
	name := func(p agent.PlanSubmission) string { return fmt.Sprintf("%s (revision %d)", p.Path, p.Revision) }
	return udiff.Unified(name(was), name(now), before, after), nil
}

func planSource(ctx context.Context, store blobs, digest string) (string, error) {
	source, err := store.Blob(ctx, digest)
	if err != nil {
		return "", fmt.Errorf("read stored plan %s: %w", digest, err)
	}
	return string(source), nil
}
