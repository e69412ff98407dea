package cmd

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/cmd/report"
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

	result outcomeFlags // of the commands that have them

	reached    func() report.Final // final object of the run the command is about; nil until one was found
	understood bool                // the command line was, and a command has begun
	keys       []string            // variables that hold providers' keys, once the configuration is read
	headers    []string            // headers that open providers, as "NAME=value", likewise
}

func (g *globals) machine() bool { return g.Output == outputJSON || g.Output == outputJSONL }

// checkNotEmpty refuses flags that name something and are empty: a script whose
// variable is not set means another thing than a script without the flag.
func checkNotEmpty(cmd *cobra.Command) (err error) {
	// The default title, any run, or what the command itself has words for.
	meant := []string{"title", "search", "output", "older-than", "scope", "other", "feedback", "message", "data"}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && !slices.Contains(meant, f.Name) {
			err = exit.Usagef("--%s is empty: give it a value or leave it out", f.Name)
		}
	})
	return err
}

// checkWords refuses flags and arguments that are not UTF-8, as stdin is
// refused: they are recorded and shown as JSON, which would silently hold other
// words. A path may be of any bytes.
func checkWords(cmd *cobra.Command, args []string) (err error) {
	paths := []string{"db", "dir", "answers", "record", "result", "file"}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice() // as text it is quoted, and so always UTF-8
		}
		if slices.ContainsFunc(values, isNotUTF8) && !slices.Contains(paths, f.Name) {
			err = notUTF8("--" + f.Name)
		}
	})
	takesPaths := strings.Contains(cmd.Use, "FILE") || strings.Contains(cmd.Use, "PATH")
	if err != nil || takesPaths || !slices.ContainsFunc(args, isNotUTF8) {
		return err
	}
	if cmd.Name() == "run" {
		return notUTF8("the prompt")
	}
	return notUTF8("an argument of " + cmd.CommandPath())
}

func isNotUTF8(s string) bool { return !utf8.ValidString(s) }

func notUTF8(what string) error {
	return exit.Usagef("%s is not UTF-8 text: convert it first, for example with iconv -t UTF-8", what)
}

func (g *globals) check() error {
	if !slices.Contains([]string{outputText, outputJSON, outputJSONL}, g.Output) {
		bad := g.Output
		g.Output = outputText
		return exit.Usagef("--output %q: use text, json or jsonl", bad)
	}
	if g.Verbose && g.Quiet {
		return exit.Usagef("--verbose and --quiet contradict each other: use one of them")
	}
	return nil
}

// outputIn finds the output format in arguments cobra refused, so that the
// refusal comes in that format wherever the flag stands.
func outputIn(args []string) string {
	found := lastOf(args, outputAt)
	if found != outputJSON && found != outputJSONL {
		return outputText
	}
	return found
}

// lastOf finds the last value of a flag in arguments cobra refused, "" if it has
// none. at reads one argument: the value it holds, whether it is that flag, and
// whether it takes the next argument as its value.
func lastOf(args []string, at func(arg string) (value string, spelled, taken bool)) (found string) {
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		value, spelled, taken := at(args[i])
		if taken && i+1 < len(args) { // the value is the next argument
			i++
			value = args[i]
		}
		if spelled {
			found = value
		}
	}
	return found
}

// outputAt reads one argument for lastOf: the output format.
func outputAt(arg string) (value string, spelled, taken bool) {
	if name, long := strings.CutPrefix(arg, "--"); long {
		name, value, inside := strings.Cut(name, "=")
		return value, name == "output", name == "output" && !inside
	}
	if !strings.HasPrefix(arg, "-") {
		return "", false, false
	}
	at := strings.IndexAny(arg, "oCm=") // o, and the other letters that take a value
	if at < 0 {
		return "", false, false
	}
	value = strings.TrimPrefix(arg[at+1:], "=")
	return value, arg[at] == 'o', arg[at] != '=' && at+1 == len(arg)
}

const rootLong = `agent works on a task in your repository: it explores read-only, asks you,
writes a plan, and builds what you approved.

Whenever it needs you the run is suspended and kept in a database. No process
waits; answer from any terminal, script or CI job with "agent resume".`

const rootExample = `  agent run --model demo "Add a greeting"
  agent resume latest --answer "English"
  agent resume latest --approve
  agent list --waiting`

func newRootCmd(io *iostreams.Streams, g *globals) *cobra.Command {
	w := &wiring{io: io, g: g}
	version := false
	root := &cobra.Command{
		Use:           "agent",
		Short:         "A coding agent that asks before it acts",
		Long:          rootLong,
		Example:       rootExample,
		Args:          argsOf(cobra.NoArgs),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if version {
				return versionRun(w)
			}
			return w.showHelp(cmd, args)
		},
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			g.understood = true
			if err := g.check(); err != nil {
				return err
			}
			if err := checkNotEmpty(cmd); err != nil {
				return err
			}
			return checkWords(cmd, args)
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit.Usagef("%s%s\nSee: %s --help%s", flagFault(err), nearFlag(cmd, err), cmd.CommandPath(), dashed(cmd, err))
	})
	root.SetOut(io.Out) // before the commands are made that keep it
	root.SetErr(io.Err)
	addGlobals(root, g)
	root.Flags().BoolVar(&version, "version", false, "print the version")
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp) // words are no files
	for _, g := range w.commands() {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.AddCommand(newExitCodesTopic(), newEnvironmentTopic())
	root.SetHelpCommand(newHelpCmd())
	root.SetHelpCommandGroupID(settingUp)
	root.SetCompletionCommandGroupID(settingUp)
	w.addCompletion(root)
	for _, c := range root.Commands() {
		c.SuggestFor = otherWords(c.Name())
	}
	return root
}

// commandGroup is what help lists under one title.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

// settingUp is the group of what is needed before and beside runs.
const settingUp = "Set up"

// commands are all commands but those cobra brings.
func (w *wiring) commands() []commandGroup {
	return []commandGroup{
		{"Start, answer and follow runs", []*cobra.Command{
			newRunCmd(w), newResumeCmd(w), newListCmd(w), newShowCmd(w), newWaitCmd(w), newEventsCmd(w), newCancelCmd(w), newPlansCmd(w),
		}},
		{"See and take back what a run did", []*cobra.Command{
			newDiffCmd(w), newUndoCmd(w), newVerifyCmd(w), newReplayCmd(w),
		}},
		{"Move and delete runs", []*cobra.Command{
			newExportCmd(w), newImportCmd(w), newDeleteCmd(w), newPruneCmd(w),
		}},
		{settingUp, []*cobra.Command{
			newInitCmd(w), newModelsCmd(w), newModesCmd(w), newToolsCmd(w), newPermissionsCmd(w), newConfigCmd(w), newTrustCmd(w), newDoctorCmd(w),
			newVersionCmd(w),
		}},
	}
}

func addGlobals(root *cobra.Command, g *globals) {
	f := root.PersistentFlags()
	f.StringVar(&g.DB, "db", "", "database of runs (AGENT_DB; default $XDG_DATA_HOME/agent/runs.db)")
	f.StringVarP(&g.Dir, "dir", "C", "", "work in this directory instead of the current one")
	f.StringVarP(&g.Output, "output", "o", outputText, "output format: text, json or jsonl")
	f.BoolVar(&g.NoColor, "no-color", false, "print without colour")
	f.BoolVarP(&g.Verbose, "verbose", "v", false, "show steps, tool output and token counts too")
	f.BoolVarP(&g.Quiet, "quiet", "q", false, "show no activity, only results and what is open")
	_ = root.RegisterFlagCompletionFunc("db", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)) // any file
	_ = root.MarkPersistentFlagDirname("dir")
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{outputText, outputJSON, outputJSONL}, cobra.ShellCompDirectiveNoFileComp))
}

// newHelpCmd is cobra's help, but for unknown topics being errors.
func newHelpCmd() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about a command or topic",
		ValidArgsFunction: completeTopics,
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil {
				topic, rest = cmd.Root(), args
			}
			if len(rest) > 0 {
				return exit.Usagef("unknown help topic %q%s\nSee: agent --help", strings.Join(args, " "), nearCommand(topic, rest[0]))
			}
			topic.InitDefaultHelpFlag()
			return topic.Help()
		},
	}
}

// showHelp is what a command that only holds others does without one of them.
// A script that reads JSON has not named what it wants.
func (w *wiring) showHelp(cmd *cobra.Command, _ []string) error {
	if !w.g.machine() {
		return cmd.Help()
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return exit.Hintf(exit.Usagef("name a command of %s", cmd.CommandPath()), "commands: %s", strings.Join(names, ", "))
}

// groupCmd is a command that only holds others: without one of them it prints
// its help, with an unknown one it is a usage error.
func (w *wiring) groupCmd(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Args: argsOf(cobra.NoArgs), RunE: w.showHelp,
	}
	c.AddCommand(subs...)
	return c
}

// argsOf turns cobra's complaints about arguments into usage errors. An empty
// one is refused like an empty flag: it does not mean that none is given.
func argsOf(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		switch {
		case err != nil:
			return exit.Usagef("%s\nSee: %s --help", argsFault(cmd, args, err), cmd.CommandPath())
		case slices.Contains(args, ""):
			return exit.Usagef("an argument of %s is empty: give it a value or leave it out", cmd.CommandPath())
		}
		return nil
	}
}

// argsFault says what is wrong with arguments. Where a command takes one it is
// a run.
func argsFault(cmd *cobra.Command, args []string, err error) string {
	name := cmd.CommandPath()
	switch {
	case cmd.HasSubCommands():
		near := nearCommand(cmd, args[0])
		if near == "" && !cmd.HasParent() && strings.Contains(strings.Join(args, " "), " ") {
			near = "\nto give it a task: agent run \"Add a greeting\""
		}
		return err.Error() + near
	case len(args) == 0 && strings.Contains(cmd.Use, "FILE"):
		return fmt.Sprintf("name a file: %s FILE, or %s - for stdin", name, name)
	case len(args) == 0:
		return fmt.Sprintf("name a run: %s RUNID, or %s latest", name, name)
	case strings.Contains(cmd.Use, "RUNID"):
		return fmt.Sprintf("%s takes one run, %d were given", name, len(args)) + elsewhere(cmd)
	}
	if strings.Contains(cmd.Use, "FILE") {
		return fmt.Sprintf("%s takes one file, %d were given", name, len(args))
	}
	return fmt.Sprintf("%s takes no arguments, %q was given", name, args[0])
}

// elsewhere says where what is taken for a second run is given.
func elsewhere(cmd *cobra.Command) string {
	switch cmd.Name() {
	case "resume":
		return "\nan answer is given with --answer, words for the agent with --message"
	case "export":
		return "\nthe file is given with --file"
	}
	return ""
}

// flagFault says what is wrong with a flag, without the names of functions
// that read it.
func flagFault(err error) string {
	message := err.Error()
	for _, f := range []struct{ reader, takes string }{
		{"strconv.ParseInt", "give a whole number"},
		{"strconv.ParseBool", "give true or false"},
		{"time: ", "give a duration, such as 10m"},
	} {
		if before, _, found := strings.Cut(message, " flag: "+f.reader); found {
			return before + " flag: " + f.takes
		}
	}
	return message
}
