package cmd

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/internal/sandbox"
	"github.com/seed-3e5a1d81/agent/modes"
)

// A run says in one line that nothing confines its commands, if it has any.
func TestUnconfined(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		tools []string
		want  bool
	}{{"commands", []string{"read_file", "shell", "submit_plan"}, true}, {"none", []string{"read_file"}, false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			w := &wiring{io: newBench(t).streams(nil, &out), g: &globals{}}
			w.sandboxOnce.Do(func() { w.confining = sandbox.New(sandbox.Config{Engine: sandbox.None}) })
			controller, err := modes.New(modes.Config{
				Modes: modes.Builtin(modes.Options{Tools: c.tools, ReadOnlyShell: w.sandbox().ReadOnly()}), Tools: c.tools, Registered: c.tools,
			})
			if err != nil {
				t.Fatal(err)
			}
			w.unconfined(controller)
			if got := out.String(); strings.Contains(got, "nothing confines commands here") != c.want || strings.Count(got, "\n") > 1 {
				t.Errorf("said %q", got)
			}
			for _, tool := range controller.Tools(modes.Plan) {
				if tool == shellTool {
					t.Error("plan has commands, and nothing keeps them from writing")
				}
			}
		})
	}
}
