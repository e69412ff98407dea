package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/report"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/hook"
	"github.com/seed-3e5a1d81/agent/internal/secret"
)

// How long hooks may take: one that is asked holds the run up.
const (
	askTimeout  = 10 * time.Second
	tellTimeout = 60 * time.Second
)

// hookVersion is the version of the events hooks get.
const hookVersion = 1

// toolEvent is what hooks.onTool gets.
type toolEvent struct {
	Version    int             `json:"version"`
	Event      string          `json:"event"` // "tool"
	RunID      string          `json:"runId"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Args       json.RawMessage `json:"args"`
	Mode       string          `json:"mode"`
	Workspace  string          `json:"workspace"`
}

// runEvent is what hooks.onSuspend and hooks.onFinish get.
type runEvent struct {
	Version int          `json:"version"`
	Event   string       `json:"event"` // "suspend" or "finish"
	Result  report.Final `json:"result"`
}

// hook is a configured command with what it may know of its surroundings.
func (w *wiring) hook(cfg *config.Config, command, runID, workspace string, timeout time.Duration) hook.Hook {
	env := secret.ChildEnviron(w.io.Environ, valuesOf(cfg.Sandbox.PassEnv), keyVariables(cfg))
	return hook.Hook{Command: command, Dir: workspace, Environ: append(env, "AGENT_RUN_ID="+runID), Timeout: timeout}
}

// gate asks hooks.onTool about calls; nil where there is none.
func (w *wiring) gate(cfg *config.Config) func(context.Context, agent.Definition, agent.Call) error {
	command := cfg.Hooks.OnTool.Value
	if command == "" {
		return nil
	}
	return func(ctx context.Context, def agent.Definition, c agent.Call) error {
		err := w.hook(cfg, command, c.RunID, c.Workspace, askTimeout).Ask(ctx, toolEvent{
			Version: hookVersion, Event: "tool", RunID: c.RunID, ToolCallID: c.ID, ToolName: def.Name, Args: c.Args,
			Mode: c.Mode.ID, Workspace: c.Workspace,
		})
		if err != nil {
			return fmt.Errorf("hooks.onTool: %w", err)
		}
		return nil
	}
}

// notify tells hooks.onSuspend and hooks.onFinish where a stream left the run.
// Nothing waits for them; that one could not be started is said.
func (s *session) notify(st *agent.State, seen []agent.EventType) {
	if st == nil || s.cfg == nil {
		return
	}
	command, event := "", ""
	switch {
	case st.Run.Status == agent.StatusSuspended && asked(seen) && !s.book.answersAll(st):
		command, event = s.cfg.Hooks.OnSuspend.Value, "suspend"
	case st.Run.Status == agent.StatusFinished && slices.Contains(seen, agent.Finish), st.Run.Status == agent.StatusFailed && slices.Contains(seen, agent.Failure):
		command, event = s.cfg.Hooks.OnFinish.Value, "finish"
	}
	if command == "" {
		return
	}
	r := report.Of(st, st.Run.Status, placed(s.w.prefix(), st.Run))
	if err := s.w.tellHook(s.cfg, command, st.Run, runEvent{hookVersion, event, r}); err != nil {
		s.tell(fmt.Sprintf("warning: hooks.on%s: %v", map[string]string{"suspend": "Suspend", "finish": "Finish"}[event], err))
	}
}

// tellHook starts a command that hears of something and is waited for by nobody.
func (w *wiring) tellHook(cfg *config.Config, command string, run agent.Run, event any) error {
	if w.io.Program == "" {
		return errors.New("this program does not know where it lies")
	}
	return w.hook(cfg, command, run.ID, run.Workspace, tellTimeout).Tell(w.io.Program, event)
}

// asked reports whether a stream announced something new: one that only shows
// once more what is open holds nothing else.
func asked(seen []agent.EventType) bool {
	announces := func(t agent.EventType) bool { return t == agent.ToolCallSuspended || t == agent.ToolCallApproval }
	return slices.ContainsFunc(seen, announces) && slices.ContainsFunc(seen, func(t agent.EventType) bool { return !announces(t) })
}
