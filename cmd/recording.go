package cmd

import (
	"context"
	"fmt"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/file"
)

// recording is the file --record names, "" for none. It is replaced whenever
// the command leaves the run.
type recording string

// recording checks, before anything happens, that the file could be written
// and that nothing but a recording would be lost.
func (w *wiring) recording(name string) (recording, error) {
	if name == "" {
		return "", nil
	}
	path, err := file.Replaceable("--record", w.io.Dir, name, model.IsRecording)
	if err == nil && path == w.g.result.path {
		err = exit.Usagef("--record and --result name the same file: give each its own")
	}
	return recording(path), err
}

// keep writes the replies of a run so far to the file of --record, if this
// command drove the run. They come from the journal, which holds no secrets.
func (s *session) keep(ctx context.Context, runID string) error {
	if s.record == "" || s.w.driven.Load() == nil {
		return nil
	}
	snap, err := s.store.Load(context.WithoutCancel(ctx), runID)
	if err != nil {
		return fmt.Errorf("record run %s: %w", runID, err)
	}
	return s.w.record(s.record, snap.Events)
}

// record writes the replies in a journal to a file.
func (w *wiring) record(to recording, events []agent.Event) error {
	data, err := model.Record(events)
	switch {
	case err != nil:
		return err
	case data == nil:
		w.tell("nothing to record: the model has not replied yet")
		return nil
	}
	return file.Write("recording", string(to), data)
}

// regret tells a fault of the recording where the command ends with something
// that matters more.
func (s *session) regret(err error) {
	if err != nil {
		s.tell(masked(s.w.io, s.w.g, err).Error())
	}
}
