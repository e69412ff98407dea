package cmd

import (
	"context"
	"fmt"

	"github.com/aymanbagabas/go-udiff"

	"github.com/seed-3e5a1d81/agent/agent"
)

// blobs is the part of a store that keeps content.
type blobs interface {
	Blob(ctx context.Context, digest string) ([]byte, error)
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
