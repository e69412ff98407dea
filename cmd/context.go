package cmd

import (
	"fmt"
	"runtime"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/contextfile"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// contextFiles reads AGENTS.md and its like for a run that starts in
// workspace, and says which were loaded and which could not be.
func (w *wiring) contextFiles(cfg *config.Config, workspace string) ([]agent.ContextFile, error) {
	files, err := contextfile.Load(contextfile.Places{
		Root: cfg.Project.Root, Workspace: workspace,
		User: config.UserFile(w.io.Env, runtime.GOOS, "AGENTS.md"),
	})
	if err != nil {
		return nil, err
	}
	var out []agent.ContextFile
	for _, f := range files {
		if f.Notice != "" {
			w.tell(text.Line(f.Notice))
		}
		block := contextfile.Block([]contextfile.File{f})
		if block == "" {
			continue
		}
		out = append(out, agent.ContextFile{Path: f.Path, Digest: f.Digest, Size: int64(f.Size), Text: block})
		if !w.g.Quiet {
			w.tell(fmt.Sprintf("loaded %s (%d %s)", text.Line(f.Path), f.Size, text.Plural(f.Size, "byte", "bytes")))
		}
	}
	return out, nil
}
