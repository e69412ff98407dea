package agent

import (
	"context"
	"encoding/json"
)

// Tool is something the model can call. Implementations must be safe for
// concurrent use: read-only calls of one step run in parallel, and an Agent
// drives many runs.
//
// A tool may also implement AnswerChecker, ResumeSchemer, Changer and PlanHost.
type Tool interface {
	// Definition returns what the model and the loop know of the tool. It is
	// constant.
	Definition() Definition
	// Call does the work. An error becomes an error result for the model; the
	// run goes on. To wait for a person a tool returns the value of
	// call.Suspend; it is called again, with call.Suspensions, once the answer
	// is there. When ctx ends the tool stops soon and returns what it has.
	Call(ctx context.Context, call Call) (Result, error)
}

// AnswerChecker is implemented by tools that check the answers to their own
// suspensions. CheckAnswer returns the answer in canonical form, or an error
// that says what is allowed; then the suspension stays open.
type AnswerChecker interface {
	CheckAnswer(s Suspension, answer json.RawMessage) (json.RawMessage, error)
}

// ResumeSchemer is implemented by tools that describe the answer they want as
// a JSON Schema. payload is the suspend payload as recorded.
type ResumeSchemer interface {
	ResumeSchema(payload json.RawMessage) json.RawMessage
}

// Changer is implemented by tools that change files of the workspace. Intent
// returns what a call is about to change, as Call would report it in
// Result.Changes and Result.Blobs, and changes nothing; nil where Call will
// refuse. It is recorded before the call is made, so that the change can be
// taken back also when the process dies before the result is recorded.
type Changer interface {
	Intent(ctx context.Context, call Call) ([]FileChange, [][]byte)
}

// PlanHost is implemented by a tool of kind KindPlan that has a PlanReader; the
// agent reads the file through it once more when the plan is approved.
type PlanHost interface {
	PlanReader() PlanReader
}

// Definition describes a tool to the model, to the modes and to the loop.
type Definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"` // JSON Schema of an object
	Effect      Effect          `json:"effect"`
	Category    Category        `json:"category"`
	// Asks is the kind of suspension the tool makes; "" means KindCustom.
	Asks Kind `json:"asks,omitempty"`
}

// Effect says what repeating a call does.
type Effect string

// Effects of a call. The zero value counts as EffectOnce.
const (
	EffectReadOnly   Effect = "read_only"  // changes nothing; runs in parallel, may run again
	EffectIdempotent Effect = "idempotent" // running it twice leaves what running it once leaves
	EffectOnce       Effect = "once"       // must never be repeated unasked
)

// Category groups tools for permissions.
type Category string

// Categories of tools.
const (
	CategoryRead     Category = "read"
	CategoryEdit     Category = "edit"
	CategoryExecute  Category = "execute"
	CategoryInteract Category = "interact"
)

// Call is everything a tool gets for one call. There is nothing else to reach
// for: no globals, no context values.
type Call struct {
	RunID     string
	ID        string          // toolCallId, unique in the run
	Args      json.RawMessage // a JSON object; the tool checks what is in it
	Workspace string          // absolute directory the run works in; "" outside a run
	Mode      Mode            // the mode the step runs under; Mode.Writes limits what may be written
	// Suspensions are the earlier suspensions of this call that the tool made
	// itself, oldest first, with their answers.
	Suspensions []Suspension
	// Approved says that a person was shown this very call and allowed it.
	Approved bool
	// Seen maps workspace-relative slash paths to the digest each file had when
	// this run last read or wrote it.
	Seen map[string]string
	// Intended is what an earlier start of this call, whose process died before
	// its result was known, was about to change; see Changer.
	Intended []FileChange
	// Suspend asks a person: the tool returns its value. The payload becomes
	// the suspendPayload; a PlanSubmission additionally records the plan. It is
	// nil where nobody can be asked (outside a run, in fallback); the tool then
	// returns a readable string instead.
	Suspend func(payload any) (Result, error)
	// Output shows text of a tool at work to whoever watches. May be nil.
	Output func(text string)
	// Blob returns content stored under its Digest. Nil outside a run.
	Blob func(ctx context.Context, digest string) ([]byte, error)
}

// Result is what a call gives back: to the model, Content and IsError; to the
// journal, the rest as well.
type Result struct {
	Content string `json:"content"`
	IsError bool   `json:"isError"`
	// SubmittedPlan is set by submit_plan. It moves modes only when the journal
	// holds the person's approval of the same call.
	SubmittedPlan *SubmittedPlan `json:"submittedPlan,omitempty"`
	// Files names the files the call read or wrote and the digest each has now.
	Files []FileState `json:"files,omitempty"`
	// Changes names the files the call changed.
	Changes []FileChange `json:"changes,omitempty"`
	// Details holds what a front-end may show: exit code, counts, tasks.
	Details map[string]any `json:"details,omitempty"`
	// Blobs is content to keep with the result, each under its Digest.
	Blobs [][]byte `json:"-"`

	suspend *suspendRequest
}

type suspendRequest struct{ payload any }

// FileState is a file of the workspace as a call left it.
type FileState struct {
	Path   string `json:"path"`   // workspace-relative, slashes
	Digest string `json:"digest"` // of the whole file
}

// FileChange is one file a call wrote. Before is "" for a new file; After is ""
// for one that was removed. Otherwise they name blobs of the Result, so that the
// change can be shown and taken back.
type FileChange struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Mode   string `json:"mode,omitempty"` // permission bits before, octal
}

// ErrorResult is a Result the model reads as a failure.
func ErrorResult(content string) Result { return Result{Content: content, IsError: true} }
