package runstore

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// queue makes the processes that want to write stand in line. SQLite lets them
// ask again and again, ever more rarely: where many want to write, one that
// waits long is passed by those that came last, until its time is over. The
// system wakes those that wait for a lock on a file in their order.
//
// It is only about fairness: whoever cannot stand in line writes without, and
// SQLite still lets one at a time. One goroutine uses it at a time.
type queue struct {
	dir string // of the owners, which is made if need be
	f   *os.File
}

// enter waits for its turn, no longer than patience. leave lets the next in.
func (q *queue) enter(ctx context.Context, patience time.Duration) (leave func()) {
	if q.f == nil {
		_ = os.Mkdir(q.dir, 0o700) // there, or what follows fails
		f, err := os.OpenFile(filepath.Join(q.dir, "queue"), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return func() {}
		}
		_ = f.Chmod(0o600) // whatever the umask; not ours if it fails
		q.f = f
	}
	if lockExclusive(q.f) == nil || q.wait(ctx, patience) {
		f := q.f
		return func() { _ = unlock(f) }
	}
	return func() {}
}

// wait waits for the lock. A wait that is given up leaves the file to whom
// still waits: it cannot be called off.
func (q *queue) wait(ctx context.Context, patience time.Duration) bool {
	f, got, late := q.f, make(chan error, 1), time.NewTimer(patience)
	defer late.Stop()
	go func() { got <- lockInTurn(f) }()
	select {
	case err := <-got:
		return err == nil
	case <-late.C:
	case <-ctx.Done():
	}
	q.f = nil
	go func() {
		<-got //nolint:errcheck // it was given up, whatever comes of it
		f.Close()
	}()
	return false
}

func (q *queue) close() {
	if q.f != nil {
		q.f.Close()
	}
}
