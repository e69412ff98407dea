package agent

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
)

// Stream is one drive of a run. It does nothing before it is ranged, runs in
// the goroutine that ranges it, and may be ranged once. It is not safe for
// concurrent use. The run's ownership is given up however the range ends.
type Stream struct {
	runID string
	ctx   context.Context //nolint:containedctx // a stream closes over the context it was given
	drive func(ctx context.Context, yield func(Event) bool) (*State, error)
	used  atomic.Bool
	state *State
	err   error
}

// RunID is the ID of the run, known before the stream is ranged.
func (s *Stream) RunID() string { return s.runID }

// State is the run as the stream left it; nil until the range has ended, and
// when the run could not be read.
func (s *Stream) State() *State { return s.state }

// Err is the error the range ended with, for those who ranged TextStream or
// broke off.
func (s *Stream) Err() error { return s.err }

var errStreamUsed = errors.New("stream was ranged before; make a new one")

// Events ranges over what happens. Each journalled event is durable before it
// is yielded. The error comes once, last, with a zero Event, and means that
// the stream could not go on; a run that failed is an event of type Failure. A
// break, and the end of the context, leave the run paused.
func (s *Stream) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if s.used.Swap(true) {
			yield(Event{}, errStreamUsed)
			return
		}
		left := false
		s.state, s.err = s.drive(s.ctx, func(e Event) bool {
			if !left && !yield(e, nil) {
				left = true
			}
			return !left
		})
		if s.err != nil && !left {
			yield(Event{}, s.err)
		}
	}
}

// TextStream ranges over the agent's words alone, as they come. Err tells
// afterwards whether it ended in order.
func (s *Stream) TextStream() iter.Seq[string] {
	return func(yield func(string) bool) {
		for e, err := range s.Events() {
			if err != nil {
				return
			}
			if e.Type != TextDelta {
				continue
			}
			d, err := Decode[DeltaPayload](e)
			if err == nil && !yield(d.Text) {
				return
			}
		}
	}
}
