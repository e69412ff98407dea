package agent

import (
	"context"
	"slices"
	"time"
)

// Survey is what a workspace looks like at one moment. Equal digests mean that
// nothing was touched between two looks. Manifest is what tells two looks apart
// later; it is kept as a blob. Files are regular ones, Bytes their size.
type Survey struct {
	Digest     string
	Manifest   []byte
	BaseCommit string // the workspace stands at, if known
	Files      int64
	Bytes      int64
	// Outputs are files in it that the process itself writes its output to, as
	// paths from the workspace with slashes.
	Outputs []string
}

// SurveyPayload is a look at the workspace. ReadOnly says that the mode in
// force until then could not write it. Error says why there was none to be had.
type SurveyPayload struct {
	When       SurveyMoment `json:"when"`
	Mode       string       `json:"mode"`
	ReadOnly   bool         `json:"readOnly"`
	Workspace  string       `json:"workspace"`
	Digest     string       `json:"digest,omitempty"`
	Manifest   string       `json:"manifest,omitempty"` // digest of its blob
	BaseCommit string       `json:"baseCommit,omitempty"`
	Files      int64        `json:"files"`
	Bytes      int64        `json:"bytes"`
	Outputs    []string     `json:"outputs,omitempty"` // files the process that looked wrote its own output to
	Error      string       `json:"error,omitempty"`
	// Repeated says that this is the look before once more: no tool had worked
	// since but those that ask a person.
	Repeated bool `json:"repeated,omitempty"`
}

// SurveyMoment says when a workspace was looked at.
type SurveyMoment string

// Moments of surveys. A process that takes a run up looks before it does
// anything, and before it gives the run up: so what changed between is told
// from what changed while nobody drove it.
const (
	SurveyBegin SurveyMoment = "begin"
	SurveyEnd   SurveyMoment = "end" // for a submitted plan too: the run is given up then
	// SurveyMode is before the run moves to the mode an approved plan leads to.
	SurveyMode SurveyMoment = "mode"
)

// Surveyed is a record of a look at the workspace.
type Surveyed struct {
	SurveyPayload
	Seq int64     `json:"seq"`
	At  time.Time `json:"at"`
}

// Surveys returns every look at the workspace, oldest first.
func (st *State) Surveys() []Surveyed { return append([]Surveyed(nil), st.surveys...) }

// surveys are the looks at the workspace, oldest first.
type surveys []Surveyed

func (st *State) foldSurvey(e Event, p SurveyPayload) error {
	st.surveys = append(st.surveys, Surveyed{SurveyPayload: p, Seq: e.Seq, At: e.At})
	return nil
}

// previous is the manifest a look at a workspace can be told as a difference to.
func (s surveys) previous(workspace string) string {
	for _, p := range slices.Backward(s) {
		if p.Manifest != "" && p.Workspace == workspace {
			return p.Manifest
		}
	}
	return ""
}

// How long a look may take: it must not hold up a run, and not the end of one
// that was told to stop.
const (
	surveyTime     = 5 * time.Second
	surveyStopTime = 500 * time.Millisecond
)

// survey stages a look at the workspace. One that cannot be had is recorded as
// such and hinders nothing.
func (d *drive) survey(ctx context.Context, when SurveyMoment) {
	workspace := d.st.Run.Workspace
	if d.a.cfg.Survey == nil || workspace == "" {
		return
	}
	var p SurveyPayload
	if n := len(d.st.surveys); d.surveyed && !d.worked && n > 0 {
		p = d.st.surveys[n-1].SurveyPayload
		p.Repeated = true
	} else {
		p = d.look(ctx, workspace)
	}
	p.When, p.Mode = when, d.st.Run.Mode
	if d.st.step != nil {
		p.Mode = d.st.step.mode
	}
	mode, known := d.a.modes.Mode(p.Mode)
	p.ReadOnly = known && !mode.MayWriteWorkspace()
	d.stage(WorkspaceDigest, p)
	d.surveyed, d.worked = true, false
}

// look takes the workspace down and keeps what tells it apart later.
func (d *drive) look(ctx context.Context, workspace string) SurveyPayload {
	patience := surveyTime
	if ctx.Err() != nil {
		patience = surveyStopTime
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	p := SurveyPayload{Workspace: workspace}
	previous := d.st.surveys.previous(workspace)
	s, err := d.a.cfg.Survey(ctx, workspace, previous)
	if err != nil {
		p.Error = err.Error()
		return p
	}
	p.Digest, p.Manifest, p.BaseCommit, p.Files, p.Bytes, p.Outputs = s.Digest, Digest(s.Manifest), s.BaseCommit, s.Files, s.Bytes, s.Outputs
	if p.Manifest != previous {
		d.keep(s.Manifest)
	}
	return p
}
