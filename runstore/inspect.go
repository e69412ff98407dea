package runstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Inspection is what a database is, found without changing it.
type Inspection struct {
	Path    string // absolute
	Exists  bool   // the rest is zero where it does not
	Size    int64  // bytes, the write-ahead log included
	Schema  int    // version; Known is the newest this program knows
	Known   int
	Journal string // "wal", or another of SQLite's modes
	Runs    int
	Damage  string // what SQLite's quick check complains of first; "" for nothing
}

// Inspect looks at the database at path and leaves it as it is, its schema too.
// The error wraps ErrStore: it cannot be used.
func Inspect(ctx context.Context, path string) (Inspection, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Inspection{}, fileError("inspect", path, err)
	}
	i := Inspection{Path: abs}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return i, nil
	case err != nil:
		return i, fileError("inspect", abs, err)
	}
	if err := checkFile(abs, info); err != nil {
		return i, err
	}
	i.Exists, i.Size = true, info.Size()
	if log, err := os.Stat(abs + "-wal"); err == nil {
		i.Size += log.Size()
	}
	return i, i.read(ctx)
}

// read fills in what the database says of itself.
func (i *Inspection) read(ctx context.Context) error {
	s := &SQLite{path: i.Path, opts: Options{}.filled()}
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return fmt.Errorf("inspect: list migrations: %w", err)
	}
	i.Known = len(files)
	db, err := sql.Open("sqlite", fmt.Sprintf("%s?mode=ro&_busy_timeout=%d&_pragma=trusted_schema(0)&_pragma=query_only(1)&_error_rc=1", fileURI(i.Path), s.opts.BusyTimeout.Milliseconds()))
	if err != nil {
		return s.fail(ctx, "inspect", err)
	}
	defer db.Close() //nolint:errcheck // only read
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return s.fail(ctx, "inspect", err)
	}
	id, err := identify(ctx, tx)
	if err := errors.Join(err, tx.Rollback()); err != nil { // nothing was written
		return s.fail(ctx, "inspect", err)
	}
	i.Schema = id.version
	if err := s.recognize(id, i.Known); err != nil {
		return err
	}
	if err := i.query(ctx, db, id); err != nil {
		return s.fail(ctx, "inspect", err)
	}
	return nil
}

func (i *Inspection) query(ctx context.Context, db *sql.DB, id identity) error {
	complaint := ""
	if err := db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&complaint); err != nil {
		return err
	}
	if complaint != "ok" {
		i.Damage = complaint
	}
	if err := db.QueryRowContext(ctx, `PRAGMA journal_mode`).Scan(&i.Journal); err != nil || !id.used {
		return err
	}
	return db.QueryRowContext(ctx, `SELECT count(*) FROM runs`).Scan(&i.Runs)
}

// TryDir makes a database in a directory and takes it away again: whether files,
// locks and the write-ahead log work there. The error wraps ErrStore.
func TryDir(ctx context.Context, dir string) (err error) {
	scratch, err := os.MkdirTemp(dir, ".agent-try-")
	if err != nil {
		return fileError("try", dir, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	s, err := Open(ctx, filepath.Join(scratch, "runs.db"), Options{})
	if err != nil {
		return err
	}
	return s.Close()
}
