package agent

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever calls a model makes up, what is kept of them can be recorded, told
// apart and answered, and calls that were right are kept as they were.
func FuzzUniqueCalls(f *testing.F) {
	for _, args := range []string{`{"path":"a"}`, ``, ` `, `{"path":`, `"text"`, `[1]`, `null`, "{\"a\":\"\xff\"}", `{"a":1}{"b":2}`, strings.Repeat("[", 2000) + strings.Repeat("]", 2000)} {
		f.Add("call_1", "call_1", args, `{}`)
		f.Add("", "a#2", args, args)
		f.Add("\x1b[2Ja\u202eb", strings.Repeat("x", 5000), args, args)
	}
	f.Fuzz(func(t *testing.T, first, second, args, more string) {
		d := &drive{journal: journal{st: &State{calls: map[string]*call{"call_1": {}, "taken": {}}}}}
		in := []ToolCall{{ID: first, Name: "f", Args: json.RawMessage(args)}, {ID: second, Name: "g", Args: json.RawMessage(more)}, {ID: "taken"}}
		seen := map[string]bool{"call_1": true, "taken": true}
		for i, c := range d.uniqueCalls(in) {
			if c.ID == "" || seen[c.ID] || strings.ContainsAny(c.ID, "# \n\x1b\u202e") || len(c.ID) > 1100 || !utf8.ValidString(c.ID) {
				t.Fatalf("call %d has the ID %q", i, c.ID)
			}
			seen[c.ID] = true
			if _, err := json.Marshal(c); err != nil || !json.Valid(c.Args) {
				t.Fatalf("call %d cannot be recorded: %q, %v", i, c.Args, err)
			}
			if was := in[i].Args; isObject(was) && json.Valid(was) && depth(was) <= maxDepth && string(was) != string(c.Args) {
				t.Fatalf("arguments %q became %q", was, c.Args)
			}
			if isObject(c.Args) && len(bytes.TrimSpace(in[i].Args)) > 0 && !json.Valid(in[i].Args) {
				t.Fatalf("arguments %q were made up: %q", in[i].Args, c.Args)
			}
		}
	})
}
