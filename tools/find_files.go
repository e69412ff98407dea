package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/seed-3e5a1d81/agent/agent"
)

//go:embed find_files.md
var findFilesDescription string

const findFilesSchema = `{"type":"object","properties":{` +
	`"pattern":{"type":"string","description":"Glob, for example **/*_test.go or *.{ts,tsx}"},` +
	`"path":{"type":"string","description":"Directory to search, relative to the workspace. Default: the workspace."}},` +
	`"required":["pattern"]}`

const maxFound = 500

type findFiles struct{ closed Closed }

// FindFiles returns the tool find_files: files by a glob on their paths.
// What is closed it never shows.
func FindFiles(closed Closed) agent.Tool { return findFiles{closed: closed} }

// Definition implements agent.Tool.
func (findFiles) Definition() agent.Definition {
	return agent.Definition{
		Name: "find_files", Description: findFilesDescription, InputSchema: json.RawMessage(findFilesSchema),
		Effect: agent.EffectReadOnly, Category: agent.CategoryRead,
	}
}

// Call implements agent.Tool.
func (t findFiles) Call(ctx context.Context, call agent.Call) (agent.Result, error) {
	r, err := t.find(ctx, call)
	return settle(ctx, "find_files", r, err)
}

func (t findFiles) find(ctx context.Context, call agent.Call) (agent.Result, error) {
	a, err := decodeArgs(call.Args)
	if err != nil {
		return agent.Result{}, err
	}
	pattern, err := a.required("pattern")
	if err != nil {
		return agent.Result{}, err
	}
	if pattern, err = cleanGlob("pattern", pattern, call.Workspace); err != nil {
		return agent.Result{}, err
	}
	w, base, err := searchBase(a, call, t.closed)
	if err != nil {
		return agent.Result{}, err
	}
	defer w.close()
	var out strings.Builder
	found := 0
	err = w.walk(ctx, base, func(e entry) (bool, error) {
		if e.IsDir() || !matchGlob(pattern, below(base, e.rel)) {
			return true, nil
		}
		if found == maxFound {
			fmt.Fprintf(&out, "[more than %d files: narrow the pattern or the path]\n", maxFound)
			return false, errStopWalk
		}
		found++
		out.WriteString(printable(e.rel) + "\n")
		return false, nil
	})
	if found == 0 && err == nil {
		out.WriteString("No files match.\n")
	}
	return agent.Result{Content: out.String(), Details: map[string]any{"files": found}}, err
}

// cleanGlob checks a glob and makes it relative.
func cleanGlob(name, glob, workspace string) (string, error) {
	glob = strings.TrimPrefix(glob, filepath.ToSlash(filepath.Clean(workspace))+"/")
	glob = strings.TrimPrefix(glob, "./")
	if !doublestar.ValidatePattern(glob) {
		return "", fmt.Errorf("%s %q is no valid glob", name, glob)
	}
	return glob, nil
}
