//go:build linux || darwin

package cmd

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/seed-3e5a1d81/agent/agent"
)

// TestDocs_events holds the table of events in docs/json.md against the schemas:
// the same events, the same keys, and a question mark behind those that may be
// missing.
func TestDocs_events(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(readDoc(t, "json.md"), "\n| type | payload |\n|---|---|\n")
	told := map[agent.EventType][]string{}
	word, aside := regexp.MustCompile("`([a-zA-Z-]+)`(\\??)"), regexp.MustCompile(`\([^()]*\)`)
	for row := range strings.Lines(table) {
		types, keys, ok := strings.Cut(strings.TrimPrefix(row, "|"), "|")
		if !ok {
			break
		}
		keys, _, _ = strings.Cut(aside.ReplaceAllString(keys, ""), ";")
		list := map[string]string{}
		for _, m := range word.FindAllStringSubmatch(keys, -1) {
			list[m[1]] = m[1] + m[2] // what follows a colon repeats keys without the mark
			if m[2] == "" && strings.Contains(keys, "`"+m[1]+"`?") {
				list[m[1]] += "?"
			}
		}
		for _, m := range word.FindAllStringSubmatch(types, -1) {
			told[agent.EventType(m[1])] = slices.Sorted(maps.Values(list))
		}
	}
	are := map[agent.EventType][]string{}
	for typ := range payloads {
		s := payloadSchema(t, typ, false)
		for key := range s.Properties {
			if !slices.Contains(s.Required, key) {
				key += "?"
			}
			are[typ] = append(are[typ], key)
		}
		slices.Sort(are[typ])
	}
	if diff := cmp.Diff(are, told); diff != "" {
		t.Errorf("docs/json.md tells of other events than there are (-are +told):\n%s", diff)
	}
}

// TestDocs_keys holds that docs/json.md tells of every key of every schema.
func TestDocs_keys(t *testing.T) {
	t.Parallel()
	doc := readDoc(t, "json.md")
	for _, name := range schemaNames() {
		for _, key := range keysIn(schema(t, name, false)) {
			if !strings.Contains(doc, `"`+key+`"`) && !strings.Contains(doc, "`"+key+"`") {
				t.Errorf("docs/json.md lacks %q of docs/schema/%s.json", key, name)
			}
		}
	}
}

// keysIn are the keys a schema has, at any depth.
func keysIn(s *jsonschema.Schema) []string {
	if s == nil {
		return nil
	}
	keys := slices.Concat(keysIn(s.Items), keysIn(s.AdditionalProperties), keysIn(s.Then))
	for _, all := range s.AllOf {
		keys = append(keys, keysIn(all)...)
	}
	for key, p := range s.Properties {
		keys = append(append(keys, key), keysIn(p)...)
	}
	return keys
}

// TestDocs_examples holds every object docs/json.md shows against the schema of
// what it is an example of, key by key.
func TestDocs_examples(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	within := func(before, after string) func(string) string {
		return func(example string) string { return before + example + after }
	}
	alone := within("", "")
	examples := []struct {
		schema string
		whole  func(string) string
	}{
		{"result", alone}, {"list", within(`{"runs":[`, "]}")}, {"plans-list", within(`{"plans":[`, "]}")},
		{"diff", alone}, {"undo", alone}, {"replay", alone}, {"verify", alone},
		{"permissions-list", alone}, {"permissions-check", alone}, {"config", alone}, {"hook-tool", alone},
	}
	blocks := strings.Split(readDoc(t, "json.md"), "```json\n")[1:]
	if len(blocks) != len(examples) {
		t.Fatalf("docs/json.md shows %d objects, %d are known here", len(blocks), len(examples))
	}
	event := `{"type":"finish","runId":"x","from":"AGENT","payload":{"finishReason":"stop","usage":` + mustJSON(t, agent.Usage{}) + `,"text":""}}`
	shortened := strings.NewReplacer("[…]", "[]", "{…}", event)
	for i, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		if err := c.fits(examples[i].schema, []byte(shortened.Replace(examples[i].whole(block)))); err != nil {
			t.Errorf("example %d: %v", i+1, err)
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
