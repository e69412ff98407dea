package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
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

// stutter is a model that says a text letter by letter, to itself and aloud, and
// breaks off before it has finished the first time.
type stutter struct {
	text  string
	asked int
}

func (s *stutter) ID() string { return "stutter" }

func (s *stutter) Stream(context.Context, agent.Request) iter.Seq2[agent.Chunk, error] {
	s.asked++
	return func(yield func(agent.Chunk, error) bool) {
		for i, letter := range s.text + s.text {
			if !yield(agent.Chunk{ID: "b", Text: string(letter), Reasoning: i < len(s.text)}, nil) {
				return
			}
		}
		if s.asked == 1 {
			yield(agent.Chunk{}, &agent.ProviderError{Message: "cut", Retryable: true})
			return
		}
		yield(agent.Chunk{Reply: &agent.Reply{Text: s.text}}, nil)
	}
}

// A secret that a reply says in pieces is masked on the screen as it is in the
// journal, and the rest of the text is all there.
func TestAgent_Mask_pieces(t *testing.T) {
	t.Parallel()
	masked := strings.NewReplacer("hunter2hunter2", "[secret PW]")
	r := newRig(t, nil)
	r.rebuild(func(c *agent.Config) {
		c.Model, c.Retry = &stutter{text: "It is hunter2hunter2, he said"}, agent.Retry{First: 1, Max: 1}
		c.Mask = func(data []byte) []byte { return []byte(masked.Replace(string(data))) }
		c.MaskStream = func() (func(string) string, func() string) {
			var held strings.Builder
			return func(piece string) string { held.WriteString(piece); return "" },
				func() string { defer held.Reset(); return masked.Replace(held.String()) }
		}
	})
	d := r.start(agent.Task{Prompt: "Speak"}).wantStatus(agent.StatusFinished)
	said := map[agent.EventType]string{}
	for _, e := range d.events {
		if e.Type == agent.TextDelta || e.Type == agent.ReasoningDelta {
			var p agent.DeltaPayload
			if err := json.Unmarshal(e.Payload, &p); err != nil || p.ID != "b" {
				t.Fatalf("%+v, %v", p, err)
			}
			said[e.Type] += p.Text
		}
	}
	const want = "It is [secret PW], he said"
	for kind, text := range said {
		// The first attempt broke off aloud: what was held back then is not told.
		if again := strings.TrimSuffix(text, want); again != "" && (kind == agent.TextDelta || again != want) || again == text {
			t.Errorf("%s: %q, want %q", kind, text, want)
		}
	}
	if len(said) != 2 {
		t.Errorf("said %q", said)
	}
}
