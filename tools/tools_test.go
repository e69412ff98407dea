package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/seed-3e5a1d81/agent/agent"
)

// inputs are the names of the tools and their inputs: an interface.
var inputs = map[string]string{
	"list_files":  "depth path",
	"read_file":   "limit offset path",
	"find_files":  "path pattern",
	"search_text": "context glob ignoreCase path pattern",
	"write_file":  "content path",
	"edit_file":   "edits edits.all edits.newText edits.oldText path",
	"shell":       "command description timeout",
	"tasks":       "tasks tasks.content tasks.status",
	"ask_user":    "options options.description options.label question selectionMode",
	"submit_plan": "path",
}

// limits are numbers that a model is told.
var limits = map[string][]int{
	"list_files":  {defaultDepth, maxListed, maxDepth},
	"read_file":   {defaultLines},
	"find_files":  {maxFound},
	"search_text": {maxMatches, maxFile >> 20, maxContext},
	"shell":       {defaultTimeout, maxTimeout},
}

var wordInQuotes = regexp.MustCompile("`([a-z][A-Za-z_]*)`")

// enums are the values that a schema lists.
func enums(s *jsonschema.Schema) (values []string) {
	for _, v := range s.Enum {
		values = append(values, fmt.Sprint(v))
	}
	for _, p := range s.Properties {
		values = append(values, enums(p)...)
	}
	if s.Items != nil {
		values = append(values, enums(s.Items)...)
	}
	return values
}

func properties(s *jsonschema.Schema, prefix string) []string {
	var names []string
	for name, p := range s.Properties {
		names = append(names, prefix+name)
		if p.Items != nil {
			names = append(names, properties(p.Items, prefix+name+".")...)
		}
	}
	slices.Sort(names)
	return names
}

func TestAll_Definitions(t *testing.T) {
	t.Parallel()
	all := All(Config{})
	if len(all) != len(inputs) {
		t.Errorf("%d tools, want %d", len(all), len(inputs))
	}
	for _, tool := range all {
		d := tool.Definition()
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			var schema jsonschema.Schema
			if err := json.Unmarshal(d.InputSchema, &schema); err != nil {
				t.Fatal(err)
			}
			if _, err := schema.Resolve(nil); err != nil {
				t.Errorf("schema: %v", err)
			}
			names := properties(&schema, "")
			if got := strings.Join(names, " "); got != inputs[d.Name] {
				t.Errorf("inputs %s, want %s", got, inputs[d.Name])
			}
			for _, name := range names {
				last := name[strings.LastIndex(name, ".")+1:]
				if !strings.Contains(d.Description, "`"+last+"`") {
					t.Errorf("the description does not explain %s", name)
				}
			}
			known := append(enums(&schema), strings.Split(strings.ReplaceAll(strings.Join(names, " "), ".", " "), " ")...)
			for _, word := range wordInQuotes.FindAllStringSubmatch(d.Description, -1) {
				if !slices.Contains(known, word[1]) {
					t.Errorf("the description names %s, which is no input and no value of one", word[0])
				}
			}
			if n := len(d.Description); n < 100 || n > 1200 {
				t.Errorf("the description has %d bytes", n)
			}
			for _, limit := range limits[d.Name] {
				if !regexp.MustCompile(`\b` + fmt.Sprint(limit) + `\b`).MatchString(d.Description + string(d.InputSchema)) {
					t.Errorf("neither the description nor the schema says %d", limit)
				}
			}
			if d.Effect == "" || d.Category == "" {
				t.Errorf("effect %q, category %q", d.Effect, d.Category)
			}
		})
	}
}

func TestAll_EffectsAndPowers(t *testing.T) {
	t.Parallel()
	want := map[string]agent.Effect{"write_file": agent.EffectIdempotent, "edit_file": agent.EffectOnce, "shell": agent.EffectOnce}
	asks := map[string]agent.Kind{"ask_user": agent.KindQuestion, "submit_plan": agent.KindPlan}
	for _, tool := range All(Config{}) {
		d := tool.Definition()
		effect := agent.EffectReadOnly
		if e, ok := want[d.Name]; ok {
			effect = e
		}
		if d.Effect != effect || d.Asks != asks[d.Name] {
			t.Errorf("%s: effect %s, asks %q", d.Name, d.Effect, d.Asks)
		}
		_, checks := tool.(agent.AnswerChecker)
		_, schemes := tool.(agent.ResumeSchemer)
		if asking := d.Asks != ""; checks != asking || schemes != asking {
			t.Errorf("%s: checks answers %v, gives a schema %v", d.Name, checks, schemes)
		}
	}
	if SubmitPlan(PlanDir{Dir: "p"}).(agent.PlanHost).PlanReader() == nil {
		t.Error("submit_plan hides its reader")
	}
}

// Every answer a tool takes fits the schema it gave out.
func TestResumeSchema_FitsAnswers(t *testing.T) {
	t.Parallel()
	const question = `{"question":"?","options":[{"label":"A"},{"label":"B"}],"selectionMode":`
	for _, c := range []struct {
		tool            agent.Tool
		payload, answer string
		fits            bool
	}{
		{AskUser(), `{"question":"?"}`, `"x"`, true},
		{AskUser(), `{"question":"?"}`, `" "`, false},
		{AskUser(), `{"question":"?"}`, `{"skipped":true}`, true},
		{AskUser(), question + `"single_select"}`, `"A"`, true},
		{AskUser(), question + `"single_select"}`, `"C"`, false},
		{AskUser(), question + `"single_select"}`, `["A"]`, false},
		{AskUser(), question + `"single_select"}`, `{"custom":"C"}`, true},
		{AskUser(), question + `"multi_select"}`, `["B","A"]`, true},
		{AskUser(), question + `"multi_select"}`, `[]`, false},
		{AskUser(), question + `"multi_select"}`, `{"custom":"C","skipped":true}`, false},
		{SubmitPlan(nil), `{"path":"a.md"}`, `{"action":"approved"}`, true},
		{SubmitPlan(nil), `{"path":"a.md"}`, `{"action":"maybe"}`, false},
		{SubmitPlan(nil), `{"path":"a.md"}`, `{"action":"approved","x":1}`, false},
	} {
		var schema jsonschema.Schema
		if err := json.Unmarshal(c.tool.(agent.ResumeSchemer).ResumeSchema(json.RawMessage(c.payload)), &schema); err != nil {
			t.Fatal(err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal([]byte(c.answer), &v); err != nil {
			t.Fatal(err)
		}
		if fits := resolved.Validate(v) == nil; fits != c.fits {
			t.Errorf("%s for %s: schema says %v", c.answer, c.payload, fits)
		}
		_, err = c.tool.(agent.AnswerChecker).CheckAnswer(agent.Suspension{Payload: json.RawMessage(c.payload)}, json.RawMessage(c.answer))
		if (err == nil) != c.fits {
			t.Errorf("%s for %s: the tool says %v", c.answer, c.payload, err)
		}
	}
}

// Wrong types and missing inputs are error results that name the input.
func TestAll_WrongArguments(t *testing.T) {
	t.Parallel()
	for name, cases := range map[string][][2]string{
		"list_files":  {{`{"path":1}`, "path"}, {`{"depth":"3"}`, "depth"}, {`{"depth":0}`, "depth"}, {`{"depth":1.5}`, "depth"}, {`[]`, "JSON"}},
		"read_file":   {{`{}`, "path"}, {`{"path":" "}`, "path"}, {`{"path":"a","offset":0}`, "offset"}, {`{"path":"a","limit":true}`, "limit"}, {`{"path":null}`, "path"}},
		"find_files":  {{`{}`, "pattern"}, {`{"pattern":"[a"}`, "pattern"}, {`{"pattern":["*"]}`, "pattern"}},
		"search_text": {{`{}`, "pattern"}, {`{"pattern":"("}`, "RE2"}, {`{"pattern":"a","glob":"{"}`, "glob"}, {`{"pattern":"a","context":-1}`, "context"}, {`{"pattern":"a","ignoreCase":"yes"}`, "ignoreCase"}},
		"write_file":  {{`{"content":"x"}`, "path"}, {`{"path":"a"}`, "content"}, {`{"path":"a","content":null}`, "content"}, {`{"path":"a","content":{}}`, "content"}},
		"edit_file": {{`{"path":"a"}`, "edits"}, {`{"path":"a","edits":[]}`, "edits"}, {`{"path":"a","edits":{}}`, "edits"}, {`{"path":"a","edits":["x"]}`, "edits[0]"},
			{`{"path":"a","edits":[{"oldText":"","newText":"x"}]}`, "oldText"}, {`{"path":"a","edits":[{"oldText":"x"}]}`, "newText"},
			{`{"path":"a","edits":[{"oldText":"x","newText":"x"}]}`, "equal"}, {`{"path":"a","edits":[{"oldText":"x","newText":"y","all":1}]}`, "all"}},
		"shell":       {{`{}`, "command"}, {`{"command":""}`, "command"}, {`{"command":"echo a\u0000b"}`, "NUL"}, {`{"command":"true","timeout":0}`, "timeout"}, {`{"command":"true","timeout":3601}`, "timeout"}, {`{"command":"true","description":1}`, "description"}},
		"tasks":       {{`{}`, "tasks"}, {`{"tasks":"x"}`, "tasks"}, {`{"tasks":[{"content":"a","status":"done"}]}`, "status"}, {`{"tasks":[{"status":"pending"}]}`, "content"}},
		"submit_plan": {{`{"path":{}}`, "path"}, {`"x"`, "JSON"}},
	} {
		for _, c := range cases {
			t.Run(name+" "+c[0], func(t *testing.T) {
				t.Parallel()
				h := newHost(t, nil)
				h.write("a", "x")
				h.refused(toolNamed(t, name), c[0], name+": ", c[1])
			})
		}
	}
}

func toolNamed(t *testing.T, name string) agent.Tool {
	t.Helper()
	for _, tool := range All(Config{}) {
		if tool.Definition().Name == name {
			return tool
		}
	}
	t.Fatalf("no tool %s", name)
	return nil
}

func TestAll_WithoutWorkspace(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]string{
		"list_files": `{}`, "read_file": `{"path":"a"}`, "find_files": `{"pattern":"*"}`, "search_text": `{"pattern":"a"}`,
		"write_file": `{"path":"a","content":""}`, "edit_file": `{"path":"a","edits":[{"oldText":"a","newText":"b"}]}`, "shell": `{"command":"true"}`,
	} {
		h := newHost(t, nil)
		h.dir = ""
		h.refused(toolNamed(t, name), args, "no workspace")
	}
}

func TestTasks(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	r := h.ok(Tasks(), `{"tasks":[{"content":"read","status":"completed"},{"content":"write","status":"in_progress","x":1},{"content":"test","status":"pending"}]}`)
	if want := "[x] read\n[>] write\n[ ] test\n1 of 3 tasks completed."; r.Content != want {
		t.Errorf("content %q, want %q", r.Content, want)
	}
	if got := jsonOf(t, r.Details["tasks"]); got != `[{"content":"read","status":"completed"},{"content":"write","status":"in_progress"},{"content":"test","status":"pending"}]` {
		t.Errorf("details %s", got)
	}
	if got := jsonOf(t, h.ok(Tasks(), `{"tasks":[]}`).Details["tasks"]); got != `[]` {
		t.Errorf("cleared list %s", got)
	}
}

// The page about the tools says what their definitions do.
func TestDocs_Tools(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range All(Config{}) {
		d := tool.Definition()
		row := regexp.MustCompile("(?m)^\\|.*`" + d.Name + "`.*\\| ([a-z]+) \\| ([a-z_]+) \\| (.*) \\|$").FindStringSubmatch(string(page))
		if row == nil || row[1] != string(d.Category) || row[2] != string(d.Effect) {
			t.Errorf("%s: the page has %q", d.Name, row)
			continue
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(d.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		for name := range schema.Properties {
			if !strings.Contains(row[3], name) && !strings.Contains(row[3], "see") {
				t.Errorf("%s: the page does not name %s", d.Name, name)
			}
		}
	}
}
