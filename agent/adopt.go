package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Adoption is a run that comes from another store: its journal, the content
// that was kept for it, and where it goes on.
type Adoption struct {
	Events     []Event
	Blobs      [][]byte
	Workspace  string // absolute directory; "": the one of the journal
	Project    string // with Workspace; "": Workspace
	BaseCommit string // commit Workspace stands at, if known
	Source     string // digest of what the journal was read from
	By, Via    string
}

// Adopt stores a run under its own ID, with a record that says where it came
// from. It has no owner. What was granted in it is not in force, and an
// approval of a call that was not made yet does not count: the call is denied,
// and the model may ask again. A plan's decision stands.
//
// A journal that cannot be one is an error before anything is stored; whether
// what it says ever happened cannot be known. ErrRunExists: a run of that ID
// is here. *KeyUsedError: another run has its idempotency key.
func (a *Agent) Adopt(ctx context.Context, ad Adoption) (*State, error) {
	st, err := readJournal(ad.Events)
	if err != nil {
		return nil, err
	}
	j := &journal{a: a, st: st, staged: slices.Clone(ad.Events)}
	j.keep(ad.Blobs...)
	j.stageUnapproved()
	p := ImportPayload{Workspace: ad.Workspace, Project: ad.Project, BaseCommit: ad.BaseCommit, Source: ad.Source, By: ad.By, Via: via(ad.Via)}
	if p.Project == "" {
		p.Project = p.Workspace
	}
	j.stage(Imported, p)
	_, err = j.commit(ctx, false, false)
	if errors.Is(err, ErrConflict) {
		err = fmt.Errorf("import run %s: %w", st.Run.ID, ErrRunExists)
	}
	return st, err
}

// readJournal folds a journal nobody vouches for. Unlike Fold it keeps what
// the records made, to be stored anew.
func readJournal(events []Event) (*State, error) {
	st := newState()
	for i, e := range events {
		switch {
		case (i == 0) != (e.Type == Start):
			return nil, fmt.Errorf("read journal: record %d: a journal begins with its only start", e.Seq)
		case !e.Type.Journaled():
			return nil, fmt.Errorf("read journal: record %d: %s is no record", e.Seq, e.Type)
		case e.RunID != events[0].RunID || !isID(e.RunID):
			return nil, fmt.Errorf("read journal: record %d is of run %q", e.Seq, e.RunID)
		case e.At.Before(earliest) || e.At.After(latest):
			return nil, fmt.Errorf("read journal: record %d is of %s", e.Seq, e.At.Format(time.RFC3339))
		}
		if err := st.apply(e); err != nil {
			return nil, err
		}
	}
	if len(events) == 0 {
		return nil, errors.New("read journal: it has no records")
	}
	return st, nil
}

// isID reports whether s has the form NewID gives.
func isID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case (c < '0' || c > '9') && (c < 'a' || c > 'f'):
			return false
		}
	}
	return true
}

// stageUnapproved denies the calls that an approval from elsewhere would let
// run here.
func (j *journal) stageUnapproved() {
	if j.st.step == nil {
		return
	}
	for _, c := range j.st.step.calls {
		s := c.newest(KindApproval)
		if c.settled() || s == nil || s.Answer == nil || s.Answer.decision().Action != Approved {
			continue
		}
		j.stage(ToolOutputDenied, DeniedPayload{
			CallPayload: CallPayload{ToolCallID: c.ID, ToolName: c.Name},
			Reason:      "it was approved elsewhere, before this run was imported, and was not run; call it again if it is still needed",
			Cause:       DeniedByPolicy,
		})
	}
}
