package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

//go:embed list_files.md
var listFilesDescription string

const listFilesSchema = `{"type":"object","properties":{` +
	`"path":{"type":"string","description":"Directory, relative to the workspace. Default: the workspace."},` +
	`"depth":{"type":"integer","minimum":1,"maximum":100,"description":"How many levels to show. Default 3."}}}`

const (
	defaultDepth = 3
	maxDepth     = 100
	maxListed    = 1000
)

type listFiles struct{ closed Closed }

// ListFiles returns the tool list_files: a tree of names. What is
// closed it never shows.
func ListFiles(closed Closed) agent.Tool { return listFiles{closed: closed} }

// Definition implements agent.Tool.
func (listFiles) Definition() agent.Definition {
	return agent.Definition{
		Name: "list_files", Description: listFilesDescription, InputSchema: json.RawMessage(listFilesSchema),
		Effect: agent.EffectReadOnly, Category: agent.CategoryRead,
	}
}

// Call implements agent.Tool.
func (t listFiles) Call(ctx context.Context, call agent.Call) (agent.Result, error) {
	r, err := t.list(ctx, call)
	return settle(ctx, "list_files", r, err)
}

func (t listFiles) list(ctx context.Context, call agent.Call) (agent.Result, error) {
	a, err := decodeArgs(call.Args)
	if err != nil {
		return agent.Result{}, err
	}
	depth, err := a.integer("depth", defaultDepth, 1, maxDepth)
	if err != nil {
		return agent.Result{}, err
	}
	w, base, err := searchBase(a, call, t.closed)
	if err != nil {
		return agent.Result{}, err
	}
	defer w.close()
	var out strings.Builder
	fmt.Fprintf(&out, "%s/\n", printable(base))
	listed := 0
	wk := walk[entry]{w: w, into: func(e entry) bool { return e.depth < depth }}
	wk.look = func(entries []entry) []entry { return entries }
	wk.tell = func(e entry) {
		if listed >= maxListed {
			listed++
		} else if w.showable(e.rel) {
			listed++
			out.WriteString(strings.Repeat("  ", e.depth) + w.label(e, depth) + "\n")
		}
	}
	err = wk.run(ctx, base)
	switch {
	case listed == 0:
		out.WriteString("[empty, or everything in it is ignored]\n")
	case listed > maxListed:
		fmt.Fprintf(&out, "[the first %d of %d entries: name a path, or a smaller depth]\n", maxListed, listed)
	}
	return agent.Result{Content: out.String(), Details: map[string]any{"entries": listed}}, err
}

// searchBase opens the workspace and finds the directory or file that the
// optional argument path names.
func searchBase(a args, call agent.Call, closed Closed) (*workspace, string, error) {
	p, err := a.text("path")
	if err != nil {
		return nil, "", err
	}
	w, err := openWorkspace(call, closed)
	if err != nil {
		return nil, "", err
	}
	base, err := w.locate(p)
	if err != nil {
		w.close()
		return nil, "", err
	}
	return w, base, nil
}

// label is an entry's name with what its kind adds.
func (w *workspace) label(e entry, depth int) string {
	name := printable(e.name)
	switch {
	case e.typ == fs.ModeSymlink:
		target, err := w.root.Readlink(e.rel)
		if err != nil {
			return name
		}
		return name + " -> " + printable(target)
	case e.typ.IsDir() && e.depth == depth:
		return name + "/ ..."
	case e.typ.IsDir():
		return name + "/"
	}
	return name
}
