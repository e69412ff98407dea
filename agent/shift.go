package agent

import (
	"context"
	"slices"
	"sync"
)

// maxParallel is how many read-only calls run at once.
const maxParallel = 8

// shift is a batch of calls at work, each in a goroutine of its own. A tool
// that does not stop in time is left behind with its goroutine, and the shift
// with it.
type shift struct {
	works    []work
	masks    func() (next func(string) string, rest func() string)
	slots    chan struct{}
	remarks  chan remark
	unheard  chan struct{} // closed when nobody listens to remarks any more
	finished chan struct{} // closed when no goroutine is left
	mu       sync.Mutex    // guards outcomes until finished is closed
	outcomes []outcome
}

// remark is a piece of what a tool says while it works.
type remark struct{ callID, text string }

func newShift(works []work, masks func() (func(string) string, func() string)) *shift {
	return &shift{
		works: works, masks: masks, slots: make(chan struct{}, maxParallel), remarks: make(chan remark),
		unheard: make(chan struct{}), finished: make(chan struct{}), outcomes: make([]outcome, len(works)),
	}
}

// start begins all works that are not known already.
func (s *shift) start(ctx context.Context) {
	var wg sync.WaitGroup
	for i, w := range s.works {
		if w.run == nil {
			s.outcomes[i] = w.known
			continue
		}
		wg.Go(func() { s.work(ctx, i, w) })
	}
	go func() {
		wg.Wait()
		close(s.finished)
	}()
}

// work waits for a slot and does one work. Once the context has ended nothing
// is begun: such a work has no outcome.
func (s *shift) work(ctx context.Context, i int, w work) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return
	}
	o := failed("%s ended without a result", w.call.Name) // stays where a tool ends its goroutine
	defer func() {
		s.mu.Lock()
		s.outcomes[i] = o
		s.mu.Unlock()
	}()
	next, rest := s.masks()
	o = w.run(ctx, func(text string) { s.say(w, next(text)) })
	s.say(w, rest())
}

func (s *shift) say(w work, text string) {
	if text == "" {
		return
	}
	select {
	case s.remarks <- remark{w.call.ID, text}:
	case <-s.unheard:
	}
}

// abandoned are the outcomes when some tools did not stop in time.
func (s *shift) abandoned() []outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.outcomes)
	for i, w := range s.works {
		if w.run != nil && out[i].none() && w.effect != EffectReadOnly {
			out[i] = failed("interrupted by the user; the tool did not stop in time, its outcome is unknown")
		}
	}
	return out
}
