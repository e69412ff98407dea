package cmd

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// broadness says what is too much about a directory to work in; "" if nothing
// is. In the root of the file system or a home directory the agent's tools
// reach what no task is about: keys, mails, other projects.
func (w *wiring) broadness(workspace string) string {
	if filepath.Dir(workspace) == workspace {
		return "the root of the file system"
	}
	for _, name := range []string{"HOME", "USERPROFILE"} {
		home := w.io.Env(name)
		if !filepath.IsAbs(home) {
			continue
		}
		if real, err := filepath.EvalSymlinks(home); err == nil {
			home = real
		}
		switch home = filepath.Clean(home); {
		case home == workspace:
			return "your home directory"
		case strings.HasPrefix(home, workspace+string(filepath.Separator)):
			return "a directory with your home directory in it"
		}
	}
	return ""
}

// recordable refuses a directory whose path a run could not keep: in JSON it
// would be that of another one.
func recordable(workspace string) error {
	if isNotUTF8(workspace) {
		return exit.Usagef("workspace %s: its path is not UTF-8, and a run would not find it again: rename the directory", workspace)
	}
	return nil
}

// agreeWorkspace asks before a run works in a directory that holds more than a
// project. Where nobody can be asked, a flag has to say it.
func (s *session) agreeWorkspace(ctx context.Context, workspace string, agreed bool) error {
	if err := recordable(workspace); err != nil {
		return err
	}
	what := s.w.broadness(workspace)
	if what == "" || agreed {
		return nil
	}
	refused := exit.Hintf(exit.Usagef("workspace %s is %s: every file in it would be open to the agent", workspace, what),
		"work in a project's directory: -C DIR; or add --any-workspace")
	p := s.person()
	if p == nil {
		return refused
	}
	p.Tell("%s is %s: every file in it would be open to the agent.", text.Field(workspace, 200), what)
	at, err := p.Pick(ctx, "Work here?", []terminal.Choice{
		{Label: "No"},
		{Label: "Work here", About: "for this run"},
	})
	if err != nil || at != 1 {
		return refused
	}
	return nil
}
