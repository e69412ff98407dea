package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/internal/atomicfile"
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
	path := absolute(w.io.Dir, name)
	if info, err := os.Stat(filepath.Dir(path)); err != nil {
		return "", usagef("--record %s: %v", name, pathCause(err))
	} else if !info.IsDir() {
		return "", usagef("--record %s: %s is not a directory", name, filepath.Dir(path))
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return recording(path), nil
	case err != nil:
		return "", usagef("--record %s: %v", name, pathCause(err))
	case info.Mode().IsRegular() && info.Size() == 0:
		return recording(path), nil
	case !info.Mode().IsRegular() || !isRecording(path):
		return "", hintf(usagef("--record %s: there is something else of that name, and only a recording is replaced", name),
			"remove it, or name another file")
	}
	return recording(path), nil
}

func isRecording(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 64))
	return err == nil && model.IsRecording(head)
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
	return to.write(data)
}

func (r recording) write(data []byte) error {
	dir, err := os.OpenRoot(filepath.Dir(string(r)))
	if err != nil {
		return fmt.Errorf("write recording: %w", err)
	}
	defer dir.Close()
	if err := atomicfile.Write(dir, filepath.Base(string(r)), data, 0o600); err != nil {
		return fmt.Errorf("write recording in %s: %w", filepath.Dir(string(r)), err)
	}
	return nil
}

// regret tells a fault of the recording where the command ends with something
// that matters more.
func (s *session) regret(err error) {
	if err != nil {
		s.tell(masked(s.w.io, s.w.g, err).Error())
	}
}
