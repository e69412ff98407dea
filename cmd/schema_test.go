//go:build linux || darwin

package cmd

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/doctor"
	"github.com/seed-3e5a1d81/agent/cmd/offer"
	"github.com/seed-3e5a1d81/agent/cmd/report"
	"github.com/seed-3e5a1d81/agent/cmd/rules"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/golden"
)

// schemaOf makes the schema of a type as encoding/json writes it. Objects are
// open, for keys may come, unless strict.
func schemaOf(t *testing.T, typ reflect.Type, strict bool) *jsonschema.Schema {
	t.Helper()
	text := &jsonschema.Schema{Type: "string"}
	s, err := jsonschema.ForType(typ, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage]():   {},
		reflect.TypeFor[any]():               {},
		reflect.TypeFor[agent.Duration]():    text,
		reflect.TypeFor[time.Time]():         {Type: "string", Format: "date-time"},
		reflect.TypeFor[config.Origin]():     text,
		reflect.TypeFor[agent.Status]():      oneOf(append(statusNames(), "")...), // "": no run was reached
		reflect.TypeFor[agent.Kind]():        oneOf("question", "plan", "approval", "in_doubt", "custom", ""),
		reflect.TypeFor[agent.PauseReason](): oneOf("limit", "provider", "stopped", "detached", ""),
		reflect.TypeFor[agent.DenyCause]():   oneOf("policy", "person", "nobody", "canceled"),
	}})
	if err != nil {
		t.Fatalf("schema of %s: %v", typ, err)
	}
	refine(s, strict)
	return s
}

func oneOf(words ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
	return s
}

// refine says what Go types do not: arrays are never null, and other keys may
// come.
func refine(s *jsonschema.Schema, strict bool) {
	if s == nil {
		return
	}
	if slices.Contains(s.Types, "array") {
		s.Type, s.Types = "array", nil
	}
	if len(s.Properties) > 0 && !strict {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		refine(p, strict)
	}
	refine(s.Items, strict)
	if len(s.Properties) == 0 {
		refine(s.AdditionalProperties, strict)
	}
}

// payloads are the types of the events' payloads.
var payloads = map[agent.EventType]any{
	agent.Start: agent.StartPayload{}, agent.UserMessage: agent.UserMessagePayload{}, agent.StepStart: agent.StepStartPayload{},
	agent.TextDelta: agent.DeltaPayload{}, agent.ReasoningDelta: agent.DeltaPayload{}, agent.ModelMessage: agent.MessagePayload{},
	agent.ToolCallRequested: agent.CallPayload{}, agent.ToolCallStarted: agent.StartedPayload{}, agent.ToolOutputText: agent.OutputPayload{},
	agent.ToolResult: agent.ResultPayload{}, agent.ToolCallSuspended: agent.SuspendedPayload{}, agent.ToolCallApproval: agent.SuspendedPayload{},
	agent.ToolOutputDenied: agent.DeniedPayload{}, agent.ToolCallResumed: agent.ResumedPayload{}, agent.ModeChanged: agent.ModeChangedPayload{},
	agent.StepFinish: agent.StepFinishPayload{}, agent.Pause: agent.PausePayload{}, agent.Resumed: agent.ResumePayload{},
	agent.Grant: agent.GrantPayload{}, agent.ContextLoaded: agent.ContextFile{}, agent.WorkspaceDigest: agent.SurveyPayload{},
	agent.Summary: agent.SummaryPayload{}, agent.Imported: agent.ImportPayload{}, agent.UndoStarted: agent.UndoPayload{}, agent.UndoFinished: agent.UndoPayload{},
	agent.RetryNotice: agent.RetryPayload{}, agent.Finish: agent.FinishPayload{}, agent.Failure: agent.ErrorPayload{}, agent.Abort: agent.ErrorPayload{},
}

// eventSchema is the envelope, and for each type its payload.
func eventSchema(t *testing.T, strict bool) *jsonschema.Schema {
	t.Helper()
	s := schemaOf(t, reflect.TypeFor[agent.Event](), strict)
	s.Properties["payload"] = &jsonschema.Schema{Type: "object"}
	for _, typ := range slices.Sorted(maps.Keys(payloads)) {
		name := any(string(typ))
		s.AllOf = append(s.AllOf, &jsonschema.Schema{
			If:   &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"type": {Const: &name}}},
			Then: &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"payload": payloadSchema(t, typ, strict)}},
		})
	}
	return s
}

func payloadSchema(t *testing.T, typ agent.EventType, strict bool) *jsonschema.Schema {
	s := schemaOf(t, reflect.TypeOf(payloads[typ]), strict)
	switch typ { // what State.GiveOut fills in
	case agent.ToolCallRequested, agent.ToolResult, agent.ToolCallSuspended, agent.ToolCallApproval, agent.ToolOutputDenied:
		s.Required = append(s.Required, "args")
	default:
		delete(s.Properties, "args")
	}
	if result := s.Properties["result"]; result != nil {
		result.Properties["submittedPlan"] = schemaOf(t, reflect.TypeFor[submittedPlan](), strict) // it writes itself
	}
	return s
}

// submittedPlan is agent.SubmittedPlan as it writes itself.
type submittedPlan struct {
	Path     string `json:"path"`
	Title    string `json:"title"`
	Plan     string `json:"plan"`
	Digest   string `json:"digest"`
	Revision int    `json:"revision"`
	Decision string `json:"decision"`
	Feedback string `json:"feedback,omitempty"`
}

// shapes are what commands print with --output json, by the name of the schema
// in docs/schema.
var shapes = map[string]any{
	"result": report.Final{},
	"show":   shownRun{},
	"import": importedRun{},
	"list": struct {
		Runs []listedRun `json:"runs"`
	}{},
	"events": struct {
		Events []agent.Event `json:"events"`
	}{},
	"delete": deletedRuns{},
	"diff":   runDiff{}, "undo": shownUndo{}, "verify": proof{}, "replay": replayed{},
	"plans-list": struct {
		Plans []agent.Plan `json:"plans"`
	}{},
	"plans-show": shownPlan{}, "plans-diff": planDifference{},
	"modes": struct {
		Modes []listedMode `json:"modes"`
	}{},
	"tools": struct {
		Tools []listedTool `json:"tools"`
	}{},
	"models": struct {
		Models []offer.Model `json:"models"`
	}{},
	"permissions-list": rules.List{}, "permissions-check": rules.Check{},
	"config": shownConfig{}, "init": initiated{}, "doctor": doctor.Examination{}, "version": versionInfo{},
	"trust": trustedProject{}, "trust-revoke": revokedTrust{},
	"trust-list": struct {
		Trusted []shownTrust `json:"trusted"`
	}{},
	"hook-tool": toolEvent{}, "hook-run": runEvent{},
}

// schema makes a named schema.
func schema(t *testing.T, name string, strict bool) *jsonschema.Schema {
	t.Helper()
	if name == "event" {
		return eventSchema(t, strict)
	}
	s := schemaOf(t, reflect.TypeOf(shapes[name]), strict)
	if events := s.Properties["events"]; events != nil {
		events.Items = eventSchema(t, strict)
	}
	return s
}

func schemaNames() []string { return append(slices.Sorted(maps.Keys(shapes)), "event") }

// TestSchemas holds docs/schema against the types: go test ./cmd -run
// TestSchemas -update writes it.
func TestSchemas(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "docs", "schema")
	var files []string
	for _, name := range schemaNames() {
		s := schema(t, name, false)
		s.Schema = "https://json-schema.org/draft/2020-12/schema"
		s.Title = "agent: " + name
		raw, err := json.MarshalIndent(s, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		golden.Want(t, filepath.Join(dir, name+".json"), string(raw)+"\n")
		files = append(files, name+".json")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(files, e.Name()) {
			t.Errorf("docs/schema/%s is the schema of nothing", e.Name())
		}
	}
}

// TestSchemas_everyEvent finds the types of events in the source.
func TestSchemas_everyEvent(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "agent", "event.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "EventType" {
			found++
			name := strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`)
			if payloads[agent.EventType(name)] == nil {
				t.Errorf("the event %s has no schema", name)
			}
		}
		return true
	})
	if found != len(payloads) {
		t.Errorf("%d types of events in the source, %d schemas", found, len(payloads))
	}
}

// checker holds what commands print against the schemas, where keys that are
// not in them count as faults: the schemas are complete.
type checker struct {
	t        *testing.T
	resolved map[string]*jsonschema.Resolved
	seen     map[string]bool
}

func newChecker(t *testing.T) *checker {
	c := &checker{t: t, resolved: map[string]*jsonschema.Resolved{}, seen: map[string]bool{}}
	for _, name := range schemaNames() {
		r, err := schema(t, name, true).Resolve(nil)
		if err != nil {
			t.Fatalf("resolve schema %s: %v", name, err)
		}
		c.resolved[name] = r
	}
	return c
}

func (c *checker) check(name string, raw []byte) {
	c.t.Helper()
	c.seen[name] = true
	if err := c.fits(name, raw); err != nil {
		c.t.Errorf("%v", err)
	}
}

// fits holds one JSON value against a schema. It may be called concurrently.
func (c *checker) fits(name string, raw []byte) error {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("%s: no JSON: %w\n%s", name, err, raw)
	}
	if err := c.resolved[name].Validate(v); err != nil {
		return fmt.Errorf("what is printed does not fit docs/schema/%s.json: %w\n%.2000s", name, err, raw)
	}
	return nil
}

// TestSchemas_refuse holds that the schemas tell what fits from what does not.
func TestSchemas_refuse(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	good := `{"seq":1,"at":"2026-11-30T10:00:00Z","type":"finish","runId":"x","from":"AGENT","payload":{"finishReason":"stop","usage":{"inputTokens":1,"outputTokens":1,"cacheReadTokens":0,"cacheWriteTokens":0,"reasoningTokens":0,"steps":1,"cost":null},"text":"Done."}}`
	c.check("event", []byte(good))
	for _, change := range [][2]string{
		{`"text":"Done."`, `"text":5`}, {`"text":"Done."`, `"txt":"Done."`}, {`"inputTokens":1`, `"inputTokens":"1"`},
		{`"type":"finish"`, `"type":"tool-call"`}, {`"runId":"x",`, ``}, {`"seq":1`, `"seq":"1"`}, {`"cost":null`, `"cost":"free"`},
	} {
		var v any
		if err := json.Unmarshal([]byte(strings.Replace(good, change[0], change[1], 1)), &v); err != nil {
			t.Fatal(err)
		}
		if c.resolved["event"].Validate(v) == nil {
			t.Errorf("%s instead of %s fits", change[1], change[0])
		}
	}
	raw, err := json.Marshal(report.Empty())
	if err != nil {
		t.Fatal(err)
	}
	c.check("result", raw)
	for _, text := range []string{`{}`, strings.Replace(string(raw), `"next":[]`, `"next":null`, 1), strings.Replace(string(raw), `{`, `{"more":1,`, 1)} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if c.resolved["result"].Validate(v) == nil {
			t.Errorf("%s fits", text)
		}
	}
}
