package agent

import (
	"context"
	"fmt"
	"time"
)

// Store keeps runs. It is safe for concurrent use, by several processes where
// it says so. Package runstore has two; its storetest is the suite every Store
// must pass.
type Store interface {
	// Load returns a run, its whole journal and its owner as of one moment, or
	// ErrRunNotFound.
	Load(ctx context.Context, runID string) (Snapshot, error)
	// Commit makes a change durable, all of it or nothing, and returns the
	// epoch of ownership then in force. It fails with
	//   - ErrFenced if Change.Epoch is set and not the run's epoch any more;
	//   - *BusyError if Change.Epoch is 0, Force unset and the owner lives;
	//   - ErrConflict if the journal does not end at Change.Base;
	//   - ErrRunNotFound if Base is not 0 and there is no such run;
	//   - *KeyUsedError, its Differs unset, for a new run whose IdempotencyKey
	//     another run of its Project has.
	// A change whose ID and events the journal already holds at their places has
	// been committed before and succeeds.
	Commit(ctx context.Context, c Change) (epoch int64, err error)
	// Epoch returns the run's epoch. A driving loop asks once a second.
	Epoch(ctx context.Context, runID string) (int64, error)
	// Blob returns the content stored under a digest; the error wraps
	// fs.ErrNotExist if there is none.
	Blob(ctx context.Context, digest string) ([]byte, error)
	// Runs lists runs, newest first.
	Runs(ctx context.Context, q RunQuery) ([]RunInfo, error)
}

// Change is one transaction on one run: records for the journal, and what
// follows from them. Base is the seq of the record it was decided on (0 for a
// new run); the events carry Base+1, Base+2, ….
//
// Ownership: a change of an owner names its Epoch. One of somebody else has
// Epoch 0 and needs that no owner lives, or Force. Own says whether the run is
// owned by the writer afterwards. The epoch grows whenever ownership is taken,
// and when a change that is not the owner's ends the ownership of another.
type Change struct {
	ID          string // of this change alone: tells a retry from a twin with equal bytes
	Run         Run    // projection after the change
	Base        int64
	Events      []Event
	Suspensions []Suspension // those the change made or altered, whole
	Plans       []Plan       // likewise
	Blobs       [][]byte     // content to keep, each under its Digest
	Epoch       int64
	Force       bool
	Own         bool
}

// Snapshot is a run as of one moment.
type Snapshot struct {
	RunInfo
	Events []Event
}

// RunInfo is a run with what only the store knows. Owner is nil while nobody
// owns the run; Alive says whether the owner may still be at work (an owner
// on another machine counts as alive: nothing here can prove its death).
type RunInfo struct {
	Run
	Owner *Owner       `json:"owner,omitempty"`
	Alive bool         `json:"-"`
	Epoch int64        `json:"-"`
	Open  []Suspension `json:"open"` // in call order
}

// Current is the run's status with StatusInterrupted told apart.
func (i RunInfo) Current() Status {
	if i.Status == StatusRunning && !i.Alive {
		return StatusInterrupted
	}
	return i.Status
}

// Waiting reports whether the run waits for a person: something is open, or
// its last plan is undecided.
func (i RunInfo) Waiting() bool { return i.Status == StatusSuspended || i.Undecided }

// Owner is the process that drives a run.
type Owner struct {
	ID    string    `json:"id"`
	Host  string    `json:"host"`
	Boot  string    `json:"-"` // identifies the boot of Host; "" where the system has none
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

func (o Owner) String() string { return fmt.Sprintf("process %d on %s", o.PID, o.Host) }

// RunQuery selects runs; zero fields select all.
type RunQuery struct {
	Project  string
	Statuses []Status // as Current gives them
	Waiting  bool     // only those that wait for a person
	IDPart   string   // prefix or suffix of the ID, dashes ignored
	Search   string   // words in prompt, title, questions or plans
	Before   string   // only runs older than the run of this ID; none if there is no such run
	Limit    int      // at most so many; 0 means all
}
