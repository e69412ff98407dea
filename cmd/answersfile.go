package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/file"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/internal/answers"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// viaFile is how answers from --answers came. A plan is then decided by the
// file, which is a policy; nobody looked at this very plan.
const (
	viaFile  = "file"
	byPolicy = "policy:"
)

// answersFile is the attendant that answers from a file. A nil one has no
// answers.
type answersFile struct {
	*answers.File
	by string // who gave the file
}

// readAnswers reads the file of --answers, nil if there is none. It may be a
// pipe, or - for stdin.
func (w *wiring) readAnswers(ctx context.Context, name, by string) (*answersFile, error) {
	if name == "" {
		return nil, nil
	}
	var data []byte
	var err error
	if name == fromStdin {
		var said string
		said, err = w.io.ReadNeeded(ctx, "--answers -")
		name, data = "/dev/stdin", []byte(said) // what it is called, and where it leads
	} else {
		data, err = readAnswersFrom(file.At(w.io.Dir, name), name)
	}
	if err != nil {
		return nil, err
	}
	file, err := answers.Parse(name, data)
	if err != nil {
		return nil, exit.Usagef("--answers: %v", err)
	}
	return &answersFile{File: file, by: by}, nil
}

func readAnswersFrom(path, name string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, exit.Usagef("--answers %s: %v", name, file.Cause(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, answers.MaxSize+1))
	if err != nil {
		return nil, exit.Usagef("--answers %s: %v", name, file.Cause(err))
	}
	if len(data) > answers.MaxSize {
		return nil, exit.Usagef("--answers %s: larger than %d KiB", name, answers.MaxSize>>10)
	}
	return data, nil
}

// warnInside says that the agent could write its own answers.
func (a *answersFile) warnInside(w *wiring, workspace string) {
	if a == nil {
		return
	}
	real, err := filepath.EvalSymlinks(file.At(w.io.Dir, a.Path))
	if err != nil {
		return // a pipe
	}
	if rel, err := filepath.Rel(workspace, real); err == nil && filepath.IsLocal(rel) {
		w.tell(fmt.Sprintf("warning: %s lies inside the workspace, where the agent can read it, and change it for the next run", a.Path))
	}
}

// conduct is what becomes of what the file does not answer: a flag decides,
// then the file, then what decides without one.
func (a *answersFile) conduct(flags *questionFlags, otherwise conduct) conduct {
	if a == nil || a.OnUnmatched == "" || flags.OnQuestion != "" || flags.NonInteractive {
		return otherwise
	}
	return chosen(a.OnUnmatched)
}

// but says which questions and plans do not fall back.
func (a *answersFile) but() string {
	if a == nil {
		return ""
	}
	return " that " + a.Path + " does not answer"
}

// expected is the agent.Expected of a drive.
func (a *answersFile) expected() agent.Expected {
	if a == nil {
		return nil
	}
	return func(s agent.Suspension) bool {
		switch s.Kind {
		case agent.KindQuestion:
			return a.Rule(s.Ref(), tell.QuestionOf(s).Question) != nil
		case agent.KindPlan:
			return a.Plan.Decides(s.Ref(), next.Digest(s))
		}
		return false
	}
}

// replies are the answers to what a run waits for.
func (a *answersFile) replies(st *agent.State) []reply {
	if a == nil || st == nil {
		return nil
	}
	var out []reply
	for _, s := range next.Waiting(st) {
		switch s.Kind {
		case agent.KindQuestion:
			if r := a.Rule(s.Ref(), tell.QuestionOf(s).Question); r != nil {
				r.Used()
				out = append(out, reply{to: s, answer: r.Answer, by: a.by, via: viaFile, from: a.place(r.Line)})
			}
		case agent.KindPlan:
			if a.Plan.Decides(s.Ref(), next.Digest(s)) && a.Plan.Action != answers.Suspend {
				a.Plan.Used()
				out = append(out, reply{to: s, answer: a.decision(), by: byPolicy + text.Field(a.Path, longestName), via: viaFile, from: a.place(a.Plan.Line)})
			}
		}
	}
	return out
}

func (a *answersFile) place(line int) string { return fmt.Sprintf("%s:%d", a.Path, line) }

func (a *answersFile) decision() agent.PlanDecision {
	d := agent.PlanDecision{Action: agent.Rejected, Feedback: a.Plan.Feedback}
	if a.Plan.Action == answers.Approve {
		d.Action = agent.Approved
	}
	return d
}

// answersAll reports whether the file answers all that a run waits for.
func (a *answersFile) answersAll(st *agent.State) bool {
	if a == nil {
		return false
	}
	expected := a.expected()
	for _, s := range next.Waiting(st) {
		if !expected(s) || s.Kind == agent.KindPlan && a.Plan.Action == answers.Suspend {
			return false
		}
	}
	return true
}

// decides reports whether the file decides about the undecided plan of a run.
func (a *answersFile) decides(st *agent.State) bool {
	s, undecided := st.Undecided()
	return a != nil && undecided && a.Plan != nil && a.Plan.Action != answers.Suspend && a.Plan.Decides(s.Ref(), next.Digest(s))
}

// leaves reports whether the file says that what a run waits for stays open.
func (a *answersFile) leaves(st *agent.State) bool {
	if a == nil || st == nil || a.Plan == nil || a.Plan.Action != answers.Suspend {
		return false
	}
	for _, s := range next.Waiting(st) {
		if s.Kind != agent.KindPlan || !a.Plan.Decides(s.Ref(), next.Digest(s)) {
			return false
		}
	}
	return true
}

// placed adds to an answer that was refused where it stands.
func (r reply) placed(err error) error {
	if r.from == "" || !errors.Is(err, agent.ErrInvalidAnswer) {
		return err
	}
	return fmt.Errorf("%s: %w", r.from, err)
}

// tellIdle says which rules of the file matched nothing.
func (a *answersFile) tellIdle(w *wiring) {
	if a == nil {
		return
	}
	for _, line := range a.Idle() {
		w.tell(line)
	}
}
