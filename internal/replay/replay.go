// Package replay drives the recorded replies and results of a run through the
// loop of today, without a model, a tool or a network, and compares what the
// loop writes with what the run's journal holds.
//
// A journal is cut at every record that came from outside: the start, an
// answer, a message, a continuation, a plan read again, a cancellation. Each of
// these is put to a fresh agent whose store holds the journal up to there. Its
// model gives the recorded replies, its tools what the recorded calls gave, its
// policy what was decided; everything else in the journal is the loop's doing
// and must come out the same.
//
// What a journal does not tell is tried: whether a person could be asked, and
// when exactly a stop came. A drive is the same if it comes out under any of
// these assumptions.
//
// Not compared are times, who owned the run, what commands and prompts of a
// person did beside the loop (undo), and looks at the workspace. Limits of time
// are left out: nothing here takes as long as it took.
package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Config says with what a run is replayed.
type Config struct {
	NewStore func() agent.Store // makes an empty store; many are made
	// Tools are today's tools. They are asked for their definitions, for the
	// form of answers and whether an answer fits; none is called.
	Tools []agent.Tool
	// Modes are today's modes; several where they depend on the machine, as one
	// or another of them was in force at each drive. None: one mode with all Tools.
	Modes []agent.ModePolicy
}

// Result is what became of a replay.
type Result struct {
	RunID   string
	Records int // in the journal
	Inputs  int // from outside that were replayed
	Skipped int // records that are not the loop's doing
	// Difference is the first one, nil if there is none.
	Difference *Difference
}

// Difference is the first place at which today's loop writes something else.
// Expected is nil where the journal ends and the loop goes on, Got where the
// loop wrote nothing more; Err then says why, if it failed.
type Difference struct {
	Seq           int64
	Expected, Got *agent.Event
	Err           error
}

// Run replays a journal. The error means that it could not be replayed; a
// difference is none.
func Run(ctx context.Context, cfg Config, events []agent.Event) (Result, error) {
	if len(events) == 0 || events[0].Type != agent.Start {
		return Result{}, errors.New("replay: the journal does not begin with a start")
	}
	r := Result{RunID: events[0].RunID, Records: len(events)}
	if _, err := agent.Fold(events); err != nil {
		return r, fmt.Errorf("replay: %w", err)
	}
	seen, seqs := unobserved(events)
	r.Skipped = len(events) - len(seen)
	journal, err := timeless(seen)
	if err != nil {
		return r, err
	}
	segments, err := split(journal)
	if err != nil {
		return r, err
	}
	for _, seg := range segments {
		if len(seg.requests) == 0 {
			r.Skipped += seg.to - seg.from
			continue
		}
		r.Inputs++
		if r.Difference, err = cfg.replay(ctx, journal, seg); err != nil || r.Difference != nil {
			return r.numbered(seqs), err
		}
	}
	return r, nil
}

// unobserved is a journal without the looks at the workspace, which are no
// doing of the loop. Its records are numbered anew; seqs are the numbers they
// had.
func unobserved(events []agent.Event) (journal []agent.Event, seqs []int64) {
	for _, e := range events {
		if e.Type == agent.WorkspaceDigest {
			continue
		}
		seqs = append(seqs, e.Seq)
		e.Seq = int64(len(seqs))
		journal = append(journal, e)
	}
	return journal, seqs
}

// numbered gives the records of a difference the numbers of the whole journal.
func (r Result) numbered(seqs []int64) Result {
	if r.Difference == nil {
		return r
	}
	d := *r.Difference
	at := int64(r.Records) + 1
	if i := int(d.Seq) - 1; i < len(seqs) {
		at = seqs[i]
	}
	d.Seq = at
	for _, e := range []**agent.Event{&d.Expected, &d.Got} {
		if *e != nil {
			numbered := **e
			numbered.Seq = at
			*e = &numbered
		}
	}
	r.Difference = &d
	return r
}

// replay puts the input of a segment to fresh agents until one of them writes
// what the journal holds. What comes nearest is the difference.
func (cfg Config) replay(ctx context.Context, journal []agent.Event, seg segment) (*Difference, error) {
	var nearest *attempt
	for _, modes := range cfg.policies() {
		for _, request := range seg.requests {
			a, err := cfg.nearest(ctx, journal, seg, casting{request, modes})
			if err != nil || a.same {
				return nil, err
			}
			if nearest == nil || a.matched > nearest.matched {
				nearest = a
			}
		}
	}
	return nearest.difference(journal, seg), nil
}

func (cfg Config) policies() []agent.ModePolicy {
	if len(cfg.Modes) == 0 {
		return []agent.ModePolicy{nil}
	}
	return cfg.Modes
}

// casting is who takes part in an attempt.
type casting struct {
	request request
	modes   agent.ModePolicy // nil: one mode
}

// nearest is the first attempt that comes out the same, else the one that does
// so for longest.
func (cfg Config) nearest(ctx context.Context, journal []agent.Event, seg segment, cast casting) (*attempt, error) {
	var nearest *attempt
	for more := assumptions(0); len(more) > 0; more = more[1:] {
		a, err := cfg.attempt(ctx, journal, seg, cast, more[0])
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil || a.same:
			return a, err
		}
		if nearest == nil || a.matched > nearest.matched {
			nearest = a
		}
		if more[0] == (assumption{}) && a.delivered > 0 { // how much there is to stop at is known now
			more = append(more, assumptions(a.delivered)...)
		}
	}
	return nearest, nil
}

// attempt is one way a segment came out.
type attempt struct {
	same      bool
	matched   int // records of the segment that are the same
	delivered int // replies and results the loop took
	got       []agent.Event
	err       error
}

func (a *attempt) difference(journal []agent.Event, seg segment) *Difference {
	at := seg.from + a.matched
	d := &Difference{Seq: int64(at + 1), Err: a.err}
	if at < seg.to {
		d.Expected = &journal[at]
	}
	if a.matched < len(a.got) {
		d.Got = &a.got[a.matched]
	}
	return d
}

// attempt puts one request to an agent under one assumption.
func (cfg Config) attempt(ctx context.Context, journal []agent.Event, seg segment, cast casting, as assumption) (*attempt, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s, err := newStage(journal, seg, as, cfg.acting(), cancel)
	if err != nil {
		return nil, err
	}
	store := cfg.NewStore()
	if !seg.adopted {
		if err := seed(ctx, store, journal[:seg.from]); err != nil {
			return nil, err
		}
	}
	a, err := agent.New(cfg.agent(store, s, cast.modes))
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	out := &attempt{err: cast.request(ctx, a, manner{as.onQuestion, s.expects})}
	out.delivered = s.deliveries()
	snap, err := store.Load(context.WithoutCancel(ctx), seg.runID)
	switch {
	case err == nil:
		out.got = snap.Events[seg.from:]
	case !errors.Is(err, agent.ErrRunNotFound):
		return nil, fmt.Errorf("replay: %w", err)
	}
	out.matched, out.same = compare(journal[seg.from:seg.to], out.got, seg.end)
	return out, nil
}

// agent is the agent of today on the stage.
func (cfg Config) agent(store agent.Store, s *stage, policy agent.ModePolicy) agent.Config {
	c := agent.Config{
		ID: s.agentID, Model: player{s.model, s}, Store: watched{store, s}, Permission: verdicts{s}, Gate: s.reach, Facts: s.facts,
		Models: func(id string) (agent.Model, error) { return player{id, s}, nil },
		Retry:  agent.Retry{MaxElapsed: -1}, NewID: func() string { return s.seg.runID },
	}
	if policy != nil {
		c.Modes = modes{policy, s.models}
	}
	for _, t := range cfg.Tools {
		c.Tools = append(c.Tools, tool{t, s})
	}
	return c
}

// acting tells which tools have effects.
func (cfg Config) acting() map[string]bool {
	acts := map[string]bool{}
	for _, t := range cfg.Tools {
		def := t.Definition()
		acts[def.Name] = def.Effect != agent.EffectReadOnly
	}
	return acts
}

// seed makes a store hold the beginning of a journal, as a process left it.
func seed(ctx context.Context, store agent.Store, events []agent.Event) error {
	if len(events) == 0 {
		return nil
	}
	st, err := agent.Fold(events)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	_, err = store.Commit(ctx, agent.Change{ID: agent.NewID(), Run: st.Run, Events: events})
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	return nil
}
