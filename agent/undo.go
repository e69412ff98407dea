package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// Files reads and writes files of a workspace for Undo. Paths are those of
// FileChange. Implementations keep to the rules of the tools that made the
// changes: they stay inside, follow no link and touch nothing that is
// protected.
type Files interface {
	// ReadFile returns a regular file and its permission bits. The error wraps
	// fs.ErrNotExist if there is no file.
	ReadFile(workspace, path string) ([]byte, fs.FileMode, error)
	// WriteFile makes the file hold data, in one step, and its directories
	// where they are missing. Perm 0 is what a new file gets.
	WriteFile(workspace, path string, data []byte, perm fs.FileMode) error
	// RemoveFile removes the file, and its directories where they are empty
	// then.
	RemoveFile(workspace, path string) error
}

// Undo asks for changes of a run to be taken back. RunID and Files are
// required.
type Undo struct {
	RunID string
	// Select says which paths are meant; nil: all.
	Select func(path string) bool
	// Redo takes back the last undo that was not taken back yet.
	Redo bool
	// Force overwrites files that changed since. What they hold is kept.
	Force  bool
	DryRun bool // only say what would be done
	Files  Files
	By     string
	Via    string
}

// UndoFile is what an undo does to one file: Before is what it held just
// before the undo, After what it holds then. Problem says why it must not be
// done, or what Force passed over; "" if nothing is in the way.
type UndoFile struct {
	FileChange
	Action  UndoAction `json:"action"`
	Problem string     `json:"problem,omitempty"`

	forceable bool
	data      []byte      // what the file is to hold
	held      []byte      // what it holds
	perm      fs.FileMode // what it is to get
}

// Hopeless reports whether there is a problem that Force does not pass over.
func (f UndoFile) Hopeless() bool { return f.Problem != "" && !f.forceable }

// UndoAction is what is done to a file.
type UndoAction string

// Actions of an undo.
const (
	UndoRestore UndoAction = "restore" // it gets its former content
	UndoCreate  UndoAction = "create"  // it is missing and made again
	UndoRemove  UndoAction = "remove"  // it was not there before
	UndoNone    UndoAction = "none"    // it is as it was already
)

// Undone is what an undo did, or would do. Failed are files that could not be
// written; they are not among Files, and stay as they are.
type Undone struct {
	RunID     string        `json:"runId"`
	Workspace string        `json:"workspace"`
	Redo      bool          `json:"redo"`
	DryRun    bool          `json:"dryRun"`
	Files     []UndoFile    `json:"files"`
	Failed    []UndoFailure `json:"failed"`
}

// UndoPayload is an undo, before its first write (undo-started) and after its
// last (undo). What each file held before is a blob, so that it can be redone.
type UndoPayload struct {
	Files  []FileChange  `json:"files"`
	Failed []UndoFailure `json:"failed,omitempty"`
	Redo   bool          `json:"redo,omitempty"`
	By     string        `json:"by"`
	Via    string        `json:"via"`
}

// UndoFailure is a file that could not be put back.
type UndoFailure struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

// Undo puts the files the run's tools changed back as they were before its
// first change, or brings back what the last undo took (Redo). What commands
// changed is not known to it.
//
// All or nothing is decided first: a file that is not as the run left it is
// ErrFilesChanged, and nothing is written. A run that a live process drives is
// ErrBusy. What is overwritten is durable before the first write; where the
// process dies between, the same Undo finishes the work. The status of the run
// does not change; its agent is told when it goes on. An error of writing one
// file leaves the others undone and is in Undone.Failed.
func (a *Agent) Undo(ctx context.Context, u Undo) (done Undone, err error) {
	if u.Files == nil {
		return done, fmt.Errorf("undo run %s: Undo.Files is required", u.RunID)
	}
	_, err = retryConflict(func() (*State, error) {
		done, err = a.undo(ctx, u)
		return nil, err
	})
	return done, err
}

func (a *Agent) undo(ctx context.Context, u Undo) (Undone, error) {
	j, snap, err := a.open(ctx, u.RunID)
	if err != nil {
		return Undone{}, err
	}
	done := Undone{
		RunID: u.RunID, Workspace: j.st.Run.Workspace, Redo: u.Redo, DryRun: u.DryRun,
		Files: []UndoFile{}, Failed: []UndoFailure{},
	}
	if snap.Owner != nil && snap.Alive {
		return done, &BusyError{RunID: u.RunID, Owner: *snap.Owner}
	}
	if done.Files, err = j.look(ctx, u); err != nil {
		return done, err
	}
	if problem := inTheWay(done.Files, u.Force); problem || u.DryRun || len(done.Files) == 0 {
		if problem {
			err = &FilesChangedError{RunID: u.RunID, Files: done.Files}
		}
		return done, err
	}
	return j.putBack(ctx, u, done)
}

// inTheWay reports whether a problem forbids the undo.
func inTheWay(files []UndoFile, force bool) bool {
	return slices.ContainsFunc(files, func(f UndoFile) bool { return f.Hopeless() || f.Problem != "" && !force })
}

// look compares every file that is meant with what the run left there.
func (j *journal) look(ctx context.Context, u Undo) ([]UndoFile, error) {
	files := []UndoFile{}
	for _, c := range j.st.edits.reversal(u.Redo) {
		if u.Select != nil && !u.Select(c.Path) {
			continue
		}
		f, err := j.lookAt(ctx, u.Files, c)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func (j *journal) lookAt(ctx context.Context, files Files, c reversed) (UndoFile, error) {
	f := UndoFile{FileChange: FileChange{Path: c.Path, After: c.target}, Action: UndoNone}
	held, mode, err := files.ReadFile(j.st.Run.Workspace, c.Path)
	switch {
	case err == nil:
		f.held, f.Before, f.Mode = held, Digest(held), octal(mode)
	case !errors.Is(err, fs.ErrNotExist):
		f.Problem = strings.TrimPrefix(err.Error(), c.Path+" ")
		return f, nil
	}
	begun, unfinished := j.st.edits.open[c.Path]
	if f.Before == c.target {
		if unfinished && begun.After == c.target { // the process died after this write
			f.Before, f.Mode = begun.Before, begun.Mode
		}
		return f, nil
	}
	if f.Before != c.expected && !(unfinished && f.Before == begun.Before) {
		f.Problem, f.forceable = changedSince(f.Before), true
	} else if c.mixed {
		f.Problem, f.forceable = "somebody else changed it too, between changes of the run", true
	}
	if err := j.target(ctx, &f, c); err != nil {
		return f, err
	}
	return f, nil
}

func changedSince(now string) string {
	if now == "" {
		return "was removed since"
	}
	return "changed since"
}

// target finds out what is to be written, and whether what is there can be
// kept.
func (j *journal) target(ctx context.Context, f *UndoFile, c reversed) error {
	switch {
	case c.target == "":
		f.Action = UndoRemove
	case f.Before == "":
		f.Action = UndoCreate
	default:
		f.Action = UndoRestore
	}
	if j.a.secret(f.held) {
		f.Problem, f.forceable = strings.TrimPrefix(f.Problem+"; it holds a secret now and cannot be kept for a redo", "; "), true
	}
	if c.target == "" {
		return nil
	}
	data, err := j.a.cfg.Store.Blob(ctx, c.target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Problem, f.forceable = "its former content was not kept: it holds a secret", false
		return nil
	case err != nil:
		return fmt.Errorf("read former content of %s: %w", c.Path, err)
	}
	f.data, f.perm = data, permOf(c.mode)
	return nil
}

func octal(mode fs.FileMode) string { return fmt.Sprintf("%04o", mode.Perm()) }

func permOf(mode string) fs.FileMode {
	bits, err := strconv.ParseUint(mode, 8, 12)
	if err != nil {
		return 0 // not recorded: what a new file gets
	}
	return fs.FileMode(bits).Perm()
}

// putBack records what it is about to do, does it, and records what it did.
func (j *journal) putBack(ctx context.Context, u Undo, done Undone) (Undone, error) {
	for _, f := range done.Files {
		if f.held != nil {
			j.keep(f.held)
		}
	}
	p := UndoPayload{Files: changesOf(done.Files), Redo: u.Redo, By: u.By, Via: via(u.Via)}
	j.stage(UndoStarted, p)
	if _, err := j.commit(ctx, true, false); err != nil {
		return done, err
	}
	done.Files = slices.DeleteFunc(done.Files, func(f UndoFile) bool {
		err := j.write(u.Files, f)
		if err != nil {
			done.Failed = append(done.Failed, UndoFailure{Path: f.Path, Error: err.Error()})
		}
		return err != nil
	})
	p.Files, p.Failed = changesOf(done.Files), done.Failed
	j.stage(UndoFinished, p)
	_, err := j.commit(ctx, false, false)
	return done, err
}

func changesOf(files []UndoFile) []FileChange {
	changes := []FileChange{}
	for _, f := range files {
		changes = append(changes, f.FileChange)
	}
	return changes
}

// write does one file, if it still holds what was kept of it.
func (j *journal) write(files Files, f UndoFile) error {
	workspace := j.st.Run.Workspace
	if f.Action == UndoNone {
		return nil
	}
	held, _, err := files.ReadFile(workspace, f.Path)
	now := ""
	switch {
	case err == nil:
		now = Digest(held)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	switch {
	case now != f.Before:
		return errors.New("was changed at this very moment")
	case f.Action == UndoRemove:
		return files.RemoveFile(workspace, f.Path)
	}
	return files.WriteFile(workspace, f.Path, f.data, f.perm)
}
