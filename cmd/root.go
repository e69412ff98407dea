package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Output formats.
const (
	outputText  = "text"
	outputJSON  = "json"
	outputJSONL = "jsonl"
)

// globals are the flags every command has.
type globals struct {
	DB      string
	Dir     string
	Output  string
	NoColor bool
	Verbose bool
	Quiet   bool

	understood bool // the command line was, and a command has begun
}

func (g *globals) machine() bool { return g.Output == outputJSON || g.Output == outputJSONL }

// checkNotEmpty refuses flags that name something and are empty: a script whose
// variable is not set means another thing than a script without the flag.
func checkNotEmpty(cmd *cobra.Command) error {
	for _, name := range []string{"mode", "model", "on-question", "tool-call", "digest", "by", "db", "dir"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return usagef("--%s is empty: give it a value or leave it out", name)
		}
	}
	return nil
}

func (g *globals) check() error {
	if !slices.Contains([]string{outputText, outputJSON, outputJSONL}, g.Output) {
		bad := g.Output
		g.Output = outputText
		return usagef("--output %q: use text, json or jsonl", bad)
	}
	if g.Verbose && g.Quiet {
		return usagef("--verbose and --quiet contradict each other: use one of them")
	}
	return nil
}

// outputIn finds the output format in arguments cobra may refuse, so that the
// refusal comes in that format.
func outputIn(args []string) string {
	found := outputText
	for i, a := range args {
		if a == "--" {
			break
		}
		value, ok := strings.CutPrefix(a, "--output=")
		switch {
		case ok:
			found = value
		case (a == "-o" || a == "--output") && i+1 < len(args):
			found = args[i+1]
		case strings.HasPrefix(a, "-o") && !strings.HasPrefix(a, "--"):
			found = strings.TrimPrefix(a[2:], "=")
		}
	}
	if found != outputJSON && found != outputJSONL {
		return outputText
	}
	return found
}

const rootLong = `agent works on a task in your repository: it explores read-only, asks you,
writes a plan, and builds what you approved.

Whenever it needs you the run is suspended and kept in a database. No process
waits; answer from any terminal, script or CI job with "agent resume".`

const rootExample = `  agent run --model demo "Add a greeting"
  agent resume latest --answer "English"
  agent resume latest --approve
  agent list --waiting`

func newRootCmd(io *streams, g *globals) *cobra.Command {
	root := &cobra.Command{
		Use:           "agent",
		Short:         "A coding agent that asks before it acts",
		Long:          rootLong,
		Example:       rootExample,
		Args:          argsOf(cobra.NoArgs),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          showHelp,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			g.understood = true
			if err := g.check(); err != nil {
				return err
			}
			return checkNotEmpty(cmd)
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%v\nSee: %s --help", err, cmd.CommandPath())
	})
	addGlobals(root, g)
	w := &wiring{io: io, g: g}
	root.AddCommand(
		newRunCmd(w), newResumeCmd(w), newListCmd(w), newShowCmd(w), newCancelCmd(w),
		newPlansCmd(w), newModesCmd(w), newToolsCmd(w), newConfigCmd(w), newInitCmd(w), newTrustCmd(w),
		newVersionCmd(w), newExitCodesTopic(),
	)
	root.SetHelpCommand(newHelpCmd())
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Args, c.RunE = argsOf(cobra.NoArgs), showHelp // an unknown shell is an error
	}
	return root
}

func addGlobals(root *cobra.Command, g *globals) {
	f := root.PersistentFlags()
	f.StringVar(&g.DB, "db", "", "database of runs (AGENT_DB; default $XDG_DATA_HOME/agent/runs.db)")
	f.StringVarP(&g.Dir, "dir", "C", "", "work in this directory instead of the current one")
	f.StringVarP(&g.Output, "output", "o", outputText, "output format: text, json or jsonl")
	f.BoolVar(&g.NoColor, "no-color", false, "print without colour")
	f.BoolVarP(&g.Verbose, "verbose", "v", false, "show steps, tool output and token counts too")
	f.BoolVarP(&g.Quiet, "quiet", "q", false, "show no activity, only results and what is open")
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{outputText, outputJSON, outputJSONL}, cobra.ShellCompDirectiveNoFileComp))
}

// newHelpCmd is cobra's help, but for unknown topics being errors.
func newHelpCmd() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about a command or topic",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("unknown help topic %q\nSee: agent --help", strings.Join(args, " "))
			}
			topic.InitDefaultHelpFlag()
			return topic.Help()
		},
	}
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// groupCmd is a command that only holds others: without one of them it prints
// its help, with an unknown one it is a usage error.
func groupCmd(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Args: argsOf(cobra.NoArgs), RunE: showHelp,
	}
	c.AddCommand(subs...)
	return c
}

// argsOf turns cobra's complaints about arguments into usage errors.
func argsOf(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usagef("%v\nSee: %s --help", err, cmd.CommandPath())
		}
		return nil
	}
}
