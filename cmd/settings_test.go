package cmd

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/modes"
)

func TestScriptBeside(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"script:a.yaml":      "script:/home/ann/.config/agent/a.yaml",
		"script:../a.yaml":   "script:/home/ann/.config/a.yaml",
		"script:/tmp/a.yaml": "script:/tmp/a.yaml",
		"script:":            "script:",
		"demo":               "demo",
		"":                   "",
	} {
		if got := scriptBeside("/home/ann/.config/agent/config.toml", id); got != want {
			t.Errorf("%q is %q, want %q", id, got, want)
		}
	}
}

// TestModes_plansDir: a model is told where the plans go that submit_plan takes.
func TestModes_plansDir(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env["XDG_CONFIG_HOME"] = filepath.Join(b.dir, ".home", ".config")
	b.write(".home/.config/agent/config.toml", "plansDir = \"docs/plans\"\n")
	w := &wiring{io: b.streams(nil, nil), g: &globals{}}
	_, controller, err := w.modesHere()
	if err != nil {
		t.Fatal(err)
	}
	plan, _ := controller.Mode(modes.Plan)
	if !strings.Contains(plan.Instructions, "docs/plans/NAME.md") || strings.Contains(plan.Instructions, ".mastracode") {
		t.Errorf("instructions are %q", plan.Instructions)
	}
}

func TestKeyVariables(t *testing.T) {
	t.Parallel()
	cfg := &config.Config{Providers: []config.Value[config.Provider]{
		{Value: config.Provider{Name: "a", APIKeyEnv: "CREDENTIAL"}}, {Value: config.Provider{Name: "b"}},
	}}
	if got := keyVariables(cfg); len(got) != 1 || got[0] != "CREDENTIAL" {
		t.Errorf("variables %q", got)
	}
}

// TestConfig_needed: what shows runs and the program works whatever the
// configuration says.
func TestConfig_needed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env["XDG_CONFIG_HOME"] = filepath.Join(b.dir, ".home", ".config")
	b.write(".home/.config/agent/config.toml", "nonsense\n")
	for _, args := range [][]string{{"list"}, {"version"}, {"run", "--help"}, {"plans", "list"}, {"trust", "--list"}, {"help", "exit-codes"}} {
		b.run(args...).wants(t, exit.OK)
	}
	for _, args := range [][]string{{"config"}, {"modes"}, {"tools"}, {"trust"}, {"run", "--model", "demo", "x"}} {
		b.run(args...).wants(t, exit.Usage, "config.toml:1")
	}
}
