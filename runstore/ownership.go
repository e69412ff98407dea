package runstore

import (
	"bytes"
	"fmt"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// head is what a store knows of a run besides its content.
type head struct {
	exists bool
	seq    int64
	epoch  int64
	owner  *agent.Owner
}

// record is an event with who committed it, and under which epoch.
type record struct {
	agent.Event
	change string // ID of the change that brought it
	epoch  int64
}

// ruling is what becomes of a change.
type ruling struct {
	done  bool // committed before; nothing is written
	epoch int64
	owner *agent.Owner
}

// writer is the handle a change comes through.
type writer struct {
	id    string
	self  func() (agent.Owner, error) // takes the handle's lock at the first claim
	alive func(agent.Owner) bool
	now   func() time.Time
}

// rule decides a change against the head of its run, in the order the package
// documents. held are the records at the places of the change's events.
func (w writer) rule(c agent.Change, h head, held []record) (ruling, error) {
	if r, ok := w.retried(c, held); ok {
		return r, nil
	}
	if err := w.check(c, h); err != nil {
		return ruling{}, err
	}
	r := ruling{epoch: h.epoch}
	ours := c.Epoch != 0 && h.owner != nil
	switch {
	case c.Own && ours:
		r.owner = h.owner
	case c.Own:
		self, err := w.self()
		if err != nil {
			return ruling{}, err
		}
		self.Since = w.now().UTC()
		r.owner, r.epoch = &self, h.epoch+1
	case !ours && h.owner != nil:
		r.epoch++ // somebody else's ownership ends
	}
	return r, nil
}

func (w writer) check(c agent.Change, h head) error {
	switch {
	case c.Epoch != 0 && (c.Epoch != h.epoch || h.owner != nil && h.owner.ID != w.id):
		return fmt.Errorf("commit run %s: epoch %d is over, now %d: %w", c.Run.ID, c.Epoch, h.epoch, agent.ErrFenced)
	case !h.exists && c.Base != 0:
		return fmt.Errorf("commit run %s: %w", c.Run.ID, agent.ErrRunNotFound)
	case c.Base != h.seq || h.exists && c.Base == 0:
		return fmt.Errorf("commit run %s: decided on record %d, the journal ends at %d: %w", c.Run.ID, c.Base, h.seq, agent.ErrConflict)
	case c.Epoch == 0 && !c.Force && h.owner != nil && w.alive(*h.owner):
		return &agent.BusyError{RunID: c.Run.ID, Owner: *h.owner}
	}
	return nil
}

// retried reports whether this very change was committed before. Equal bytes do
// not make it so: two people may give one answer at one moment, and only one
// of them may come to drive the run.
func (w writer) retried(c agent.Change, held []record) (ruling, bool) {
	if c.ID == "" || len(c.Events) == 0 || len(held) != len(c.Events) {
		return ruling{}, false
	}
	for i, e := range c.Events {
		h := held[i]
		if h.change != c.ID || h.Type != e.Type || !h.At.Equal(e.At) || !bytes.Equal(h.Payload, e.Payload) {
			return ruling{}, false
		}
	}
	return ruling{done: true, epoch: held[len(held)-1].epoch}, true
}

// checkChange refuses what no correct caller sends.
func checkChange(c agent.Change) error {
	if c.Run.ID == "" {
		return fmt.Errorf("commit run: no ID")
	}
	for i, e := range c.Events {
		if want := c.Base + int64(i) + 1; e.Seq != want {
			return fmt.Errorf("commit run %s: event %d carries seq %d, want %d", c.Run.ID, i+1, e.Seq, want)
		}
		if e.RunID != c.Run.ID {
			return fmt.Errorf("commit run %s: event %d is of run %q", c.Run.ID, e.Seq, e.RunID)
		}
		if !e.Type.Journaled() {
			return fmt.Errorf("commit run %s: event %d of type %s is no record", c.Run.ID, e.Seq, e.Type)
		}
	}
	return nil
}
