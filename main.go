// Command agent is a coding agent for the terminal that asks before it acts.
package main

import (
	"os"

	"github.com/seed-3e5a1d81/agent/cmd"
)

func main() { os.Exit(cmd.Main()) }
