package cmd

import (
	"os"
	"os/user"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// viaFlag is how answers given on the command line came.
const viaFlag = "flag"

// actorFlags say who acts. Nothing authenticates it.
type actorFlags struct{ By string }

func (a *actorFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&a.By, "by", "", "who acts, as recorded (AGENT_ACTOR; default user@host; not authenticated)")
}

func (a *actorFlags) actor(io *iostreams.Streams) (string, error) {
	for _, given := range [][2]string{{"--by", a.By}, {"AGENT_ACTOR", io.Env("AGENT_ACTOR")}} {
		if from, who := given[0], given[1]; who != "" {
			return who, aName(from, who)
		}
	}
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return text.Field(name, longestName), nil
}

// longestName bounds a name that is recorded, in characters.
const longestName = 255

// aName refuses a name that could not be recorded or shown as it is.
func aName(from, name string) error {
	if utf8.RuneCountInString(name) > longestName || text.Line(name) != name {
		return exit.Usagef("%s: give at most %d printable characters of UTF-8, without spaces around them", from, longestName)
	}
	return nil
}

// refuseInside keeps an agent from answering, approving, starting or canceling
// for itself: its shell has AGENT_RUN_ID set.
func refuseInside(io *iostreams.Streams, what string) error {
	id := io.Env("AGENT_RUN_ID")
	if id == "" {
		return nil
	}
	return exit.Usagef("%s is refused inside run %s (AGENT_RUN_ID is set): an agent cannot act for a person", what, id)
}
