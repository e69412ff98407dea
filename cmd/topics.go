package cmd

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/cmd/manual"
)

const environmentText = `Variables of the environment that agent reads, and what they do:

  AGENT_MODEL              model of runs that name none, such as demo
  AGENT_DB                 database of runs
  AGENT_ON_QUESTION        what a question does: prompt, suspend, fallback or fail
  AGENT_ACTOR              who acts, as recorded; nothing authenticates it
  AGENT_RETRY_MAX_ELAPSED  how long faults of a provider are met with further
                           attempts, such as 30s; 0 for none; default 5m

  CI                       nobody is asked in modes that cannot write
  NO_COLOR                 set to anything: no colours
  TERM                     dumb: no colours, no prompts, no pager, no bell
  PAGER, LESS              what shows long plans and runs; cat for none
  VISUAL, EDITOR           what long answers and plans are written in
  GITHUB_ACTIONS           commands to the runner in what models, files and
                           tools say are taken their meaning
  TMUX, STY, ZELLIJ, TERM_PROGRAM, DISPLAY, WAYLAND_DISPLAY, SSH_TTY, SSH_CONNECTION
                           how notify = "desktop" reaches you

  XDG_DATA_HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME, HOME, AppData, LocalAppData
                           where the database, your configuration and the caches
                           of commands lie

  AGENT_RUN_ID             set in the commands an agent runs: those that start,
                           answer, trust or permit refuse where it is
  AGENT_COMMAND_ID         set there too: what still carries it when the command
                           is over is ended

Keys and addresses of providers are read from the vendors' own variables, such as
ANTHROPIC_API_KEY, OPENAI_BASE_URL and OLLAMA_HOST. Flags win over the
environment, the environment over configuration files.`

func newExitCodesTopic() *cobra.Command {
	return &cobra.Command{Use: "exit-codes", Short: "The exit codes of agent", Long: exit.Help}
}

func newEnvironmentTopic() *cobra.Command {
	return &cobra.Command{Use: "environment", Short: "The variables agent reads", Long: environmentText}
}

// ManPages writes a manual page for each command and topic into dir. A release
// brings them along. date is the day they carry.
func ManPages(dir string, date time.Time) error {
	return manual.Write(newRootCmd(&iostreams.Streams{}, &globals{}), dir, date)
}
