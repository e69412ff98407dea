// Package next says which commands go on with a run.
package next

import (
	"encoding/json"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Command is a command the reader may want to run now. Text is Argv quoted for a POSIX shell; words in angle brackets are for the reader to replace.
type Command struct {
	Text string   `json:"text"`
	Argv []string `json:"argv"`
}

// Placeholders, for the reader to replace.
const (
	MessageHere = "<message>"
	DirHere     = "<dir>"

	answerHere   = "<answer>"
	feedbackHere = "<feedback>"
	modelHere    = "<model>"
)

// Run is the run that commands are about.
type Run struct {
	Prefix []string // "agent" and the global flags that lead to the same database
	ID     string
}

// Resume is "agent resume" of the run.
func (n Run) Resume(words ...string) Command { return n.Command("resume", words...) }

// Command is a command about the run.
func (n Run) Command(name string, words ...string) Command {
	argv := append([]string{}, n.Prefix...)
	argv = append(argv, name, n.ID)
	argv = append(argv, words...)
	return Command{Text: text.ShellJoin(argv), Argv: argv}
}

// Of says what can be done about a run. They always carry the full
// run ID, the call, and the digest of what an approval would approve, so that
// pasting one late cannot decide on something else.
func Of(st *agent.State, status agent.Status, prefix []string) []Command {
	return For(st.Run, status, Waiting(st), prefix)
}

// Waiting is what a person can decide on in a run: what is open, or the
// undecided plan of a finished run.
func Waiting(st *agent.State) []agent.Suspension {
	if s, ok := st.Undecided(); ok {
		return []agent.Suspension{s}
	}
	return st.Open()
}

// For is Of without the journal.
func For(run agent.Run, status agent.Status, waiting []agent.Suspension, prefix []string) []Command {
	n := Run{Prefix: prefix, ID: run.ID}
	list := []Command{}
	switch status {
	case agent.StatusSuspended:
		for _, s := range waiting {
			list = append(list, n.Answers(s)...)
		}
	case agent.StatusFinished:
		for _, s := range waiting {
			list = append(list, n.decide(s, "--approve"))
		}
		if run.FinishReason == agent.FinishPlanRejected {
			list = append(list, n.Resume("--message", MessageHere))
		}
	case agent.StatusPaused:
		list = append(list, n.Resume(moreOf(run)...))
	case agent.StatusInterrupted, agent.StatusFailed:
		list = append(list, n.Resume())
	}
	return list
}

// Answers are the answers one suspension takes.
func (n Run) Answers(s agent.Suspension) []Command {
	switch s.Kind {
	case agent.KindQuestion:
		return []Command{n.Resume("--tool-call", s.Ref(), "--answer", answerHere)}
	case agent.KindPlan:
		return []Command{n.decide(s, "--approve"), n.decide(s, "--reject", "--feedback", feedbackHere)}
	case agent.KindApproval:
		list := []Command{n.decide(s, "--approve"), n.decide(s, "--reject")}
		if ruleOf(s) != "" {
			list = append(list, n.decide(s, "--approve", "--scope", agent.ScopeRun))
		}
		return list
	case agent.KindInDoubt:
		var list []Command
		for _, action := range []string{agent.Happened, agent.Again, agent.Stop} {
			list = append(list, n.Resume("--tool-call", s.Ref(), "--data", `{"action":"`+action+`"}`))
		}
		return list
	}
	return []Command{n.Resume("--tool-call", s.Ref(), "--data", answerHere)}
}

func (n Run) decide(s agent.Suspension, words ...string) Command {
	argv := append([]string{"--tool-call", s.Ref()}, words...)
	if d := Digest(s); d != "" {
		argv = append(argv, "--digest", d)
	}
	return n.Resume(argv...)
}

// Digest is the digest a suspension shows, "" if it has none.
func Digest(s agent.Suspension) string {
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

// Print shows the commands to a person.
func Print(on *screen.Screen, list []Command) {
	var texts []string
	for _, c := range list {
		texts = append(texts, c.Text)
	}
	tell.Commands(on, texts)
}
