package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// What is masked reaches neither the journal nor the stream nor the model.
func TestAgent_Mask(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	leak := tool("leak", agent.EffectReadOnly, func(_ context.Context, c agent.Call) (agent.Result, error) {
		c.Output("seen: " + secret[:5])
		c.Output(secret[5:] + "\nand more")
		return agent.Result{Content: "it is " + secret, Blobs: [][]byte{[]byte("kept " + secret)}}, nil
	})
	r := newRig(t, []any{calls(call("l", "leak", `{}`)), calls(submit("p", planPath)), says("done")}, leak)
	r.rebuild(func(c *agent.Config) {
		c.Mask = func(data []byte) []byte { return bytes.ReplaceAll(data, []byte(secret), []byte("[secret PW]")) }
		c.MaskStream = func() (func(string) string, func() string) {
			var held strings.Builder
			return func(piece string) string { held.WriteString(piece); return "" },
				func() string { return strings.ReplaceAll(held.String(), secret, "[secret PW]") }
		}
	})
	r.write(planPath, "# T\n\nUse "+secret+"\n")
	d := r.start(agent.Task{Prompt: "The password is " + secret}).wantStatus(agent.StatusFinished)
	wantContains(t, results(t, r.load(d.runID).Events)["p"], "secret")
	shown, err := json.Marshal([]any{d.events, r.load(d.runID), r.model.requests()})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(shown), secret) || !strings.Contains(string(shown), "[secret PW]") {
		t.Fatalf("a secret got through: %s", shown)
	}
	if _, err := r.cfg.Store.Blob(t.Context(), agent.Digest([]byte("kept "+secret))); err == nil {
		t.Fatal("a blob with a secret was kept")
	}
}
