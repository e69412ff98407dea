package modes

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

func productTools() []string {
	return []string{
		"ask_user", "submit_plan", "list_files", "read_file", "find_files",
		"search_text", "write_file", "edit_file", "shell", "tasks",
	}
}

func TestBuiltin_Tools(t *testing.T) {
	t.Parallel()
	reading := []string{"list_files", "read_file", "find_files", "search_text", "tasks", "ask_user"}
	planning := slices.Concat(reading, []string{"submit_plan", "write_file", "edit_file"})
	building := slices.Concat(reading, []string{"write_file", "edit_file", "shell"})
	tests := []struct {
		name string
		opts Options
		mode string
		want []string
	}{
		{"plan", Options{}, Plan, planning},
		{"build", Options{}, Build, building},
		{"explore", Options{}, Explore, reading},
		{"plan in a sandbox", Options{ReadOnlyShell: true}, Plan, append(slices.Clone(planning), "shell")},
		{"explore in a sandbox", Options{ReadOnlyShell: true}, Explore, append(slices.Clone(reading), "shell")},
		{"an agent of three tools", Options{Tools: []string{"read_file", "shell", "submit_plan"}}, Plan, []string{"read_file", "submit_plan"}},
		{"one's own tool is for building", Options{Tools: []string{"deploy", "submit_plan"}}, Build, []string{"deploy"}},
		{"nor for exploring", Options{Tools: []string{"deploy", "submit_plan"}}, Explore, nil},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			base := tc.opts.Tools
			if base == nil {
				base = productTools()
			}
			got := mustNew(t, Config{Modes: Builtin(tc.opts), Tools: base}).Tools(tc.mode)
			slices.Sort(got)
			want := slices.Sorted(slices.Values(tc.want))
			if !slices.Equal(got, want) {
				t.Errorf("tools = %q, want %q", got, want)
			}
		})
	}
}

func TestBuiltin_Modes(t *testing.T) {
	t.Parallel()
	c := mustNew(t, Config{Modes: Builtin(Options{}), Tools: productTools()})
	if got := c.Default().ID; got != Plan {
		t.Errorf("default = %q, want plan", got)
	}
	if got := c.AfterApproval(Plan); got != Build {
		t.Errorf("plan leads to %q, want build", got)
	}
	writes := map[string]agent.Writes{Plan: agent.WritesPlans, Build: agent.WritesWorkspace, Explore: agent.WritesNone}
	for _, m := range c.Modes() {
		if m.Writes != writes[m.ID] {
			t.Errorf("%s writes %q, want %q", m.ID, m.Writes, writes[m.ID])
		}
		if m.Name == "" || m.Description == "" || strings.TrimSpace(m.Instructions) == "" {
			t.Errorf("%s lacks a name, a description or instructions", m.ID)
		}
	}
	for _, w := range []string{".mastracode/plans/", "write_file", "submit_plan", "ask_user", "Never claim"} {
		if m, _ := c.Mode(Plan); !strings.Contains(m.Instructions, w) {
			t.Errorf("the instructions of plan lack %q", w)
		}
	}
}
