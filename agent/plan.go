package agent

import (
	"context"
	"encoding/json"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// PlanFile is a plan as read from disk, once.
type PlanFile struct {
	Path   string // workspace-relative, cleaned, slashes
	Title  string
	Plan   string // the text below the title
	Digest string // of Source
	Source []byte // the file's bytes
}

// PlanReader reads plans for submit_plan and for the approval that follows.
// It is safe for concurrent use.
type PlanReader interface {
	// ReadPlan checks and reads the plan at path, as a model or a journal gave
	// it. The error says what to do about it; it wraps fs.ErrNotExist exactly
	// when no file is there but one could be.
	ReadPlan(ctx context.Context, runID, workspace, path string) (PlanFile, error)
	// RestorePlan writes the bytes of a plan whose file is missing.
	RestorePlan(ctx context.Context, workspace string, plan PlanFile) error
}

// PlanSubmission is the suspend payload of kind KindPlan. Revision is set by
// the loop. Without a PlanReader only Path is set.
type PlanSubmission struct {
	Path     string `json:"path"` // as submitted
	Title    string `json:"title"`
	Plan     string `json:"plan"`
	Digest   string `json:"digest"`
	Revision int    `json:"revision"` // 1, 2, … per resolved path in the run
	Source   []byte `json:"-"`        // the file's bytes, stored under Digest
}

// MarshalJSON writes the path alone where no file was read.
func (p PlanSubmission) MarshalJSON() ([]byte, error) {
	if p.Digest == "" {
		return json.Marshal(struct {
			Path string `json:"path"`
		}{p.Path})
	}
	type whole PlanSubmission
	return json.Marshal(whole(p))
}

// SubmittedPlan is what a result of submit_plan carries: a submission and what
// became of it. Decision is one of PlanApproved, PlanRejected, PlanUndecided.
type SubmittedPlan struct {
	PlanSubmission
	Decision string `json:"decision"`
	Feedback string `json:"feedback,omitempty"`
}

// MarshalJSON writes the submission and the decision as one object.
func (p SubmittedPlan) MarshalJSON() ([]byte, error) {
	type whole PlanSubmission // without the method that would hide the decision
	return json.Marshal(struct {
		whole
		Decision string `json:"decision"`
		Feedback string `json:"feedback,omitempty"`
	}{whole(p.PlanSubmission), p.Decision, p.Feedback})
}

// What became of a plan.
const (
	PlanOpen      = "open"
	PlanUndecided = "undecided"
	PlanApproved  = "approved"
	PlanRejected  = "rejected"
	PlanReplaced  = "replaced" // another revision took its place before a decision
)

// Authors of a plan that have no name.
const (
	AuthorAgent  = "agent"
	AuthorPerson = "person" // somebody changed the file during review, it is not known who
)

// PlanDecision is the answer to a suspension of kind KindPlan. Only Action
// "approved" approves. Path, Title, Plan and Digest are an echo of what was
// decided on; Plan and Digest, where given, must equal what is open.
type PlanDecision struct {
	Action   string `json:"action"` // "approved" or "rejected"
	Feedback string `json:"feedback,omitempty"`
	Path     string `json:"path,omitempty"`
	Title    string `json:"title,omitempty"`
	Plan     string `json:"plan,omitempty"`
	Digest   string `json:"digest,omitempty"`
}

// Plan is one revision of a plan of a run, with what became of it.
type Plan struct {
	RunID       string     `json:"runId"`
	ToolCallID  string     `json:"toolCallId"`
	N           int        `json:"n"`        // suspension it was shown in
	Path        string     `json:"path"`     // workspace-relative, cleaned
	Submitted   string     `json:"-"`        // the path as the model gave it
	Revision    int        `json:"revision"` // per Path
	Title       string     `json:"title"`
	Body        string     `json:"-"` // the text below the title
	Digest      string     `json:"digest"`
	Author      string     `json:"author"` // AuthorAgent, or who changed the file during review
	SubmittedAt time.Time  `json:"submittedAt"`
	Decision    string     `json:"decision"`
	Feedback    string     `json:"feedback,omitempty"`
	By          string     `json:"by,omitempty"`
	Via         string     `json:"via,omitempty"`
	DecidedAt   *time.Time `json:"decidedAt,omitempty"`
}

func (p Plan) submission() PlanSubmission {
	return PlanSubmission{Path: p.Submitted, Title: p.Title, Plan: p.Body, Digest: p.Digest, Revision: p.Revision}
}

// planKey is the workspace-relative form of a plan path by its text alone:
// ReadPlan has refused links, so two texts of one file have one key.
func planKey(workspace, p string) string {
	if filepath.IsAbs(p) && workspace != "" {
		if rel, err := filepath.Rel(workspace, p); err == nil {
			p = rel
		}
	}
	return strings.TrimPrefix(path.Clean(filepath.ToSlash(p)), "./")
}
