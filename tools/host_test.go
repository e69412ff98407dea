package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
)

// No tool leaves a goroutine behind.
func TestMain(m *testing.M) {
	if code, ok := sandbox.Child(os.Args); ok { // the test program keeps its own commands
		syscall.Exit(code) // os.Exit takes a second with the race detector
	}
	goleak.VerifyTestMain(m)
}

// host is as much of a runtime as a tool can tell from a real one: it keeps
// suspensions, blobs and what was seen, and gives out calls.
type host struct {
	t           *testing.T
	tool        agent.Tool
	dir         string
	mode        agent.Mode
	seen        map[string]string
	blobs       map[string][]byte
	suspensions []agent.Suspension
}

func newHost(t *testing.T, tool agent.Tool) *host {
	t.Helper()
	return &host{t: t, tool: tool, dir: t.TempDir(), seen: map[string]string{}, blobs: map[string][]byte{}}
}

func (h *host) call(args string) agent.Call {
	return agent.Call{
		RunID: "run-1", ID: "call-1", Args: json.RawMessage(args), Workspace: h.dir, Mode: h.mode,
		Suspensions: h.suspensions, Seen: h.seen, Suspend: h.suspend,
		Blob: func(_ context.Context, digest string) ([]byte, error) {
			data, ok := h.blobs[digest]
			if !ok {
				return nil, fmt.Errorf("no blob %s", digest)
			}
			return data, nil
		},
	}
}

func (h *host) suspend(payload any) (agent.Result, error) {
	if plan, ok := payload.(agent.PlanSubmission); ok && plan.Source != nil {
		h.blobs[plan.Digest] = plan.Source
	}
	raw, err := json.Marshal(payload)
	h.suspensions = append(h.suspensions, agent.Suspension{
		ToolCallID: "call-1", N: len(h.suspensions) + 1, Payload: raw, State: agent.SuspensionOpen,
	})
	return agent.Result{}, err
}

// run calls the tool and keeps what the result says was seen.
func (h *host) run(tool agent.Tool, args string) agent.Result {
	h.t.Helper()
	r, err := tool.Call(h.t.Context(), h.call(args))
	if err != nil {
		h.t.Fatalf("call %s: %v", args, err)
	}
	for _, f := range r.Files {
		h.seen[f.Path] = f.Digest
	}
	return r
}

// ok is run, and the result must not be an error.
func (h *host) ok(tool agent.Tool, args string) agent.Result {
	h.t.Helper()
	r := h.run(tool, args)
	if r.IsError {
		h.t.Fatalf("call %s: error result %q", args, r.Content)
	}
	return r
}

// refused is run, and the result must be an error that says all the words.
func (h *host) refused(tool agent.Tool, args string, says ...string) {
	h.t.Helper()
	r := h.run(tool, args)
	if !r.IsError {
		h.t.Fatalf("call %s: got %q, want an error result", args, r.Content)
	}
	mustSay(h.t, r.Content, says...)
}

// answer checks data as the loop does and, where it fits, calls the tool again.
func (h *host) answer(data string) (agent.Result, error) {
	h.t.Helper()
	last := &h.suspensions[len(h.suspensions)-1]
	canonical, err := h.tool.(agent.AnswerChecker).CheckAnswer(*last, json.RawMessage(data))
	if err != nil {
		return agent.Result{}, err
	}
	last.Answer = &agent.Answer{Data: canonical}
	return h.ok(h.tool, string(last.Args)), nil
}

func (h *host) write(name, content string) {
	h.t.Helper()
	full := filepath.Join(h.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) link(target, name string) {
	h.t.Helper()
	full := filepath.Join(h.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Symlink(target, full); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) read(name string) string {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.dir, filepath.FromSlash(name)))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(data)
}

func (h *host) missing(name string) {
	h.t.Helper()
	if _, err := os.Lstat(filepath.Join(h.dir, filepath.FromSlash(name))); err == nil {
		h.t.Errorf("%s exists", name)
	}
}

func mustSay(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
			t.Errorf("%q does not say %q", clip(text, 2000), w)
		}
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
