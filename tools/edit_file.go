package tools

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

//go:embed edit_file.md
var editFileDescription string

const editFileSchema = `{"type":"object","properties":{` +
	`"path":{"type":"string","description":"File to edit, relative to the workspace."},` +
	`"edits":{"type":"array","minItems":1,"description":"Replacements, made one after another; all or nothing.","items":{"type":"object","properties":{` +
	`"oldText":{"type":"string","description":"Text to replace, exactly as in the file."},` +
	`"newText":{"type":"string","description":"What takes its place; empty to delete."},` +
	`"all":{"type":"boolean","description":"Replace every match instead of the only one."}},` +
	`"required":["oldText","newText"]}}},"required":["path","edits"]}`

type editFile struct{ fileWriter }

// EditFile returns the tool edit_file; see WriteFile for its parameters. Edits
// apply one after another, each to what the one before left, all or none. In a
// file whose lines all end in CRLF the line ends of an edit are CRLF too.
func EditFile(plansDir string, closed Closed) agent.Tool {
	return editFile{fileWriter{plans: PlanDir{Dir: plansDir}, closed: closed}}
}

// Definition implements agent.Tool.
func (editFile) Definition() agent.Definition {
	return agent.Definition{
		Name: "edit_file", Description: editFileDescription, InputSchema: json.RawMessage(editFileSchema),
		Effect: agent.EffectOnce, Category: agent.CategoryEdit,
	}
}

// Call implements agent.Tool.
func (t editFile) Call(_ context.Context, call agent.Call) (agent.Result, error) {
	r, err := t.do(call, t.plan(call))
	if err != nil {
		return refuse("edit_file", err)
	}
	return r, nil
}

// Intent implements agent.Changer.
func (t editFile) Intent(_ context.Context, call agent.Call) ([]agent.FileChange, [][]byte) {
	return t.intent(call, t.plan(call))
}

func (t editFile) plan(call agent.Call) func(*workspace, args) (change, error) {
	return func(w *workspace, a args) (change, error) {
		p, err := a.required("path")
		if err != nil {
			return change{}, err
		}
		edits, err := parseEdits(a)
		if err != nil {
			return change{}, err
		}
		file, err := t.aim(w, call, p)
		if err != nil {
			return change{}, err
		}
		if file.info == nil {
			return change{}, fmt.Errorf("%s does not exist: create it with write_file", file.rel)
		}
		if _, done := file.intended(call.Intended); done {
			return change{target: file, data: file.data, says: fmt.Sprintf("Edited %s.", file.rel)}, nil
		}
		if err := file.known(call.Seen); err != nil {
			return change{}, err
		}
		if bytes.IndexByte(file.data, 0) >= 0 {
			return change{}, fmt.Errorf("%s is a binary file: change it with a command of its own kind", file.rel)
		}
		text, count, err := applyEdits(string(file.data), edits)
		if err != nil {
			return change{}, fmt.Errorf("%s: %w; nothing was changed", file.rel, err)
		}
		return file.changed([]byte(text), fmt.Sprintf("Edited %s: %s.", file.rel, plural(count, "replacement")))
	}
}

type edit struct {
	old, new string
	all      bool
}

func parseEdits(a args) ([]edit, error) {
	items, err := a.objects("edits")
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, errors.New("edits is required: give at least one {oldText, newText}")
	}
	edits := make([]edit, len(items))
	for i, item := range items {
		if edits[i], err = parseEdit(item); err != nil {
			return nil, fmt.Errorf("edits[%d]: %w", i, err)
		}
	}
	return edits, nil
}

func parseEdit(item args) (e edit, err error) {
	if e.old, err = item.text("oldText"); err != nil {
		return e, err
	}
	if e.new, err = item.text("newText"); err != nil {
		return e, err
	}
	if e.all, err = item.flag("all"); err != nil {
		return e, err
	}
	_, given := item["newText"]
	switch {
	case e.old == "":
		return e, errors.New("oldText is empty: name the text to replace")
	case !given:
		return e, errors.New("newText is required: give an empty string to delete the text")
	case e.old == e.new:
		return e, errors.New("oldText and newText are equal")
	}
	return e, nil
}

// applyEdits returns the text after all edits and how many places changed.
func applyEdits(text string, edits []edit) (string, int, error) {
	crlf := onlyCRLF([]byte(text))
	total := 0
	for i, e := range edits {
		if crlf {
			e.old, e.new = toCRLF(e.old), toCRLF(e.new)
		}
		n := strings.Count(text, e.old)
		switch {
		case n == 0:
			return "", 0, fmt.Errorf("edits[%d]: oldText does not occur; %s", i, nearest(text, e.old))
		case e.all:
			text = strings.ReplaceAll(text, e.old, e.new)
			total += n
			continue
		case !occursOnce(text, e.old):
			return "", 0, fmt.Errorf("edits[%d]: oldText occurs more than once, at %s: add text around it, or set all", i, linesWith(text, e.old))
		}
		text = strings.Replace(text, e.old, e.new, 1)
		total++
	}
	return text, total, nil
}

// occursOnce also counts matches that overlap: there it would be a guess which
// one was meant.
func occursOnce(text, old string) bool {
	return strings.Index(text, old) == strings.LastIndex(text, old)
}

func onlyCRLF(text []byte) bool {
	n := bytes.Count(text, []byte("\n"))
	return n > 0 && n == bytes.Count(text, []byte("\r\n"))
}

func toCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
