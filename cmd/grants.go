package cmd

import (
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// shownGrant is a permission given for the rest of a run, in JSON.
type shownGrant struct {
	Rule string    `json:"rule"`
	By   string    `json:"by"`
	Via  string    `json:"via"`
	At   time.Time `json:"at"`
}

// grantsOf are the grants among the records of a run.
func grantsOf(events []agent.Event) []shownGrant {
	out := []shownGrant{}
	for _, e := range events {
		if e.Type != agent.Grant {
			continue
		}
		if p, err := agent.Decode[agent.GrantPayload](e); err == nil {
			out = append(out, shownGrant{p.Rule, p.By, p.Via, e.At})
		}
	}
	return out
}

func printGrants(out *screen.Screen, grants []shownGrant) {
	if len(grants) == 0 {
		return
	}
	out.Line()
	out.Line(out.Look.Strong("Allowed for this run"))
	for _, g := range grants {
		out.Line("  ", text.Field(g.Rule, out.Fit(200, 2)))
		out.Line("    ", text.Field("by "+g.By+" at "+clock(g.At), out.Fit(200, 4)))
	}
}
