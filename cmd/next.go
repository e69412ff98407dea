package cmd

import (
	"encoding/json"
	"slices"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// nextCommand is a command the reader may want to run now. Text is Argv quoted
// for a POSIX shell; words in angle brackets are for the reader to replace.
type nextCommand struct {
	Text string   `json:"text"`
	Argv []string `json:"argv"`
}

// Placeholders of next commands.
const (
	answerHere   = "<answer>"
	feedbackHere = "<feedback>"
	messageHere  = "<message>"
	dirHere      = "<dir>"
	modelHere    = "<model>"
)

// nexter builds commands that go on with one run.
type nexter struct {
	prefix []string // "agent" and the global flags that lead to the same database
	runID  string
}

func (n nexter) resume(words ...string) nextCommand { return n.command("resume", words...) }

// command is a command about the run.
func (n nexter) command(name string, words ...string) nextCommand {
	argv := append([]string{}, n.prefix...)
	argv = append(argv, name, n.runID)
	argv = append(argv, words...)
	return nextCommand{Text: text.ShellJoin(argv), Argv: argv}
}

// placed adds to the prefix of next commands where a run is to go on whose
// workspace is gone.
func placed(prefix []string, run agent.Run) []string {
	if workspaceThere(run) == nil {
		return prefix
	}
	return append(slices.Clone(prefix), "-C", dirHere)
}

// nextCommands says what can be done about a run. They always carry the full
// run ID, the call, and the digest of what an approval would approve, so that
// pasting one late cannot decide on something else.
func nextCommands(st *agent.State, status agent.Status, prefix []string) []nextCommand {
	return nextFor(st.Run, status, waitingOf(st), prefix)
}

// waitingOf is what a person can decide on in a run: what is open, or the
// undecided plan of a finished run.
func waitingOf(st *agent.State) []agent.Suspension {
	if s, ok := st.Undecided(); ok {
		return []agent.Suspension{s}
	}
	return st.Open()
}

// nextFor is nextCommands without the journal.
func nextFor(run agent.Run, status agent.Status, waiting []agent.Suspension, prefix []string) []nextCommand {
	n := nexter{prefix: prefix, runID: run.ID}
	list := []nextCommand{}
	switch status {
	case agent.StatusSuspended:
		for _, s := range waiting {
			list = append(list, n.forSuspension(s)...)
		}
	case agent.StatusFinished:
		for _, s := range waiting {
			list = append(list, n.decide(s, "--approve"))
		}
		if run.FinishReason == agent.FinishPlanRejected {
			list = append(list, n.resume("--message", messageHere))
		}
	case agent.StatusPaused:
		list = append(list, n.resume(moreOf(run)...))
	case agent.StatusInterrupted, agent.StatusFailed:
		list = append(list, n.resume())
	}
	return list
}

// forSuspension returns the answers one suspension takes.
func (n nexter) forSuspension(s agent.Suspension) []nextCommand {
	switch s.Kind {
	case agent.KindQuestion:
		return []nextCommand{n.resume("--tool-call", s.Ref(), "--answer", answerHere)}
	case agent.KindPlan:
		return []nextCommand{n.decide(s, "--approve"), n.decide(s, "--reject", "--feedback", feedbackHere)}
	case agent.KindApproval:
		list := []nextCommand{n.decide(s, "--approve"), n.decide(s, "--reject")}
		if ruleOf(s) != "" {
			list = append(list, n.decide(s, "--approve", "--scope", agent.ScopeRun))
		}
		return list
	case agent.KindInDoubt:
		var list []nextCommand
		for _, action := range []string{agent.Happened, agent.Again, agent.Stop} {
			list = append(list, n.resume("--tool-call", s.Ref(), "--data", `{"action":"`+action+`"}`))
		}
		return list
	}
	return []nextCommand{n.resume("--tool-call", s.Ref(), "--data", answerHere)}
}

func (n nexter) decide(s agent.Suspension, words ...string) nextCommand {
	argv := append([]string{"--tool-call", s.Ref()}, words...)
	if d := digestOf(s); d != "" {
		argv = append(argv, "--digest", d)
	}
	return n.resume(argv...)
}

// digestOf is the digest a suspension shows, "" if it has none.
func digestOf(s agent.Suspension) string {
	var p struct {
		Digest string `json:"digest"`
	}
	_ = json.Unmarshal(s.Payload, &p) // a payload of another shape has no digest
	return p.Digest
}

// ruleOf is the rule an approval offers for the rest of the run, "" if none.
func ruleOf(s agent.Suspension) string {
	var a agent.ApprovalRequest
	_ = json.Unmarshal(s.Payload, &a) // a payload of another shape offers none
	return a.Rule
}

func printNext(on *screen.Screen, next []nextCommand) {
	var commands []string
	for _, n := range next {
		commands = append(commands, n.Text)
	}
	tell.Commands(on, commands)
}
