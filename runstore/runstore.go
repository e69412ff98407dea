// Package runstore keeps runs: in SQLite, where they outlive every process,
// or in memory. Both pass the suite in storetest.
//
// # SQLite
//
// One file, schema in migrations/, WAL with synchronous=FULL: a commit that
// returned survives power loss. Several processes may use one file at once. A
// handle writes through one connection and reads through others, each opened
// when first needed. Nothing is ever overwritten that is not a database of
// this package.
//
// Ownership of a run is decided inside the transaction that changes it.
// Whether an owner lives is told by a lock it holds on a file of its own, in
// the directory FILE-owners beside the database: the kernel gives it up the
// moment the process dies, however it dies. No heartbeat, no clock. Processes
// that want to write stand in line at a file there.
//
// # Lists
//
// A list walks an index from its new end and stops with the page, however many
// runs there are; so does a search, driven by the rarest thing it asks for
// (search.go). plan_test.go asks SQLite about each query. What does look at
// every run: words of one letter or two that hardly occur, lists without a
// limit.
//
// # Deleting many
//
// Prune walks an index of runs that ended, in transactions of a fraction of a
// second: each of so many bytes as the one before showed there is time for. It
// puts each off a little, so that those that stand in line come first.
//
// # Order of checks in Commit
//
//  1. A change that is in the journal already, by its ID and byte for byte,
//     succeeds with the epoch it got then. The same bytes under another ID are
//     not a retry but a second decision, and are judged below.
//  2. ErrFenced, before anything else an owner may be told: whatever the
//     journal holds now, a stale owner has to stop.
//  3. ErrRunNotFound, then ErrConflict: a change decided on an old journal is
//     void, whoever drives the run now. Whoever lost the race for an answer so
//     learns to look again (and finds the answer that won), not merely that
//     the winner is at work.
//  4. *KeyUsedError, for a new run. Transactions that write follow each other,
//     so of two runs with one key the second finds the first.
//  5. *BusyError: decided on what is, but a live process owns the run.
package runstore

import (
	"context"
	"log/slog"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Store is what every store of this package gives: agent.Store, and the
// queries that front-ends need beyond it. It is safe for concurrent use.
type Store interface {
	agent.Store
	// Events returns the records of a run behind seq after, in order; none for
	// a run that is not there. Only Load reads them with the rest of the run as
	// of one moment.
	Events(ctx context.Context, runID string, after int64) ([]agent.Event, error)
	// Plans lists revisions of plans, newest run first, then as they were
	// submitted. Body is left out: Blob(Digest) has the file's bytes.
	Plans(ctx context.Context, q PlanQuery) ([]agent.Plan, error)
	// OpenPlan looks for a suspended run other than notRun that has the plan
	// at path (workspace-relative, cleaned) of that workspace open.
	OpenPlan(ctx context.Context, workspace, path, notRun string) (runID string, found bool, err error)
	// Digests lists the content that was kept for a run, in order; each is a
	// Blob. It is empty for a run that is not there.
	Digests(ctx context.Context, runID string) ([]string, error)
	// Delete takes a run away for good, with the content that is kept for no
	// other run. It fails with agent.ErrRunNotFound, and with *agent.BusyError
	// while a live process drives the run.
	Delete(ctx context.Context, runID string) error
	// Ended lists at most limit runs of a query, the one touched longest ago
	// first: those behind after, the last of a page for the next; with its zero
	// value from the first on.
	Ended(ctx context.Context, q EndedQuery, after EndedRun, limit int) ([]EndedRun, error)
	// CountEnded counts the runs of a query.
	CountEnded(ctx context.Context, q EndedQuery) (int, error)
	// Prune deletes the runs of a query as Delete does, but for those that a
	// live process drives: many in each of several short transactions, in which
	// it looks at them anew, and between which others get their turn to write.
	// After each it calls gone with the runs that are deleted now. Where ctx
	// ends it stops between two; the error wraps the cause. Whatever it fails
	// with, the runs it told of are gone, and no others.
	Prune(ctx context.Context, q EndedQuery, gone func([]EndedRun)) error
	// Path is the absolute path of the database, "" for one in memory.
	Path() string
	// Close ends the handle. Runs it still owns count as interrupted.
	Close() error
}

// PlanQuery selects revisions of plans; zero fields select all.
type PlanQuery struct {
	RunID   string
	RunIDs  []string // only of these runs; none means of any
	Path    string   // workspace-relative, cleaned
	Project string
	Limit   int // at most so many; 0 means all
}

// Options of Open. The zero value is useful.
type Options struct {
	// BusyTimeout is how long to wait for another process's transaction
	// before ErrLocked; 0 means 10 s.
	BusyTimeout time.Duration
	// Private says that the directory the path names holds nothing but the
	// agent's data: once the database in it proved to be ours, other users'
	// rights to it are taken away (0700), as far as that is possible.
	Private bool
	// Now is the clock for Owner.Since; nil means time.Now.
	Now func() time.Time
	// Logger hears of what goes on without help, such as traces of dead
	// processes put away. Nil means silence.
	Logger *slog.Logger
}

func (o Options) filled() Options {
	if o.BusyTimeout <= 0 {
		o.BusyTimeout = 10 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// MemoryDSN names a store in memory for OpenDSN.
const MemoryDSN = "memory:"

// OpenDSN opens the store a name stands for: MemoryDSN, else the path of a
// SQLite database. A further store is a further case here.
func OpenDSN(ctx context.Context, dsn string, opts Options) (Store, error) {
	if dsn == MemoryDSN {
		return Memory(), nil
	}
	s, err := Open(ctx, dsn, opts)
	if err != nil {
		return nil, err // not s: a nil *SQLite is no nil Store
	}
	return s, nil
}

var (
	_ Store = (*SQLite)(nil)
	_ Store = (*MemoryStore)(nil)
)
