package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"sync"

	"pgregory.net/rapid"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// frail is the store of a process that is killed at its commit number left;
// never if that is negative.
type frail struct {
	runstore.Store
	left         int
	landed, dead bool
}

func (f *frail) Commit(ctx context.Context, c agent.Change) (int64, error) {
	if f.dead {
		return 0, errKilled
	}
	if f.left--; f.left != -1 {
		f.left = max(f.left, -2)
		return f.Store.Commit(ctx, c)
	}
	var err error
	if f.landed {
		_, err = f.Store.Commit(ctx, c)
	}
	f.dead = true
	return 0, errors.Join(errKilled, err, f.Close())
}

func (f *frail) Load(ctx context.Context, id string) (agent.Snapshot, error) {
	if f.dead {
		return agent.Snapshot{}, errKilled
	}
	return f.Store.Load(ctx, id)
}

// desk is a plan file in memory; an empty text is no file.
type desk struct {
	mu   sync.Mutex
	text string
}

func (d *desk) write(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text = text
}

func (d *desk) ReadPlan(_ context.Context, _, _, path string) (agent.PlanFile, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.text == "" {
		return agent.PlanFile{}, fs.ErrNotExist
	}
	source := []byte(d.text)
	return agent.PlanFile{Path: path, Title: "T", Plan: d.text, Digest: agent.Digest(source), Source: source}, nil
}

func (d *desk) RestorePlan(_ context.Context, _ string, p agent.PlanFile) error {
	d.write(string(p.Source))
	return nil
}

// heed is a tool that heeds what the reader of its first words did.
func heed(ctx context.Context, c agent.Call) (agent.Result, error) {
	c.Output("looking")
	c.Output("seeing")
	return agent.Result{Content: "seen"}, ctx.Err()
}

// gate lets calls pass, but for the one that finds left at 0: that is denied,
// or the drive is stopped at it.
type gate struct {
	mu    sync.Mutex
	left  int
	shuts bool
	stop  context.CancelFunc
}

// context is for a drive; the gate can end it.
func (g *gate) context(t *rapid.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	left, shuts := rapid.IntRange(-8, 3).Draw(t, "at the gate"), rapid.Bool().Draw(t, "shuts")
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left, g.shuts, g.stop = left, shuts, cancel
	return ctx, cancel
}

func (g *gate) pass(ctx context.Context, _ agent.Definition, _ agent.Call) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left--
	switch {
	case g.left != -1:
		return nil
	case g.shuts:
		return errors.New("the gate is shut")
	}
	g.stop()
	return ctx.Err()
}

// drawExpected draws at which calls an answer is at hand.
func drawExpected(t *rapid.T) agent.Expected {
	at := rapid.SampledFrom([]int{-1, -1, -1, 0, 1}).Draw(t, "expected")
	if at < 0 {
		return nil
	}
	return func(s agent.Suspension) bool { return s.Call%2 == at }
}

// dice is a model whose replies were drawn; when they are used up it ends the
// turn. It complains when a call it made has no result.
type dice struct {
	id        string
	turns     []agent.Reply
	mischief  string // what goes wrong at the next request
	complaint string
}

func drawTurns(t *rapid.T) []agent.Reply {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) agent.Reply {
		return agent.Reply{ToolCalls: rapid.SliceOfN(rapid.Custom(drawCall), 1, 4).Draw(t, "calls")}
	}), 1, 4).Draw(t, "turns")
}

// drawCall draws from few IDs, so that they repeat.
func drawCall(t *rapid.T) agent.ToolCall {
	id := rapid.SampledFrom([]string{"c0", "c1", "c2", "c3", "c4", "", "\xff", "\xfe"}).Draw(t, "id")
	name := rapid.SampledFrom([]string{"ask_user", "submit_plan", "submit_plan", "look", "put", "make", "wizard", "fly"}).Draw(t, "tool")
	return agent.ToolCall{ID: id, Name: name, Args: json.RawMessage(`{"question":"Which?","path":"a.md"}`)}
}

func (m *dice) ID() string { return m.id }

func (m *dice) Stream(_ context.Context, req agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		m.listen(req.Messages)
		reply := agent.Reply{Text: "done"}
		if req.Turn < len(m.turns) {
			reply = m.turns[req.Turn]
		}
		mischief := m.mischief
		m.mischief = ""
		fault := &agent.ProviderError{Message: "no", Retryable: true}
		switch mischief {
		case "fault":
			yield(agent.Chunk{}, fault)
		case "bug":
			yield(agent.Chunk{}, errors.New("bug"))
		case "cut":
			yield(agent.Chunk{Text: "do"}, nil)
		default:
			if yield(agent.Chunk{Text: "do"}, nil) && yield(agent.Chunk{Reply: &reply}, nil) && mischief == "late fault" {
				yield(agent.Chunk{}, fault)
			}
		}
	}
}

func (m *dice) listen(messages []agent.Message) {
	for i, msg := range messages {
		if len(msg.ToolCalls) == 0 {
			continue
		}
		var made, settled []string
		for _, c := range msg.ToolCalls {
			made = append(made, c.ID)
		}
		if i+1 < len(messages) {
			for _, o := range messages[i+1].Outputs {
				settled = append(settled, o.CallID)
			}
		}
		if !slices.Equal(made, settled) {
			m.complaint = fmt.Sprintf("calls %q have the results %q", made, settled)
		}
	}
}
