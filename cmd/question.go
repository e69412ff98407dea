package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
)

// Values of --on-question.
const (
	onPrompt   = "prompt"
	onSuspend  = "suspend"
	onFallback = "fallback"
	onFail     = "fail"
)

func onQuestionValues() []string { return []string{onPrompt, onSuspend, onFallback, onFail} }

// questionFlags say what becomes of a question.
type questionFlags struct {
	OnQuestion     string
	NonInteractive bool
}

func (q *questionFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&q.OnQuestion, "on-question", "", "what a question does: prompt, suspend, fallback or fail (AGENT_ON_QUESTION)")
	f.BoolVar(&q.NonInteractive, "non-interactive", false, "the same as --on-question fallback")
	_ = c.RegisterFlagCompletionFunc("on-question", cobra.FixedCompletions(onQuestionValues(), cobra.ShellCompDirectiveNoFileComp))
}

// conduct is how a command meets questions.
type conduct struct {
	OnQuestion agent.OnQuestion
	Prompt     bool // a person is there to be asked
	CI         bool // chosen because CI is set
	Detected   bool // neither a flag nor a variable says anything
}

// conduct decides by flag, then AGENT_ON_QUESTION, then CI, then whether there
// is a terminal.
func (q *questionFlags) conduct(io *iostreams.Streams) (conduct, error) {
	value, from, fault := q.OnQuestion, "--on-question", exit.Usagef
	if q.NonInteractive {
		if value != "" && value != onFallback {
			return conduct{}, exit.Usagef("--non-interactive means --on-question fallback and contradicts --on-question %s: use one of them", value)
		}
		value = onFallback
	}
	if value == "" {
		value, from, fault = io.Env("AGENT_ON_QUESTION"), "AGENT_ON_QUESTION", exit.Configf
	}
	if value == "" {
		return detected(io), nil
	}
	if !slices.Contains(onQuestionValues(), value) {
		return conduct{}, fault("%s %q: use %s", from, value, strings.Join(onQuestionValues(), ", "))
	}
	if value == onPrompt && !io.Interactive() {
		return conduct{}, fault("%s prompt needs a terminal on stdin and stderr: use suspend, fallback or fail", from)
	}
	return chosen(value), nil
}

func chosen(value string) conduct {
	switch value {
	case onPrompt:
		return conduct{Prompt: true}
	case onFallback:
		return conduct{OnQuestion: agent.OnQuestionFallback}
	case onFail:
		return conduct{OnQuestion: agent.OnQuestionFail}
	}
	return conduct{}
}

func detected(io *iostreams.Streams) conduct {
	if io.Set("CI") {
		return conduct{OnQuestion: agent.OnQuestionReadOnlyFallback, CI: true, Detected: true}
	}
	return conduct{Prompt: io.Interactive(), Detected: true}
}

// configured lets a configuration file decide what was only detected. "prompt"
// in a file is a wish for terminals: a command without one is no fault.
func (c conduct) configured(value string, io *iostreams.Streams) conduct {
	if !c.Detected || value == "" || value == onPrompt && !io.Interactive() {
		return c
	}
	return chosen(value)
}

// notice is the line that says that nobody will be asked because CI is set; ""
// where a question suspends as usual. but says which are answered after all.
func (c conduct) notice(m agent.Mode, but string) string {
	if !c.CI || m.MayWriteWorkspace() {
		return ""
	}
	return "CI is set: in mode " + m.ID + " questions and plans" + but + " are answered by a fallback and nobody is asked (--on-question suspend waits for you instead)"
}
