package permission

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// exact returns the rule that allows one call and no other: NAME(WHAT), which
// ends at its last parenthesis. For shell WHAT is the command, with a
// backslash before each backslash and star, so that no reader of patterns
// takes it for one; for other tools it is the digest of the arguments without
// insignificant white space. It is "" where the arguments name no single
// command.
func exact(tool string, args json.RawMessage) string {
	if tool != shellTool {
		digest := argsDigest(args)
		if digest == "" {
			return ""
		}
		return fmt.Sprintf("%s(%s)", tool, digest)
	}
	command, ok := sole(args, "command")
	if !ok {
		return ""
	}
	return shellTool + "(" + escapeCommand(command) + ")"
}

func escapeCommand(command string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`).Replace(command)
}

// argsDigest is the digest of arguments; "" if they are no JSON.
func argsDigest(args json.RawMessage) string {
	var compact bytes.Buffer
	if json.Compact(&compact, args) != nil {
		return ""
	}
	return agent.Digest(compact.Bytes())
}

// sole is the one text that arguments have under a name. Decoders differ on
// keys given twice or in another case; such arguments must not be allowed for
// one reading and run in another.
func sole(args json.RawMessage, name string) (text string, ok bool) {
	all, exact := texts(args, name)
	if !exact || len(all) != 1 || all[0] == "" {
		return "", false
	}
	return all[0], true
}

// texts are all texts that a decoder may find under a name. exact is false
// where another key or value may be taken for it as well.
func texts(args json.RawMessage, name string) (all []string, exact bool) {
	dec := json.NewDecoder(bytes.NewReader(args))
	if t, err := dec.Token(); !json.Valid(args) || err != nil || t != json.Delim('{') {
		return nil, false
	}
	exact = true
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, false
		}
		var value any
		if dec.Decode(&value) != nil {
			return nil, false
		}
		if k, _ := key.(string); strings.EqualFold(k, name) {
			text, ok := value.(string)
			exact = exact && ok && k == name
			if ok {
				all = append(all, text)
			}
		}
	}
	return all, exact
}

// offer is the rule that a person is offered for the rest of a run: for tools
// that write, the file; for those that read, the file or the tree; else this
// call alone.
func offer(r agent.PermissionRequest) string {
	p, ok := sole(r.Args, "path")
	if !ok || r.Workspace == "" || r.Tool.Category != agent.CategoryEdit && r.Tool.Category != agent.CategoryRead {
		return exact(r.Tool.Name, r.Args)
	}
	places := placesOf(r.Workspace, p)
	if len(places) != 1 || places[0].rel == "" || strings.ContainsFunc(p, isControl) {
		return exact(r.Tool.Name, r.Args)
	}
	name := escapeGlob(places[0].rel)
	switch {
	case r.Tool.Category == agent.CategoryEdit:
		return "edit(" + name + ")"
	case tree(r.Tool) && name == ".":
		return r.Tool.Name + "(**)"
	case tree(r.Tool):
		return r.Tool.Name + "(" + name + "/**)"
	}
	return "read(" + name + ")"
}

// tree reports whether a tool reaches everything below its path.
func tree(t agent.Definition) bool {
	return t.Name == "list_files" || t.Name == "find_files" || t.Name == "search_text"
}
