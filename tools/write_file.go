package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/seed-3e5a1d81/agent/agent"
)

//go:embed write_file.md
var writeFileDescription string

const writeFileSchema = `{"type":"object","properties":{` +
	`"path":{"type":"string","description":"File to write, relative to the workspace."},` +
	`"content":{"type":"string","description":"The whole new content."}},` +
	`"required":["path","content"]}`

type writeFile struct{ fileWriter }

// WriteFile returns the tool write_file. It writes where the mode of the call
// lets it; plansDir is the plans directory, "" for DefaultPlansDir. What
// is closed it never touches. A file that is there must have been read in
// the run (Call.Seen), unless it has that content already.
func WriteFile(plansDir string, closed Closed) agent.Tool {
	return writeFile{fileWriter{plans: PlanDir{Dir: plansDir}, closed: closed}}
}

// Definition implements agent.Tool.
func (writeFile) Definition() agent.Definition {
	return agent.Definition{
		Name: "write_file", Description: writeFileDescription, InputSchema: json.RawMessage(writeFileSchema),
		Effect: agent.EffectIdempotent, Category: agent.CategoryEdit,
	}
}

// Call implements agent.Tool.
func (t writeFile) Call(_ context.Context, call agent.Call) (agent.Result, error) {
	r, err := t.write(call)
	if err != nil {
		return refuse("write_file", err)
	}
	return r, nil
}

func (t writeFile) write(call agent.Call) (agent.Result, error) {
	a, err := decodeArgs(call.Args)
	if err != nil {
		return agent.Result{}, err
	}
	p, err := a.required("path")
	if err != nil {
		return agent.Result{}, err
	}
	if _, given := a["content"]; !given {
		return agent.Result{}, fmt.Errorf("content is required: give the whole new content as a string")
	}
	content, err := a.text("content")
	if err != nil {
		return agent.Result{}, err
	}
	w, err := openWorkspace(call, t.closed)
	if err != nil {
		return agent.Result{}, err
	}
	defer w.close()
	file, err := t.aim(w, call, p)
	if err != nil {
		return agent.Result{}, err
	}
	if file.info != nil && string(file.data) == content {
		return file.unchanged(), nil
	}
	if err := file.known(call.Seen); err != nil {
		return agent.Result{}, err
	}
	verb := "Wrote"
	if file.info == nil {
		verb = "Created"
	}
	return file.put(w, []byte(content), fmt.Sprintf("%s %s (%d bytes).", verb, file.rel, len(content)))
}
