package runstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// Sentinels of this package. Every fault of a store, as against a fault of a
// change, wraps ErrStore.
var (
	// ErrStore: the store cannot be used, or not for this; see Error.
	ErrStore = errors.New("store unusable")
	// ErrLocked: other processes kept the database locked for longer than
	// Options.BusyTimeout. It comes with ErrStore.
	ErrLocked = errors.New("database locked")
)

// Error is an ErrStore: one line that says what could not be done, why, and
// what to do. Nothing was changed.
type Error struct {
	Op     string // "open", "commit run 0192…", …
	Path   string
	Reason string
	Hint   string // next step; may be empty
	Locked bool   // whether it is ErrLocked too
	Err    error  // cause; may be nil
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: database %s: %s", e.Op, e.Path, e.Reason)
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Is makes errors.Is(err, ErrStore) true, and for a lock ErrLocked.
func (e *Error) Is(target error) bool {
	return target == ErrStore || e.Locked && target == ErrLocked
}

func (e *Error) Unwrap() error { return e.Err }

const hintOther = "choose another file (agent --db PATH, or AGENT_DB)"

// fail turns an error of the driver into an Error. The end of the context
// stays what it is.
func (s *SQLite) fail(ctx context.Context, op string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", op, context.Cause(ctx))
	}
	e := &Error{Op: op, Path: s.path, Reason: err.Error(), Err: err}
	var fault *sqlite.Error
	if errors.As(err, &fault) {
		s.explain(e, fault.Code())
	}
	return e
}

// explain words what a result code of SQLite means for a person.
func (s *SQLite) explain(e *Error, code int) {
	switch code & 0xff {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		e.Locked = true
		e.Reason = fmt.Sprintf("locked by another process for longer than %s", s.opts.BusyTimeout)
		e.Hint = "try again, or end that process"
	case lib.SQLITE_NOTADB:
		e.Reason, e.Hint = "the file is not a database", "it was left as it is; "+hintOther
	case lib.SQLITE_CORRUPT:
		e.Reason, e.Hint = "the file is damaged", "it was left as it is; restore a copy, or "+hintOther
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_AUTH:
		e.Reason, e.Hint = "it cannot be written", "allow writing to the file and its directory, or "+hintOther
	case lib.SQLITE_CANTOPEN:
		e.Reason, e.Hint = "it cannot be opened", "check the file and its directory, or "+hintOther
	case lib.SQLITE_FULL:
		e.Reason, e.Hint = "the disk is full", "make room and run the command again"
	case lib.SQLITE_IOERR:
		e.Reason, e.Hint = "input/output error: "+e.Reason, "check the disk, or "+hintOther
	}
}

// overtaken explains an error of a process that still had the database open when
// a newer program changed its schema. q is what the error is of.
func (s *SQLite) overtaken(ctx context.Context, q querier, err error) error {
	var e *Error
	var fault *sqlite.Error
	if !errors.As(err, &e) || !errors.As(err, &fault) || fault.Code()&0xff != lib.SQLITE_ERROR {
		return err
	}
	var version int
	if q.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version) == nil && version > s.schema {
		e.Reason = fmt.Sprintf("a newer agent has taken its schema to version %d meanwhile, this program knows up to %d", version, s.schema)
		e.Hint = "go on with the newer agent"
	}
	return err
}

// fileError turns an error of the operating system about path into an Error.
func fileError(op, path string, err error) error {
	e := &Error{Op: op, Path: path, Reason: err.Error(), Err: err}
	var at *fs.PathError
	if errors.As(err, &at) {
		e.Reason = at.Err.Error() // Path says where
	}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		e.Reason, e.Hint = "the disk is full", "make room and run the command again"
	case errors.Is(err, syscall.EROFS):
		e.Reason, e.Hint = "it lies on a read-only file system", hintOther
	case errors.Is(err, fs.ErrPermission):
		e.Hint = "allow writing to the file and its directory, or " + hintOther
	default:
		e.Hint = hintOther
	}
	return e
}

// closedError is what every method of a closed handle returns.
func closedError(op, path string) error {
	return &Error{Op: op, Path: path, Reason: "the store is closed", Err: fs.ErrClosed}
}
