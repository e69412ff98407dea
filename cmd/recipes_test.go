//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// recipe reads a recipe of docs/ci.md.
func recipe(t *testing.T, name string, into any) {
	t.Helper()
	block := regexp.MustCompile("(?s)<!-- recipe: " + name + " -->\n```yaml\n(.*?)```\n<!-- /recipe -->").FindStringSubmatch(readDoc(t, "ci.md"))
	if block == nil {
		t.Fatalf("docs/ci.md has no recipe %s", name)
	}
	if err := yaml.Unmarshal([]byte(block[1]), into); err != nil {
		t.Fatalf("recipe %s: %v", name, err)
	}
}

// runner is a machine of a pipeline: a checkout, an empty home, and stand-ins
// for what is not ours.
type runner struct {
	*bench
	temp string
}

func newRunner(t *testing.T, origin string) *runner {
	t.Helper()
	r := &runner{bench: newBench(t), temp: t.TempDir()}
	bin := t.TempDir()
	for name, script := range map[string]string{
		"jq": `exec json "${2#.}" <"$3"`,                   // jq -r .key FILE
		"gh": `printf '%s\n' "$@" >>"$RUNNER_TEMP/gh.log"`, // a pull request
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	home := t.TempDir()
	checkout := filepath.Join(home, "app")
	if out, err := exec.Command("git", "clone", "-q", origin, checkout).CombinedOutput(); err != nil {
		t.Fatalf("clone: %v\n%s", err, out)
	}
	r.dir = checkout
	r.env = map[string]string{
		"HOME": home, "XDG_DATA_HOME": filepath.Join(home, "data"), "PATH": bin + string(os.PathListSeparator) + os.Getenv("PATH"), "CI": "true",
		"GIT_CONFIG_NOSYSTEM": "1", "AGENT_MODEL": "demo", "TASK": "--add a greeting", "RUNNER_TEMP": r.temp, "GITHUB_STEP_SUMMARY": filepath.Join(r.temp, "summary.md"),
		"GITHUB_RUN_ID": "42", "GITHUB_ACTOR": "ann", "GITHUB_ACTIONS": "true", "CI_PIPELINE_ID": "42", "GITLAB_USER_LOGIN": "ann", "CI_PROJECT_DIR": checkout,
	}
	return r
}

// sh runs a step as the runners do.
func (r *runner) sh(step string) string {
	r.t.Helper()
	c := exec.Command("bash", "-e", "-o", "pipefail", "-c", step)
	c.Dir = r.dir
	for name, value := range r.env {
		c.Env = append(c.Env, name+"="+value)
	}
	out, err := c.CombinedOutput()
	if err != nil {
		r.t.Fatalf("step %s\n%v\n%s", step, err, out)
	}
	return string(out)
}

// give copies artifacts to another machine.
func (r *runner) give(to string, names ...string) {
	r.t.Helper()
	if err := os.MkdirAll(to, 0o755); err != nil {
		r.t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(r.dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), data, 0o644)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

// newOrigin is a repository to check out.
func newOrigin(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"git", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	dir := t.TempDir()
	c := exec.Command("sh", "-ec", `git init -q -b main . && echo "# App" >README.md && git add . && git -c user.name=a -c user.email=a@b commit -qm first && git config receive.denyCurrentBranch ignore`)
	c.Dir = dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

type githubJob struct {
	Environment string
	Steps       []struct{ Uses, Name, Run string }
}

func (j githubJob) do(r *runner) {
	for _, s := range j.Steps {
		if s.Run != "" && s.Name != "Install" { // it is installed
			r.sh(s.Run)
		}
	}
}

// TestRecipes_github runs the steps of docs/ci.md for GitHub Actions, each job
// on a machine of its own.
func TestRecipes_github(t *testing.T) {
	t.Parallel()
	var workflow struct {
		Jobs struct{ Plan, Build githubJob }
	}
	recipe(t, "github", &workflow)
	origin := newOrigin(t)
	plan, build := newRunner(t, origin), newRunner(t, origin)
	workflow.Jobs.Plan.do(plan)
	if got := plan.sh("git status --porcelain --untracked-files=all | sort"); strings.Contains(got, "demo-") || !strings.Contains(got, ".mastracode/plans/add-a-greeting.md") {
		t.Errorf("the plan job changed\n%s", got)
	}
	if summary, err := os.ReadFile(plan.env["GITHUB_STEP_SUMMARY"]); err != nil || !strings.Contains(string(summary), "# Plan: --add a greeting") {
		t.Errorf("the summary is %q, %v", summary, err)
	}
	plan.give(filepath.Join(build.temp, "agent"), "run.jsonl", "result.json", "plan.md")
	workflow.Jobs.Build.do(build)
	if workflow.Jobs.Build.Environment == "" {
		t.Error("nobody approves")
	}
	if log, err := os.ReadFile(filepath.Join(build.temp, "gh.log")); err != nil || !strings.Contains(string(log), "agent/42\n--title\n--add a greeting\n") {
		t.Errorf("gh was called with %q, %v", log, err)
	}
	if got := build.sh("git show --stat --name-only --format= HEAD"); !strings.Contains(got, "demo-add-a-greeting.md") {
		t.Errorf("the pull request holds\n%s", got)
	}
	if got := build.sh("agent plans list latest --output json"); !strings.Contains(got, `"decision":"approved","by":"ann"`) {
		t.Errorf("the plan is recorded as %s", got)
	}
}

// TestRecipes_gitlab does so for GitLab.
func TestRecipes_gitlab(t *testing.T) {
	t.Parallel()
	var pipeline struct {
		Plan, Build struct {
			Script    []string
			Artifacts struct{ Paths []string }
			When      string
		}
	}
	recipe(t, "gitlab", &pipeline)
	origin := newOrigin(t)
	plan, build := newRunner(t, origin), newRunner(t, origin)
	plan.sh(strings.Join(pipeline.Plan.Script, "\n"))
	plan.give(build.dir, pipeline.Plan.Artifacts.Paths...)
	build.sh(strings.Join(pipeline.Build.Script, "\n"))
	if pipeline.Build.When != "manual" {
		t.Error("nobody approves")
	}
	if _, err := os.Stat(filepath.Join(build.dir, "demo-add-a-greeting.md")); err != nil {
		t.Error(err)
	}
	if got := build.sh("agent show latest --output json"); !strings.Contains(got, `"status":"finished"`) || !strings.Contains(got, `"mode":"build"`) {
		t.Errorf("the run ended as %.400s", got)
	}
}
