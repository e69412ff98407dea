package runstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

//go:embed migrations/*.sql
var migrations embed.FS

// wordsMigration makes an index that the program has to fill.
const wordsMigration = "migrations/0005_words.sql"

// applicationID marks our databases in their header ("agnt"), as file(1) sees it.
const applicationID = 0x61676e74

// identity is what a database says of itself.
type identity struct {
	application int64
	version     int  // of the schema; 0 before the first migration
	used        bool // whether it has any table
}

// querier is a transaction, or a connection that is in one.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// identify asks a database within a transaction: another process may be making
// it, and half of what it is looks like somebody else's.
func identify(ctx context.Context, q querier) (id identity, err error) {
	return id, errors.Join(
		q.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&id.application),
		q.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&id.version),
		q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_schema)`).Scan(&id.used),
	)
}

// prepareSchema checks whose database this is and brings its schema up to
// date. The common case, nothing to do, opens no connection for writing.
func (s *SQLite) prepareSchema(ctx context.Context) error {
	const op = "open"
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return fmt.Errorf("%s: list migrations: %w", op, err)
	}
	s.schema = len(files)
	var id identity
	err = s.read(ctx, op, func(tx *sql.Tx) error {
		if id, err = identify(ctx, tx); err != nil {
			return s.fail(ctx, op, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.recognize(id, len(files)); err != nil {
		return err
	}
	narrow(s.path)
	if id.version == len(files) {
		return nil
	}
	if err := s.useWAL(ctx); err != nil {
		return s.fail(ctx, op, err)
	}
	for version := id.version + 1; version <= len(files); version++ {
		if err := s.migrate(ctx, files, version); err != nil {
			return err
		}
	}
	return nil
}

// recognize refuses databases of others, and of our future.
func (s *SQLite) recognize(id identity, known int) error {
	switch {
	case id.application != applicationID && (id.application != 0 || id.version != 0 || id.used):
		return &Error{Op: "open", Path: s.path, Reason: "not an agent database: it belongs to another application", Hint: "it was left as it is; " + hintOther}
	case id.version > known:
		return &Error{Op: "open", Path: s.path, Reason: fmt.Sprintf("its schema has version %d, this program knows up to %d", id.version, known), Hint: "install a newer agent, or " + hintOther}
	}
	return nil
}

// migrate takes the schema to version, unless another process did while this
// one waited for the lock.
func (s *SQLite) migrate(ctx context.Context, files []string, version int) error {
	text, err := migrations.ReadFile(files[version-1])
	if err != nil {
		return fmt.Errorf("open: read migration %d: %w", version, err)
	}
	return s.write(ctx, "open", func(w *writeConn) error {
		id, err := identify(ctx, w.conn)
		if err != nil {
			return s.fail(ctx, "open", err)
		}
		if err := s.recognize(id, len(files)); err != nil || id.version >= version {
			return err
		}
		text := fmt.Sprintf("%s;\nPRAGMA application_id = %d;\nPRAGMA user_version = %d;", text, applicationID, version)
		if _, err := w.conn.ExecContext(ctx, text); err != nil {
			return s.fail(ctx, fmt.Sprintf("migrate to version %d", version), err)
		}
		if files[version-1] == wordsMigration {
			if err := indexTexts(ctx, w); err != nil {
				return s.fail(ctx, fmt.Sprintf("migrate to version %d", version), err)
			}
		}
		return nil
	})
}

// useWAL switches the database to write-ahead logging, which the file then
// remembers. Several processes that create one database at once may refuse
// each other here without waiting, so this waits itself.
func (s *SQLite) useWAL(ctx context.Context) error {
	if err := s.openWriter(ctx); err != nil {
		return err
	}
	deadline := time.Now().Add(s.opts.BusyTimeout)
	for {
		var mode string
		err := s.w.conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		if err == nil && mode != "wal" {
			return fmt.Errorf("switch to write-ahead log: database stays in mode %s", mode)
		}
		var fault *sqlite.Error
		if err == nil || !errors.As(err, &fault) || fault.Code()&0xff != lib.SQLITE_BUSY || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
