package next

import (
	"errors"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
)

// Hinted adds the next step to what a command failed with that stands before a
// run. prefix is what next commands begin with.
func Hinted(err error, st *agent.State, prefix []string) error {
	n := Run{Prefix: prefix, ID: st.Run.ID}
	var changed *agent.PlanChangedError
	var missing *model.MissingError
	switch {
	case errors.Is(err, agent.ErrBusy):
		return exit.Hintf(err, "wait for it: %s\nif that process is stuck, take the run from it: %s", n.Command("wait").Text, n.Resume("--take-over").Text)
	case exit.Hint(err) == "" && (errors.Is(err, agent.ErrRunEnded) || errors.Is(err, agent.ErrAlreadyAnswered)) && len(Of(st, st.Run.Status, prefix)) == 0:
		return exit.Hintf(err, "see how it went: %s", n.Command("show").Text)
	case errors.As(err, &missing):
		return exit.Hintf(&otherWays{err}, "name another model for this run: %s", n.Resume("--model", modelHere).Text)
	case errors.As(err, &changed) && changed.Now == nil && len(Waiting(st)) > 0:
		return exit.Hintf(err, "make %s a regular file of text again, remove it to approve the plan as it was shown, or reject the plan", changed.Was.Path)
	case errors.Is(err, agent.ErrInvalidAnswer):
		return hintAnswer(err, st)
	}
	return err
}

// hintAnswer names the flags for the answers that the error shows as JSON.
func hintAnswer(err error, st *agent.State) error {
	for _, sus := range Waiting(st) {
		if sus.Kind != agent.KindQuestion || !strings.Contains(err.Error(), " to "+sus.Ref()+":") {
			continue
		}
		if len(tell.QuestionOf(sus).Options) > 0 {
			return exit.Hintf(err, "in your own words: --other TEXT; without an answer: --skip")
		}
		return exit.Hintf(err, "without an answer: --skip")
	}
	return err
}

// otherWays is a missing model without the ways to start a run, where one has
// been started.
type otherWays struct{ err error }

func (o *otherWays) Error() string {
	message, _, _ := strings.Cut(o.err.Error(), "\ngo on with one of:")
	return message
}

func (o *otherWays) Unwrap() error { return o.err }
