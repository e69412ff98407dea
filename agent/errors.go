package agent

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Sentinel errors. Functions of this package wrap them with the identifiers
// concerned; test with errors.Is. Code gives the word that stands for each in
// JSON.
var (
	// ErrRunNotFound: the store holds no run of that ID.
	ErrRunNotFound = errors.New("run not found")
	// ErrNotSuspended: an answer was given, but the run waits for none.
	ErrNotSuspended = errors.New("not suspended")
	// ErrAlreadyAnswered: that suspension has its answer; see AnsweredError.
	ErrAlreadyAnswered = errors.New("already answered")
	// ErrInvalidAnswer: the answer does not fit the suspension, which stays open.
	ErrInvalidAnswer = errors.New("invalid answer")
	// ErrAmbiguous: several suspensions are open and none was named; see AmbiguousError.
	ErrAmbiguous = errors.New("ambiguous")
	// ErrUnknownToolCall: the run has no such call, or the call no such suspension.
	ErrUnknownToolCall = errors.New("unknown tool call")
	// ErrBusy: a live process drives the run; see BusyError.
	ErrBusy = errors.New("busy")
	// ErrPlanChanged: what was answered is not what is open; see PlanChangedError.
	ErrPlanChanged = errors.New("plan changed")
	// ErrRunEnded: the run is finished or canceled and takes no such request.
	ErrRunEnded = errors.New("run ended")
	// ErrToolMissing: the run needs a tool this agent does not have.
	ErrToolMissing = errors.New("tool missing")
	// ErrModeMissing: the run is in, or leads to, a mode this agent does not have.
	ErrModeMissing = errors.New("mode missing")
	// ErrModelMissing: no model is set, or the one the run needs cannot be opened.
	ErrModelMissing = errors.New("model missing")
	// ErrRunExists: a run with this ID is in the store already.
	ErrRunExists = errors.New("run exists")
	// ErrKeyUsed: a run was started with this idempotency key before; see
	// KeyUsedError.
	ErrKeyUsed = errors.New("idempotency key used")
	// ErrFenced: another process took the run over; this one wrote nothing since.
	ErrFenced = errors.New("fenced")
	// ErrFilesChanged: files are not as the run left them; see FilesChangedError.
	ErrFilesChanged = errors.New("files changed")
	// ErrConflict is what a Store reports when the journal has moved on since
	// the change was decided. The agent reloads and decides again; callers of
	// Agent do not see it.
	ErrConflict = errors.New("journal moved on")
)

var codes = []struct {
	err  error
	code string
}{
	{ErrRunNotFound, "run_not_found"},
	{ErrAlreadyAnswered, "already_answered"},
	{ErrInvalidAnswer, "invalid_answer"},
	{ErrAmbiguous, "ambiguous"},
	{ErrUnknownToolCall, "unknown_tool_call"},
	{ErrBusy, "busy"},
	{ErrPlanChanged, "plan_changed"},
	{ErrRunEnded, "run_ended"},
	{ErrToolMissing, "tool_missing"},
	{ErrModeMissing, "mode_missing"},
	{ErrModelMissing, "model_missing"},
	{ErrRunExists, "run_exists"},
	{ErrKeyUsed, "key_used"},
	{ErrFenced, "fenced"},
	{ErrFilesChanged, "files_changed"},
	{ErrNotSuspended, "not_suspended"},
}

// Code returns the word that stands for err in JSON ("run_not_found",
// "plan_changed", …; "provider" for a ProviderError), or "" if err wraps none
// of this package's errors.
func Code(err error) string {
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	var pe *ProviderError
	if errors.As(err, &pe) {
		return CodeProvider
	}
	return ""
}

// BusyError is an ErrBusy with the owner of the run.
type BusyError struct {
	RunID string
	Owner Owner
	// Last is the request that was answered last; set for an answer that came
	// when nothing was open any more.
	Last *Suspension
}

func (e *BusyError) Error() string {
	text := fmt.Sprintf("run %s is busy: driven by %s since %s", e.RunID, e.Owner, e.Owner.Since.UTC().Format(time.RFC3339))
	if e.Last != nil {
		text += "; " + e.Last.answeredBy()
	}
	return text
}

// Is makes errors.Is(err, ErrBusy) true.
func (e *BusyError) Is(target error) bool { return target == ErrBusy }

// KeyUsedError is an ErrKeyUsed with the run that has the key. Differs names
// what of the two tasks differs, "prompt", "mode" or "model"; it is "" for the
// same task, which then is not started a second time.
type KeyUsedError struct {
	RunID   string
	Key     string
	Differs string
}

func (e *KeyUsedError) Error() string {
	text := fmt.Sprintf("idempotency key %q is that of run %s", e.Key, e.RunID)
	if e.Differs != "" {
		text += ", whose " + e.Differs + " is another"
	}
	return text
}

// Is makes errors.Is(err, ErrKeyUsed) true.
func (e *KeyUsedError) Is(target error) bool { return target == ErrKeyUsed }

// AnsweredError is an ErrAlreadyAnswered with the answer that won.
type AnsweredError struct {
	RunID      string
	Suspension Suspension
}

func (e *AnsweredError) Error() string {
	s := e.Suspension
	if s.Answer == nil {
		return fmt.Sprintf("%s of run %s is closed", s.Ref(), e.RunID)
	}
	return fmt.Sprintf("run %s: %s", e.RunID, s.answeredBy())
}

// Is makes errors.Is(err, ErrAlreadyAnswered) true.
func (e *AnsweredError) Is(target error) bool { return target == ErrAlreadyAnswered }

// AmbiguousError is an ErrAmbiguous with the suspensions an answer could mean.
type AmbiguousError struct {
	RunID string
	Open  []Suspension
}

func (e *AmbiguousError) Error() string {
	refs := make([]string, len(e.Open))
	for i, s := range e.Open {
		refs[i] = s.Ref()
	}
	return fmt.Sprintf("run %s has %d open items, name one: %s", e.RunID, len(e.Open), strings.Join(refs, ", "))
}

// Is makes errors.Is(err, ErrAmbiguous) true.
func (e *AmbiguousError) Is(target error) bool { return target == ErrAmbiguous }

// PlanChangedError is an ErrPlanChanged. Now is what is open since; it is nil
// when nothing could be recorded, as for a plan file that became a link.
type PlanChangedError struct {
	RunID  string
	Reason string
	Was    PlanSubmission
	Now    *PlanSubmission
}

func (e *PlanChangedError) Error() string {
	return fmt.Sprintf("plan changed: %s of run %s: %s; nothing was approved", e.Was.Path, e.RunID, e.Reason)
}

// Is makes errors.Is(err, ErrPlanChanged) true.
func (e *PlanChangedError) Is(target error) bool { return target == ErrPlanChanged }

// FilesChangedError is an ErrFilesChanged with all files that were meant; those
// in the way have a Problem.
type FilesChangedError struct {
	RunID string
	Files []UndoFile
}

func (e *FilesChangedError) Error() string {
	n, list := 0, ""
	for _, f := range e.Files {
		if f.Problem != "" {
			n++
			list += "\n  " + f.Path + ": " + f.Problem
		}
	}
	return fmt.Sprintf("files changed: of %d files %d cannot be put back; nothing was undone%s", len(e.Files), n, list)
}

// Is makes errors.Is(err, ErrFilesChanged) true.
func (e *FilesChangedError) Is(target error) bool { return target == ErrFilesChanged }

// Codes used in error events and reports beside those of the sentinels.
const (
	CodeProvider = "provider"
	CodeInternal = "internal"
	CodeCanceled = "canceled"
	CodeAsked    = "nobody_asked" // on-question "fail": a question met nobody
)

// ProviderError is a fault of a model's provider. The loop retries the
// retryable ones (see Retry) and then pauses the run; the others pause it at
// once.
type ProviderError struct {
	Status    int           // HTTP status, 0 when the connection itself failed
	Message   string        // one line: the cause as the provider names it
	Hint      string        // one line: the remedy; may be empty
	Retryable bool          // whether the same request may succeed later
	After     time.Duration // wait the provider asked for, 0 if none
	TooLong   bool          // the request does not fit the model's context window
	Err       error         // underlying error; may be nil
}

func (e *ProviderError) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("provider answered %d: %s", e.Status, e.Message)
	}
	return "provider: " + e.Message
}

func (e *ProviderError) Unwrap() error { return e.Err }

// RetryableStatus reports whether a provider's HTTP status is worth a retry:
// 408, 409, 429 and 5xx.
func RetryableStatus(status int) bool {
	return status == 408 || status == 409 || status == 429 || status >= 500
}
