package tools

import (
	"context"

	"github.com/seed-3e5a1d81/agent/agent"
)

// refuse is the result of a call that cannot be done: the model reads why, and
// the run goes on.
func refuse(tool string, err error) (agent.Result, error) {
	return agent.ErrorResult(tool + ": " + err.Error()), nil
}

// settle is refuse for an error, unless the context has ended: then the result
// stands as far as it got, with the reason.
func settle(ctx context.Context, tool string, r agent.Result, err error) (agent.Result, error) {
	switch {
	case err == nil:
		return r, nil
	case ctx.Err() != nil:
		return r, context.Cause(ctx)
	}
	return refuse(tool, err)
}
