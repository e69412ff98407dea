package runstore

import (
	"context"
	"database/sql"
	"errors"
)

// writeConn is the one connection that writes, with its prepared statements.
// It is used by one goroutine at a time.
type writeConn struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

func newWriteConn(ctx context.Context, pool *sql.DB) (*writeConn, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &writeConn{conn: conn, stmts: make(map[string]*sql.Stmt)}, nil
}

func (w *writeConn) begin(ctx context.Context) error {
	_, err := w.exec(ctx, "BEGIN IMMEDIATE")
	return err
}

func (w *writeConn) commit(ctx context.Context) error {
	_, err := w.exec(ctx, "COMMIT")
	return err
}

// rollback ends the transaction if SQLite has not done so itself, as it does
// after some faults.
func (w *writeConn) rollback(ctx context.Context) { _, _ = w.exec(ctx, "ROLLBACK") }

func (w *writeConn) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if st, ok := w.stmts[query]; ok {
		return st, nil
	}
	st, err := w.conn.PrepareContext(ctx, query)
	if err == nil {
		w.stmts[query] = st
	}
	return st, err
}

func (w *writeConn) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	st, err := w.prepare(ctx, query) //nolint:sqlclosecheck // kept for the next time, closed by close
	if err != nil {
		return nil, err
	}
	return st.ExecContext(ctx, args...)
}

// get scans the only row of a query into dest and reports whether there is one.
func (w *writeConn) get(ctx context.Context, query string, args []any, dest ...any) (bool, error) {
	st, err := w.prepare(ctx, query) //nolint:sqlclosecheck // kept for the next time, closed by close
	if err != nil {
		return false, err
	}
	err = st.QueryRowContext(ctx, args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// query gives rows that the caller closes.
func (w *writeConn) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	st, err := w.prepare(ctx, query) //nolint:sqlclosecheck // kept for the next time, closed by close
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

func (w *writeConn) close() error {
	var err error
	for _, st := range w.stmts {
		err = errors.Join(err, st.Close())
	}
	return errors.Join(err, w.conn.Close())
}
