package cmd

import (
	"os"
	"os/user"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

// viaFlag is how answers given on the command line came.
const viaFlag = "flag"

// actorFlags say who acts. Nothing authenticates it.
type actorFlags struct{ By string }

func (a *actorFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&a.By, "by", "", "who acts, as recorded (AGENT_ACTOR; default user@host; not authenticated)")
}

func (a *actorFlags) actor(io *streams) string {
	for _, who := range []string{a.By, io.Env("AGENT_ACTOR")} {
		if who != "" {
			return who
		}
	}
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		return name
	}
	return name + "@" + host
}

// refuseInside keeps an agent from answering, approving, starting or canceling
// for itself: its shell has AGENT_RUN_ID set.
func refuseInside(io *streams, what string) error {
	id := io.Env("AGENT_RUN_ID")
	if id == "" {
		return nil
	}
	return exit.Usagef("%s is refused inside run %s (AGENT_RUN_ID is set): an agent cannot act for a person", what, id)
}
