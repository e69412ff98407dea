// Package agent is the domain and the loop of a human-in-the-loop agent: runs,
// their journal, suspensions and answers, modes, tools and models.
//
// A run is its journal. The loop folds the journal into a State and takes one
// step; waiting for a person is a record and a return, never a parked
// goroutine. So a crash and a human answer are continued in the same way: load,
// fold, go on.
//
// The package prints nothing, reads no environment and imports only the
// standard library. Tools, models, modes and stores are values given to New.
package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Config makes an Agent. Store is required; the zero value of everything else
// is useful, though no run starts without Model or Models.
type Config struct {
	ID           string // recorded in the runs; "" is fine
	Name         string
	Instructions string // the system prompt; a mode adds its own
	// Model is asked where neither the run nor the mode names one.
	Model Model
	// Models opens a model by ID, for pinned models and modes that name one.
	// Nil knows only Model.
	Models func(id string) (Model, error)
	// Facts says what is known of a model, by ID: its context window bounds what
	// a request holds, its prices make costs. It is called concurrently. Nil, or
	// zero facts: nothing is known, and nothing is guessed.
	Facts func(modelID string) ModelFacts
	// Tools are the agent's tools. Registered are tools that only modes which
	// name them have.
	Tools      []Tool
	Registered []Tool
	Modes      ModePolicy  // nil: one mode with all Tools
	Permission Permissions // nil: every call may run
	// Gate is asked right before a call is made that mode and policy allow; an
	// error denies it, in its words. It is called in call order, may take its
	// time and ends with ctx. Tools that ask a person are not put to it. Nil: all
	// pass.
	Gate  func(ctx context.Context, tool Definition, call Call) error
	Store Store
	// Mask takes secrets out of what is to be recorded, shown or sent to a
	// model: it gets the JSON of a payload, or content to keep, and returns it
	// with each secret replaced, the same slice if there is none. It is called
	// concurrently. Nil: nothing is masked.
	Mask func(data []byte) []byte
	// MaskStream does the same for what comes in pieces, the output of a tool at
	// work and a block of a reply: next returns what may be shown by now, rest
	// what was held back.
	// Nil: each piece is masked by itself.
	MaskStream func() (next func(piece string) string, rest func() string)
	// Survey looks at a workspace, so that it can be told later what was touched
	// there, and when; previous is the digest of the manifest before, "" if none
	// is kept. It is called when a run is taken up and when it is given up, and
	// ends soon after its context. Nil: nothing is looked at.
	Survey func(ctx context.Context, workspace, previous string) (Survey, error)
	Limits Limits // for runs that set none
	Retry  Retry
	Now    func() time.Time // nil: time.Now
	NewID  func() string    // nil: NewID, a UUIDv7
	Logger *slog.Logger     // nil: silent
}

// Retry bounds how long a provider's faults are met with further attempts.
// Zero fields mean the defaults.
type Retry struct {
	MaxElapsed time.Duration // 5 minutes; negative: no retries
	First      time.Duration // wait before the second attempt, doubled each time: 500 ms
	Max        time.Duration // longest wait: 30 s
}

// Agent drives runs. It is safe for concurrent use.
type Agent struct {
	cfg   Config
	tools map[string]Tool
	modes ModePolicy

	stopGrace  time.Duration // how long a tool may take to stop once its context has ended
	epochEvery time.Duration // how often a drive looks whether it was fenced
}

// New checks the configuration and returns an Agent.
func New(cfg Config) (*Agent, error) {
	if cfg.Store == nil {
		return nil, errors.New("new agent: Config.Store is required (runstore.Memory() keeps runs in memory)")
	}
	a := &Agent{cfg: cfg, tools: make(map[string]Tool), modes: cfg.Modes, stopGrace: 10 * time.Second, epochEvery: time.Second}
	var base []string
	for i, t := range append(append([]Tool{}, cfg.Tools...), cfg.Registered...) {
		if t == nil {
			return nil, fmt.Errorf("new agent: tool %d is nil", i+1)
		}
		name := t.Definition().Name
		if name == "" {
			return nil, fmt.Errorf("new agent: tool %d has no name", i+1)
		}
		if _, twice := a.tools[name]; twice {
			return nil, fmt.Errorf("new agent: two tools are named %q", name)
		}
		a.tools[name] = t
		if i < len(cfg.Tools) {
			base = append(base, name)
		}
	}
	if a.modes == nil {
		a.modes = singleMode{tools: base}
	}
	if a.cfg.Mask == nil {
		a.cfg.Mask = func(data []byte) []byte { return data }
	}
	if a.cfg.MaskStream == nil {
		a.cfg.MaskStream = func() (func(string) string, func() string) {
			return func(piece string) string { return piece }, func() string { return "" }
		}
	}
	if a.cfg.Facts == nil {
		a.cfg.Facts = func(string) ModelFacts { return ModelFacts{} }
	}
	if a.cfg.Now == nil {
		a.cfg.Now = time.Now
	}
	if a.cfg.NewID == nil {
		a.cfg.NewID = NewID
	}
	if a.cfg.Logger == nil {
		a.cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return a, nil
}

// Task is a run to start. Only Prompt is required.
type Task struct {
	Prompt         string
	Title          string // "": the first line of Prompt
	Mode           string // "": the default mode
	Model          string // pins a model for the whole run
	Thinking       string // Run.Thinking: for who opens the models, no loop reads it
	Workspace      string // absolute directory; "": the run has none
	Project        string // what "this workspace" compares; "": Workspace
	BaseCommit     string // commit the workspace stood at, if known
	IdempotencyKey string // starts the task once in its Project; see KeyUsedError
	Limits         Limits
	Context        []ContextFile // goes into the conversation before Prompt
	OnQuestion     OnQuestion
	Expected       Expected
	By, Via        string
}

// Expected reports whether an answer to a question or a plan is at hand, so
// that it is asked for, and suspends the run, whatever OnQuestion says. The
// Suspension is not recorded yet. It is called in the order of the calls, from
// the goroutine that ranges the stream. Nil expects nothing.
type Expected func(Suspension) bool

// OnQuestion says what becomes of a question, a plan or an approval. It holds
// for one call, not for the run.
type OnQuestion string

// What becomes of a question.
const (
	// OnQuestionSuspend suspends the run; the zero value.
	OnQuestionSuspend OnQuestion = ""
	// OnQuestionFallback lets tools return their readable string and denies
	// what would need an approval.
	OnQuestionFallback OnQuestion = "fallback"
	// OnQuestionReadOnlyFallback is fallback in modes that cannot write the
	// workspace and suspend in the others: what CI wants.
	OnQuestionReadOnlyFallback OnQuestion = "read-only-fallback"
	// OnQuestionFail fails the run.
	OnQuestionFail OnQuestion = "fail"
)

// Resume names a run to go on with, and how. Only RunID is required.
type Resume struct {
	RunID      string
	ToolCallID string // which suspension; "": the only open one
	N          int    // which of the call; 0: the open one, else the latest
	Digest     string // what the answer is for; another digest is ErrPlanChanged
	// FreshContext, with the approval of a plan, lets the model go on with the
	// task, the person's answers and the plan alone.
	FreshContext bool
	Mode         string // for Send: the mode to go on in
	Model        string // pins another model
	Thinking     string // another Run.Thinking; "": as it is
	Limits       *Limits
	Workspace    string // moves the run to another directory
	Project      string // with Workspace
	TakeOver     bool   // fences a live owner
	OnQuestion   OnQuestion
	Expected     Expected
	// By says who asks (recorded, not authenticated); Via how: "tty", "flag",
	// "file", "library" (the default), ….
	By, Via string
}

// Stream starts a run. Nothing happens before the stream is ranged.
func (a *Agent) Stream(ctx context.Context, prompt string) *Stream {
	return a.StreamTask(ctx, Task{Prompt: prompt})
}
