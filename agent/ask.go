package agent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// modelID is the model the next step in a mode asks: the one pinned for the
// run, the mode's, the agent's, or the one the run has used so far.
func (a *Agent) modelID(st *State, mode Mode) string {
	switch {
	case st.Run.Pinned != "":
		return st.Run.Pinned
	case mode.DefaultModelID != "":
		return mode.DefaultModelID
	case a.cfg.Model != nil:
		return a.cfg.Model.ID()
	}
	return st.Run.Model
}

// openModel opens a model, or says why it cannot.
func (a *Agent) openModel(id string) (Model, error) {
	switch {
	case id == "":
		return nil, fmt.Errorf("%w: neither the run, its mode nor the agent names one", ErrModelMissing)
	case a.cfg.Model != nil && a.cfg.Model.ID() == id:
		return a.cfg.Model, nil
	case a.cfg.Models == nil:
		return nil, fmt.Errorf("%w: %q is not known to this agent", ErrModelMissing, id)
	}
	m, err := a.cfg.Models(id)
	if err == nil && m == nil {
		err = errors.New("there is no such model")
	}
	if err != nil && !errors.Is(err, ErrModelMissing) {
		err = fmt.Errorf("%w: open %q: %w", ErrModelMissing, id, err)
	}
	return m, err
}

// model opens a model once per drive.
func (d *drive) model(id string) (Model, error) {
	if m, ok := d.models[id]; ok {
		return m, nil
	}
	m, err := d.a.openModel(id)
	if err == nil {
		d.models[id] = m
	}
	return m, err
}

// mode returns a mode the journal names.
func (a *Agent) mode(id string) (Mode, error) {
	if m, ok := a.modes.Mode(id); ok {
		return m, nil
	}
	return Mode{}, fmt.Errorf("%w: %q", ErrModeMissing, id)
}

// next is the mode and the model in force for the next step.
func (d *drive) next() (Mode, Model, error) {
	mode, err := d.a.mode(d.st.Run.Mode)
	if err != nil {
		return Mode{}, nil, err
	}
	m, err := d.model(d.a.modelID(d.st, mode))
	return mode, m, err
}

// stageStep opens a step, unless the open one is waiting for the same model
// already.
func (d *drive) stageStep(mode Mode, m Model) {
	if s := d.st.step; s == nil || s.mode != mode.ID || s.model != m.ID() {
		d.stage(StepStart, StepStartPayload{Mode: mode.ID, Model: m.ID()})
	}
}

// ask puts the conversation to the model and records its reply.
func (d *drive) ask(ctx context.Context) (done bool, err error) {
	mode, m, err := d.next()
	if err != nil {
		return true, errors.Join(err, d.pause(ctx, PausePayload{Reason: PauseStopped, Message: err.Error()}))
	}
	if p, reached := d.st.Run.Limits.reached(d.st.Run.Usage, m.ID(), d.a.cfg.Facts(m.ID()).Prices); reached {
		return true, d.pause(ctx, p)
	}
	messages, fits := d.fitted(m)
	if !fits {
		if keep, worth := d.summarizable(m); worth {
			return d.summarize(ctx, mode, m, messages, keep)
		}
	}
	d.stageStep(mode, m)
	if err := d.flush(ctx, true); err != nil {
		return true, err
	}
	req := d.request(mode, m, messages)
	reply, err := d.reply(ctx, m, req, d.show)
	if reply == nil {
		return d.unanswered(ctx, m, req, err)
	}
	d.measure(m, req, reply.Usage)
	return d.record(ctx, m, reply) // also when the drive is to stop: it was paid for
}

// unanswered decides what follows a request without a reply.
func (d *drive) unanswered(ctx context.Context, m Model, req Request, err error) (done bool, _ error) {
	switch {
	case errors.Is(context.Cause(ctx), ErrFenced):
		return true, ErrFenced
	case d.stopped(ctx):
		return true, d.stop(ctx)
	case d.overflowed(m, req, err):
		return false, nil // there is a shorter way to ask
	}
	return true, d.modelFault(ctx, err)
}

// modelFault ends the drive after a fault that is not retried any more.
func (d *drive) modelFault(ctx context.Context, err error) error {
	var pe *ProviderError
	if !errors.As(err, &pe) {
		return d.fail(ctx, CodeProvider, err.Error())
	}
	return d.pause(ctx, PausePayload{
		Reason: PauseProvider, Message: pe.Error(), Hint: pe.Hint, Retryable: pe.Retryable,
	})
}

// reply asks until there is a reply, within the bounds of Config.Retry. show
// gets what comes before it, and notices of retries.
func (d *drive) reply(ctx context.Context, m Model, req Request, show func(EventType, any)) (*Reply, error) {
	retry := d.a.cfg.Retry.withDefaults()
	began := time.Now()
	for attempt := 1; ; attempt++ {
		req.Faults = d.st.faults + d.faults
		reply, err := d.stream(ctx, m, req, show)
		var pe *ProviderError
		if err == nil || ctx.Err() != nil || d.left || !errors.As(err, &pe) || !pe.Retryable {
			if errors.Is(context.Cause(ctx), ErrFenced) {
				reply = nil // it is another's run now
			}
			return reply, err
		}
		wait := retry.wait(attempt, pe.After)
		if time.Since(began)+wait > retry.MaxElapsed {
			return nil, err
		}
		d.faults++
		show(RetryNotice, RetryPayload{Attempt: attempt, Wait: Duration(wait), Cause: pe.Error()})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

func (r Retry) withDefaults() Retry {
	if r.MaxElapsed == 0 {
		r.MaxElapsed = 5 * time.Minute
	}
	if r.First <= 0 {
		r.First = 500 * time.Millisecond
	}
	if r.Max <= 0 {
		r.Max = 30 * time.Second
	}
	return r
}

// wait is how long to wait before the next attempt: doubling with jitter of up
// to a quarter, never less than the provider asked for.
func (r Retry) wait(attempt int, asked time.Duration) time.Duration {
	w := r.Max
	if attempt < 30 {
		w = min(r.First<<(attempt-1), r.Max)
	}
	w -= time.Duration(rand.Int64N(int64(w)/4 + 1))
	return max(w, asked)
}

func (d *drive) request(mode Mode, m Model, messages []Message) Request {
	var tools []Definition
	for _, name := range d.a.modes.Tools(mode.ID) {
		if t, ok := d.a.tools[name]; ok {
			tools = append(tools, t.Definition())
		}
	}
	return Request{
		RunID: d.st.Run.ID, Workspace: d.st.Run.Workspace, Mode: mode.ID,
		Turn:     d.st.turns[m.ID()],
		System:   joinParagraphs(d.a.cfg.Instructions, mode.Instructions),
		Messages: messages, Tools: tools,
	}
}

func joinParagraphs(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n\n")
}

// stream shows the deltas of one reply and returns it. A half-streamed reply
// is worth nothing: none of its calls is run.
func (d *drive) stream(ctx context.Context, m Model, req Request, show func(EventType, any)) (*Reply, error) {
	var reply *Reply
	said := deltas{show: show, mask: d.a.cfg.MaskStream}
	for c, err := range m.Stream(ctx, req) {
		if err != nil {
			return nil, err // what was held back may be half a secret
		}
		if reply = c.Reply; reply == nil {
			said.piece(c)
		}
		if reply != nil || d.stopped(ctx) {
			break
		}
	}
	if !d.stopped(ctx) {
		said.end()
	}
	if reply == nil && !d.stopped(ctx) {
		return nil, &ProviderError{Message: "the stream ended in the middle of a reply", Retryable: true}
	}
	if reply == nil {
		return nil, nil //nolint:nilnil // stopped before there was one
	}
	return reply.checked(m.ID())
}
