package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/seed-3e5a1d81/agent/agent"
)

//go:embed read_file.md
var readFileDescription string

const readFileSchema = `{"type":"object","properties":{` +
	`"path":{"type":"string","description":"File to read, relative to the workspace."},` +
	`"offset":{"type":"integer","minimum":1,"description":"First line to show, counted from 1. Default 1."},` +
	`"limit":{"type":"integer","minimum":1,"description":"How many lines to show. Default 2000."}},` +
	`"required":["path"]}`

type readFile struct{ closed Closed }

// ReadFile returns the tool read_file. What is closed it never reads. Whatever lines are shown, the digest of the whole file is in
// Result.Files; of files over 16 MiB lines are shown without it, so that they
// cannot be edited.
func ReadFile(closed Closed) agent.Tool { return readFile{closed: closed} }

// Definition implements agent.Tool.
func (readFile) Definition() agent.Definition {
	return agent.Definition{
		Name: "read_file", Description: readFileDescription, InputSchema: json.RawMessage(readFileSchema),
		Effect: agent.EffectReadOnly, Category: agent.CategoryRead,
	}
}

// Call implements agent.Tool.
func (t readFile) Call(ctx context.Context, call agent.Call) (agent.Result, error) {
	r, err := t.read(ctx, call)
	return settle(ctx, "read_file", r, err)
}

func (t readFile) read(ctx context.Context, call agent.Call) (agent.Result, error) {
	a, err := decodeArgs(call.Args)
	if err != nil {
		return agent.Result{}, err
	}
	p, err := a.required("path")
	if err != nil {
		return agent.Result{}, err
	}
	var pg page
	if pg.first, err = a.integer("offset", 1, 1, math.MaxInt32); err != nil {
		return agent.Result{}, err
	}
	if pg.limit, err = a.integer("limit", defaultLines, 1, math.MaxInt32); err != nil {
		return agent.Result{}, err
	}
	w, err := openWorkspace(call, t.closed)
	if err != nil {
		return agent.Result{}, err
	}
	defer w.close()
	rel, err := w.locate(p)
	if err != nil {
		return agent.Result{}, err
	}
	if err := w.credentials(rel); err != nil {
		return agent.Result{}, err
	}
	f, info, err := openFile(w.root, rel)
	switch {
	case errors.Is(err, errDirectory):
		return agent.Result{}, fmt.Errorf("%s is a directory: use list_files", p)
	case errors.Is(err, fs.ErrNotExist):
		return agent.Result{}, fmt.Errorf("%s does not exist: find_files looks for names", p)
	case err != nil:
		return agent.Result{}, err
	}
	defer f.Close()
	return pg.read(ctx, rel, f, info.Size())
}
