package runstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/seed-3e5a1d81/agent/agent"
	"modernc.org/sqlite"
)

// SQLite is a Store in a file. It is safe for concurrent use, by any number of
// processes on one machine.
type SQLite struct {
	path   string
	opts   Options
	owner  *owner
	closed atomic.Bool
	pool   *sql.DB
	schema int // the newest version this program knows

	writing chan struct{} // holds one token: the right to use w
	w       *writeConn    // nil until the first write
	queue   queue
}

const readConns = 4

// Open opens the database at path and brings its schema up to date. A missing
// file is created (mode 0600), its directory too (0700), and a database that is
// there is taken back to mode 0600. The error wraps ErrStore; what is not a
// database of this package is left untouched, its mode too.
func Open(ctx context.Context, name string, opts Options) (*SQLite, error) {
	path, err := prepareFile(name)
	if err != nil {
		return nil, err
	}
	s := &SQLite{path: path, opts: opts.filled(), writing: make(chan struct{}, 1)}
	s.owner = newOwner(path+"-owners", s.opts)
	s.queue.dir = path + "-owners"
	if s.pool, err = s.connect(); err != nil {
		return nil, s.fail(ctx, "open", err)
	}
	if err := s.prepareSchema(ctx); err != nil {
		_ = s.Close() // the first error is the one to tell
		return nil, err
	}
	if opts.Private { // by its name: behind a link lies somebody else's
		narrowDir(filepath.Dir(name))
	}
	return s, nil
}

// connect gives a pool for the database; nothing is opened yet. One of its
// connections becomes the writer, the first one where the first thing is a
// write: a connection costs a millisecond. The time-out comes before every
// other statement, which might have to wait already.
func (s *SQLite) connect() (*sql.DB, error) {
	if err := registerHolds(); err != nil {
		return nil, err
	}
	dsn := fmt.Sprintf("%s?_busy_timeout=%d&_synchronous=FULL&_foreign_keys=1&_pragma=trusted_schema(0)&_pragma=cache_size(-1024)&_error_rc=1",
		fileURI(s.path), s.opts.BusyTimeout.Milliseconds())
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(1 + readConns)
	pool.SetMaxIdleConns(1 + readConns)
	return pool, nil
}

// fileURI escapes what would end the path early in a URI.
func fileURI(path string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/…
	}
	return "file://" + (&url.URL{Path: p}).EscapedPath()
}

// Path implements Store.
func (s *SQLite) Path() string { return s.path }

// Close implements Store. It waits for a commit under way.
func (s *SQLite) Close() error {
	if !s.closed.CompareAndSwap(false, true) {
		return nil
	}
	s.writing <- struct{}{}
	defer func() { <-s.writing }()
	s.queue.close()
	var err error
	if s.w != nil {
		err = s.w.close()
	}
	err = errors.Join(err, s.pool.Close())
	if err := errors.Join(err, s.owner.release()); err != nil {
		return &Error{Op: "close", Path: s.path, Reason: err.Error(), Err: err}
	}
	return nil
}

// read runs f in one read transaction: one snapshot.
func (s *SQLite) read(ctx context.Context, op string, f func(*sql.Tx) error) error {
	if s.closed.Load() {
		return closedError(op, s.path)
	}
	tx, err := s.pool.BeginTx(ctx, nil)
	if err != nil {
		return s.fail(ctx, op, err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	return s.overtaken(ctx, tx, f(tx))
}

// write runs f in one immediate transaction and commits if it returns nil.
func (s *SQLite) write(ctx context.Context, op string, f func(*writeConn) error) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", op, context.Cause(ctx))
	}
	if s.closed.Load() {
		return closedError(op, s.path)
	}
	if err := s.openWriter(ctx); err != nil {
		return s.fail(ctx, op, err)
	}
	defer s.queue.enter(ctx, s.opts.BusyTimeout)()
	if err := s.w.begin(ctx); err != nil {
		return s.fail(ctx, op, err)
	}
	// The context's end must not leave the outcome in doubt.
	whole := context.WithoutCancel(ctx)
	if err := f(s.w); err != nil {
		s.w.rollback(whole)
		return s.overtaken(whole, s.w.conn, err)
	}
	if err := s.w.commit(whole); err != nil {
		s.w.rollback(whole)
		return s.fail(whole, op, err)
	}
	return nil
}

func (s *SQLite) openWriter(ctx context.Context) error {
	if s.w != nil {
		return nil
	}
	w, err := newWriteConn(ctx, s.pool)
	if err != nil {
		return err
	}
	s.w = w
	return nil
}

func (s *SQLite) writer() writer {
	return writer{id: s.owner.id, self: s.owner.claim, alive: s.owner.alive, now: s.opts.Now}
}

var _ agent.Store = (*SQLite)(nil)
