package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
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
	wk := walk[string]{w: w, into: func(entry) bool { return true }}
	wk.look = func(entries []entry) (names []string) {
		for _, e := range entries {
			if !e.typ.IsDir() && matchGlob(pattern, below(base, e.rel)) {
				names = append(names, e.rel)
			}
		}
		return names
	}
	wk.tell = func(name string) {
		if found >= maxFound {
			found++
		} else if w.showable(name) {
			found++
			out.WriteString(printable(name) + "\n")
		}
	}
	err = wk.run(ctx, base)
	switch {
	case found == 0:
		out.WriteString("No files match.\n")
	case found > maxFound:
		fmt.Fprintf(&out, "[the first %d of %d files: narrow the pattern or the path]\n", maxFound, found)
	}
	return agent.Result{Content: out.String(), Details: map[string]any{"files": found}}, err
}

// matchGlob matches a glob against a path relative to where a search began; a
// glob without a slash is matched against the name alone, at any depth.
func matchGlob(glob, rel string) bool {
	if !strings.Contains(glob, "/") {
		rel = path.Base(rel)
	}
	return doublestar.MatchUnvalidated(glob, rel)
}

// below is rel as seen from the directory base.
func below(base, rel string) string {
	if base == "." {
		return rel
	}
	return strings.TrimPrefix(rel, base+"/")
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
