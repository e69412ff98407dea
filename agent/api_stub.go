package agent

import "context"

// State is a journal folded.
type State struct{ Run Run }

func (st *State) Open() []Suspension                                              { return nil }
func (st *State) Suspensions() []Suspension                                       { return nil }
func (st *State) Plans() []Plan                                                   { return nil }
func (st *State) Grants() []string                                                { return nil }
func (st *State) Denied() []DeniedCall                                            { return nil }
func (st *State) Unanswered() []UnansweredCall                                    { return nil }
func (st *State) GiveOut(e Event) Event                                           { return e }
func Fold(events []Event) (*State, error)                                         { return nil, nil }
func (a *Agent) StreamTask(ctx context.Context, t Task) *Stream                   { return nil }
func (a *Agent) ResumeStream(ctx context.Context, answer any, r Resume) *Stream   { return nil }
func (a *Agent) Answer(ctx context.Context, answer any, r Resume) (*State, error) { return nil, nil }
func (a *Agent) Continue(ctx context.Context, r Resume) *Stream                   { return nil }
func (a *Agent) Send(ctx context.Context, text string, r Resume) *Stream          { return nil }
func (a *Agent) Cancel(ctx context.Context, r Resume) (*State, error)             { return nil, nil }
func (a *Agent) Open(ctx context.Context, runID string) ([]Suspension, error)     { return nil, nil }
