package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
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
	r, err := t.do(call, t.plan(call))
	if err != nil {
		return refuse("write_file", err)
	}
	return r, nil
}

// Intent implements agent.Changer.
func (t writeFile) Intent(_ context.Context, call agent.Call) ([]agent.FileChange, [][]byte) {
	return t.intent(call, t.plan(call))
}

func (t writeFile) plan(call agent.Call) func(*workspace, args) (change, error) {
	return func(w *workspace, a args) (change, error) {
		p, err := a.required("path")
		if err != nil {
			return change{}, err
		}
		if _, given := a["content"]; !given {
			return change{}, errors.New("content is required: give the whole new content as a string")
		}
		content, err := a.text("content")
		if err != nil {
			return change{}, err
		}
		file, err := t.aim(w, call, p)
		if err != nil {
			return change{}, err
		}
		if string(file.data) != content || file.info == nil {
			if err := file.known(call.Seen); err != nil {
				return change{}, err
			}
		}
		verb := "Wrote"
		if file.info == nil {
			verb = "Created"
		}
		return file.changed([]byte(content), fmt.Sprintf("%s %s (%d bytes).", verb, file.rel, len(content)))
	}
}
