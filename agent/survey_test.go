package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// countingSurvey is a look that tells how many files there are, and keeps what
// it was told of the one before.
func countingSurvey(asked *[]string) func(context.Context, string, string) (agent.Survey, error) {
	return func(_ context.Context, workspace, previous string) (agent.Survey, error) {
		*asked = append(*asked, previous)
		list, err := os.ReadDir(workspace)
		s := fmt.Sprintf("%d entries", len(list))
		return agent.Survey{Digest: s, Manifest: []byte(s), Files: int64(len(list))}, err
	}
}

func moments(surveys []agent.Surveyed) string {
	var list []string
	for _, s := range surveys {
		word := fmt.Sprintf("%s %s", s.When, s.Mode)
		if s.ReadOnly {
			word += " ro"
		}
		if s.Repeated {
			word += " again"
		}
		list = append(list, word)
	}
	return strings.Join(list, ", ")
}

// A process that takes a run up looks first, and again before it gives the run
// up or the mode changes; where no tool worked in between the look stands.
func TestSurvey_BracketsEachDrive(t *testing.T) {
	t.Parallel()
	var asked []string
	reads := tool("look", agent.EffectReadOnly, nil)
	makes := tool("make", agent.EffectOnce, nil)
	r := newRig(t, []any{calls(ask("q", "Which?")), calls(call("l", "look", `{}`), submit("p", planPath)), calls(call("m", "make", `{}`)), says("done")}, reads, makes)
	r.rebuild(func(c *agent.Config) { c.Survey = countingSurvey(&asked) })
	r.write(planPath, "# A plan\n\nDo it.\n")
	d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
	r.resume("Red", agent.Resume{RunID: d.runID}).wantStatus(agent.StatusSuspended)
	d = r.resume(agent.PlanDecision{Action: "approved"}, agent.Resume{RunID: d.runID}).wantStatus(agent.StatusFinished)
	want := "begin plan ro, end plan ro again, begin plan ro, end plan ro, begin plan ro, mode plan ro again, end build"
	if got := moments(d.state.Surveys()); got != want {
		t.Errorf("looks %q, want %q", got, want)
	}
	kept := agent.Digest([]byte("1 entries"))
	if want := strings.Repeat(" "+kept, 4); strings.Join(asked, " ") != want {
		t.Errorf("told of %q", asked)
	}
	if _, err := r.cfg.Store.Blob(t.Context(), kept); err != nil {
		t.Error(err)
	}
}

// A look that cannot be had is recorded and hinders nothing; a run without a
// workspace is not looked at.
func TestSurvey_AFaultHindersNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{says("done"), says("done")})
	r.rebuild(func(c *agent.Config) {
		c.Survey = func(context.Context, string, string) (agent.Survey, error) {
			return agent.Survey{}, errors.New("too large")
		}
	})
	d := r.start(agent.Task{}).wantStatus(agent.StatusFinished)
	if s := d.state.Surveys(); len(s) != 2 || s[0].Error != "too large" || s[0].Manifest != "" {
		t.Errorf("looks %+v", s)
	}
	d = drain(t, r.StreamTask(t.Context(), agent.Task{Prompt: "Do it"})).wantStatus(agent.StatusFinished)
	if s := d.state.Surveys(); len(s) != 0 {
		t.Errorf("looks without a workspace: %+v", s)
	}
}

// A tool that was stopped may have worked all the same: then the end is looked
// at anew.
func TestSurvey_LooksAfterAToolThatWasStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var r *rig
	sneaky := tool("look", agent.EffectReadOnly, func(ctx context.Context, _ agent.Call) (agent.Result, error) {
		r.write("planted", "x")
		cancel()
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	r = newRig(t, []any{calls(call("l", "look", `{}`))}, sneaky)
	var asked []string
	r.rebuild(func(c *agent.Config) { c.Survey = countingSurvey(&asked) })
	d := drain(t, r.StreamTask(ctx, agent.Task{Prompt: "Do it", Workspace: r.workspace})).wantStatus(agent.StatusPaused)
	s := d.state.Surveys()
	if len(s) != 2 || s[0].Digest == s[1].Digest {
		t.Errorf("looks %+v", s)
	}
	if _, err := os.Stat(filepath.Join(r.workspace, "planted")); err != nil {
		t.Fatal(err)
	}
}
