// Package script plays a model from a YAML file: a list of turns, each a reply
// or a fault. It makes runs that need no network and end the same way each
// time.
package script

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model/words"
)

const maxSize = 16 << 20 // bytes of a script; recordings hold whole files

// Model plays a script. Which turn it plays follows from the request alone, so
// that a run can go on in another process.
type Model struct {
	id    string
	path  string
	turns []turn
}

var _ agent.Model = (*Model)(nil)

// Open reads and checks the script at path. The model's ID is "script:" and
// the absolute path. The error names file, line and what is allowed there.
func Open(path string) (*Model, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open script %s: %w", path, err)
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return nil, fmt.Errorf("open script: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("open script %s: not a regular file", abs)
	case info.Size() > maxSize:
		return nil, fmt.Errorf("open script %s: larger than 16 MiB", abs)
	}
	data, err := os.ReadFile(abs)
	if err != nil {
		return nil, fmt.Errorf("open script: %w", err)
	}
	turns, err := parse(abs, data)
	if err != nil {
		return nil, fmt.Errorf("read script %w", err)
	}
	return &Model{id: "script:" + abs, path: abs, turns: turns}, nil
}

// ID is "script:" and the absolute path of the file.
func (m *Model) ID() string { return m.id }

// Stream plays the turn the request is at: the reply number req.Turn, after
// the faults that stand before it, one for each attempt. Faults after the last
// reply go on for ever, the last one repeated.
func (m *Model) Stream(ctx context.Context, req agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		reply, err := m.play(ctx, req)
		if err != nil {
			yield(agent.Chunk{}, err)
			return
		}
		words.Yield(reply, yield)
	}
}

func (m *Model) play(ctx context.Context, req agent.Request) (agent.Reply, error) {
	t, ok := m.choose(req)
	if !ok {
		return agent.Reply{}, fmt.Errorf("play script %s: no turn left for reply %d, it has %d replies", m.path, req.Turn+1, m.replies())
	}
	if err := wait(ctx, t.delay); err != nil {
		return agent.Reply{}, err
	}
	fill := placeholders(req)
	if err := t.expected(req, fill); err != nil {
		return agent.Reply{}, fmt.Errorf("play script %s:%d: turn %d %w", m.path, t.line, t.number, err)
	}
	if t.fault != nil {
		return agent.Reply{}, t.fault.provider()
	}
	return t.reply(fill), nil
}

// choose finds the turn of a request: replies are counted without the faults
// between them.
func (m *Model) choose(req agent.Request) (turn, bool) {
	var faults []turn
	replies := 0
	for _, t := range m.turns {
		switch {
		case t.fault == nil && replies < req.Turn:
			replies++
			faults = nil
		case t.fault != nil:
			faults = append(faults, t)
		case req.Faults < len(faults):
			return faults[req.Faults], true
		default:
			return t, true
		}
	}
	if replies < req.Turn || len(faults) == 0 {
		return turn{}, false
	}
	return faults[min(req.Faults, len(faults)-1)], true
}

func (m *Model) replies() int {
	n := 0
	for _, t := range m.turns {
		if t.fault == nil {
			n++
		}
	}
	return n
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
