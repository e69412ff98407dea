package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// journal is a run opened for writing: its state, and the records staged since
// the last commit. Staged records are applied to the state at once; if the
// commit fails the state is worth nothing and must be loaded again.
type journal struct {
	a      *Agent
	st     *State
	epoch  int64 // of our ownership; 0 while we do not own the run
	base   int64 // seq of the last record committed
	staged []Event
	blobs  [][]byte
	err    error // first fault of staging, reported by commit
}

// open loads a run and folds it.
func (a *Agent) open(ctx context.Context, runID string) (*journal, Snapshot, error) {
	snap, err := a.cfg.Store.Load(ctx, runID)
	if err != nil {
		return nil, Snapshot{}, err
	}
	st, err := Fold(snap.Events)
	if err != nil {
		return nil, Snapshot{}, err
	}
	return &journal{a: a, st: st, base: st.Run.Seq}, snap, nil
}

// stage adds a record to the next commit.
func (j *journal) stage(t EventType, payload any) {
	if j.err != nil {
		return
	}
	e, err := j.a.event(j.st.Run.ID, t, payload)
	if err != nil {
		j.err = err
		return
	}
	e.Seq, e.At = j.st.Run.Seq+1, j.a.now()
	if j.err = j.st.apply(e); j.err == nil {
		j.staged = append(j.staged, e)
	}
}

// Records are of times that a store can keep.
var (
	earliest = time.Date(1700, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// now is the time of a new record, whatever the clock says.
func (a *Agent) now() time.Time {
	t := a.cfg.Now().UTC().Round(0) // as it will be read
	switch {
	case t.Before(earliest):
		return earliest
	case t.After(latest):
		return latest
	}
	return t
}

// event makes an event of a payload, its secrets masked.
func (a *Agent) event(runID string, t EventType, payload any) (Event, error) {
	raw, err := json.Marshal(payload)
	if err != nil {
		return Event{}, fmt.Errorf("encode %s event of run %s: %w", t, runID, err)
	}
	return Event{Type: t, RunID: runID, From: From, Payload: a.cfg.Mask(raw)}, nil
}

// keep adds content to the next commit. What holds a secret is not kept: under
// its digest it could not be changed.
func (j *journal) keep(blobs ...[]byte) {
	for _, b := range blobs {
		if !j.a.secret(b) {
			j.blobs = append(j.blobs, b)
		}
	}
}

func (a *Agent) secret(data []byte) bool { return !bytes.Equal(a.cfg.Mask(data), data) }

// commit makes the staged records durable and returns them as they are given
// out. own says whether we own the run afterwards. The context's end does not
// stop it: what happened must be written down.
func (j *journal) commit(ctx context.Context, own, force bool) ([]Event, error) {
	if j.err != nil {
		return nil, j.err
	}
	if len(j.staged) == 0 && own == (j.epoch != 0) {
		return nil, nil
	}
	suspensions, plans := j.st.touched()
	epoch, err := j.a.cfg.Store.Commit(context.WithoutCancel(ctx), Change{
		ID: NewID(), Run: j.st.Run, Base: j.base, Events: j.staged, Suspensions: suspensions, Plans: plans,
		Blobs: j.blobs, Epoch: j.epoch, Force: force, Own: own,
	})
	if err != nil {
		if errors.Is(err, ErrConflict) && j.epoch != 0 {
			err = fmt.Errorf("%w: %w", ErrFenced, err)
		}
		return nil, err
	}
	j.epoch = 0
	if own {
		j.epoch = epoch
	}
	out := make([]Event, len(j.staged))
	for i, e := range j.staged {
		out[i] = j.st.GiveOut(e)
	}
	j.base, j.staged, j.blobs = j.st.Run.Seq, nil, nil
	return out, nil
}
