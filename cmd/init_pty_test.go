//go:build linux || darwin

package cmd

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/offer"
)

// ping is the reply of a model that calls the tool of a trial.
func ping() vendorTurn {
	return vendorTurn{ToolCalls: []vendorToolCall{{ID: "c", Name: offer.TrialTool, Args: []byte(`{"word":"ready"}`)}}}
}

// At a terminal a model is chosen, tried, and named in the file; one that does
// not work is told and another can be chosen.
func TestInit_terminal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		turns  []vendorTurn
		answer func(x *teletype)
		code   int
		want   string // in the file; "" for no file
	}{
		{"later", []vendorTurn{ping()}, func(x *teletype) { x.keys(enter) }, exit.OK, "#model ="},
		{"left", []vendorTurn{ping()}, func(x *teletype) { x.keys(ctrlC) }, exit.Suspended, ""},
		{"chosen", []vendorTurn{ping()}, func(x *teletype) {
			x.move(down)
			x.keys(enter)
			x.sees("It works: it called a tool")
		}, exit.OK, "\nmodel = \"ollama/small\"\n"},
		{"another", []vendorTurn{{Status: 400, Message: "this one is broken"}, {Text: "I cannot."}, ping()}, func(x *teletype) {
			x.move(down)
			x.keys(enter)
			x.sees("It does not work", "this one is broken", listReady)
			x.move(down)
			x.keys(enter)
			x.sees("called no tool")
			x.move(down, down)
			x.keys(enter)
			x.sees("It works")
		}, exit.OK, "\nmodel = \"ollama/large\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := newVendor(io.Discard, tt.turns...)
			t.Cleanup(v.Close)
			b := newDesk(t)
			b.env["OLLAMA_HOST"], b.env["XDG_CONFIG_HOME"] = v.URL, filepath.Join(b.env["HOME"], "config")
			x := dial(b, wired{columns: 100}, "init")
			x.sees("server found: ollama", "Which model should runs use?", listReady)
			tt.answer(x)
			if got := x.exits(); got != tt.code {
				t.Errorf("exit code %d, want %d:\n%s", got, tt.code, x.screen())
			}
			file, err := os.ReadFile(filepath.Join(b.env["HOME"], "config", "agent", "config.toml"))
			if (err == nil) != (tt.want != "") || !strings.Contains(string(file), tt.want) {
				t.Errorf("the file lacks %q: %v\n%.400s", tt.want, err, file)
			}
		})
	}
}
