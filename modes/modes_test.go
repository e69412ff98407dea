package modes

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

//go:embed testdata/modes.json
var casesJSON []byte

type cases struct {
	Construction []struct {
		Name          string
		Modes         []agent.Mode
		DefaultModeID string
		Error         []string
	}
	Default []struct {
		Modes         []agent.Mode
		DefaultModeID string
		Is            string
	}
	Approval []struct {
		Modes    []agent.Mode
		From, To string
		Event    *bool
	}
}

func loadCases(t *testing.T) cases {
	t.Helper()
	var c cases
	if err := json.Unmarshal(casesJSON, &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Construction) == 0 || len(c.Default) == 0 || len(c.Approval) == 0 {
		t.Fatal("testdata/modes.json lacks a list of cases")
	}
	return c
}

func mustNew(t *testing.T, cfg Config) *Controller {
	t.Helper()
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func refused(t *testing.T, cfg Config, words ...string) {
	t.Helper()
	c, err := New(cfg)
	if err == nil || c != nil {
		t.Fatalf("New = %v, %v; want a refusal", c, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q lacks %q", err, w)
		}
	}
}

func TestNew_Cases(t *testing.T) {
	t.Parallel()
	for _, tc := range loadCases(t).Construction {
		t.Run(tc.Name, func(t *testing.T) {
			t.Parallel()
			refused(t, Config{Modes: tc.Modes, DefaultModeID: tc.DefaultModeID, Registered: []string{"ask_user"}}, tc.Error...)
		})
	}
}

func TestController_DefaultCases(t *testing.T) {
	t.Parallel()
	for i, tc := range loadCases(t).Default {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			c := mustNew(t, Config{Modes: tc.Modes, DefaultModeID: tc.DefaultModeID})
			if got := c.Default().ID; got != tc.Is {
				t.Errorf("default = %q, want %q", got, tc.Is)
			}
		})
	}
}

func TestController_AfterApprovalCases(t *testing.T) {
	t.Parallel()
	for i, tc := range loadCases(t).Approval {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			got := mustNew(t, Config{Modes: tc.Modes}).AfterApproval(tc.From)
			if got != tc.To {
				t.Errorf("approval in %q leads to %q, want %q", tc.From, got, tc.To)
			}
			if tc.Event != nil && *tc.Event != (got != tc.From) {
				t.Errorf("moves = %v, want %v", got != tc.From, *tc.Event)
			}
		})
	}
}

func TestNew_Refusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		mode  agent.Mode
		words []string
	}{
		{"unknown writes", agent.Mode{ID: "a", Writes: "some"}, []string{`"a"`, `"some"`, "none", "plans", "workspace"}},
		{"unknown in tools", agent.Mode{ID: "a", Tools: []string{"fly"}}, []string{`"a"`, `"fly"`, "tools"}},
		{"unknown in additionalTools", agent.Mode{ID: "a", AdditionalTools: []string{"fly"}}, []string{`"a"`, `"fly"`, "additionalTools"}},
		{"both fields, empty", agent.Mode{ID: "a", Tools: []string{}, AdditionalTools: []string{}}, []string{`"a"`, "tools", "additionalTools"}},
		{"nameless", agent.Mode{Name: "Review"}, []string{"Review", "id"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			refused(t, Config{Modes: []agent.Mode{tc.mode}, Tools: []string{"read"}}, tc.words...)
		})
	}
}

func TestController_Tools(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		mode agent.Mode
		want []string
	}{
		{"all", agent.Mode{}, []string{"read", "write", "ask"}},
		{"replaced", agent.Mode{Tools: []string{"web", "read"}}, []string{"web", "read"}},
		{"replaced by nothing", agent.Mode{Tools: []string{}}, []string{}},
		{"added", agent.Mode{AdditionalTools: []string{"web"}}, []string{"read", "write", "ask", "web"}},
		{"added what is there", agent.Mode{AdditionalTools: []string{"ask", "web", "web"}}, []string{"read", "write", "ask", "web"}},
		{"filtered, in the agent's order", agent.Mode{AvailableTools: []string{"ask", "read"}}, []string{"read", "ask"}},
		{"none available", agent.Mode{AvailableTools: []string{}}, []string{}},
		{"a filter adds nothing", agent.Mode{AvailableTools: []string{"web"}}, []string{}},
		{"replaced, then filtered", agent.Mode{Tools: []string{"web", "read"}, AvailableTools: []string{"web", "ask"}}, []string{"web"}},
		{"added, then filtered", agent.Mode{AdditionalTools: []string{"web"}, AvailableTools: []string{"web", "ask"}}, []string{"ask", "web"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.mode.ID = "m"
			c := mustNew(t, Config{
				Modes: []agent.Mode{tc.mode}, Tools: []string{"read", "write", "ask"}, Registered: []string{"read", "web"},
			})
			if got := c.Tools("m"); !slices.Equal(got, tc.want) {
				t.Errorf("tools = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestController_Lookup(t *testing.T) {
	t.Parallel()
	c := mustNew(t, Config{Modes: []agent.Mode{{ID: "a"}, {ID: "b", Name: "B"}}, Tools: []string{"read"}})
	if m, ok := c.Mode("b"); !ok || m.Name != "B" {
		t.Errorf("Mode(b) = %v, %v", m, ok)
	}
	if m, ok := c.Mode("c"); ok || m.ID != "" {
		t.Errorf("Mode(c) = %v, %v; want none", m, ok)
	}
	if got := c.Tools("c"); len(got) != 0 {
		t.Errorf("Tools(c) = %q, want none", got)
	}
	c.Modes()[0].ID = "changed"
	c.Tools("a")[0] = "changed"
	if got := c.Modes(); len(got) != 2 || got[0].ID != "a" || got[1].ID != "b" {
		t.Errorf("Modes = %v after a caller changed its copy", got)
	}
	if got := c.Tools("a"); got[0] != "read" {
		t.Errorf("Tools(a) = %q after a caller changed its copy", got)
	}
}
