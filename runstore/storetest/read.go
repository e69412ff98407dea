package storetest

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-3e5a1d81/agent/agent"
)

func readTests() []testCase {
	return []testCase{
		{"Load/gives payloads back byte by byte", (*suite).payloads},
		{"Load/is one moment", (*suite).oneMoment},
		{"Load/gives out copies", (*suite).copies},
		{"Events/those behind a record", (*suite).eventsAfter},
	}
}

func (s *suite) payloads() {
	h, run := s.open(), newRun(id(1), 0)
	payloads := []string{
		`{ "b" : 1,  "a":1.0e3, "a":2 }`, "{\"t\":\"\\u0000\\ud800 <&> 日本\u2028\"}\n", `null`, `{"n":12345678901234567890123}`, `[]`,
	}
	c := change(run, 0, len(payloads))
	for i, p := range payloads {
		c.Events[i].Payload = json.RawMessage(p)
	}
	c.Events[0].Type = "sent-by-a-later-version"
	c.Events[1].At = time.Time{}
	c.Events[2].At = start().In(time.FixedZone("somewhere", 3600))
	s.commit(h, c)
	snap := s.load(h, run.ID)
	c.Events[2].At = start()
	if diff := cmp.Diff(c.Events, snap.Events); diff != "" {
		s.Errorf("journal (-want +got):\n%s", diff)
	}
	for i, p := range payloads {
		if got := string(snap.Events[i].Payload); got != p {
			s.Errorf("payload %d: got %q, want %q", i, got, p)
		}
	}
}

// oneMoment loads while another handle writes: row, journal and suspensions
// must agree.
func (s *suite) oneMoment() {
	h, reader, run := s.open(), s.open(), newRun(id(1), 0)
	s.commit(h, change(run, 0, 1))
	const commits = 60
	var writing sync.WaitGroup
	writing.Go(func() {
		for base := int64(1); base <= commits; base++ {
			c := change(run, base, 1)
			state := agent.SuspensionOpen
			if base%2 == 0 {
				state = agent.SuspensionAnswered
			}
			c.Suspensions = []agent.Suspension{{ToolCallID: "c", N: 1, Kind: agent.KindCustom, State: state}}
			if _, err := h.Commit(s.Context(), c); err != nil {
				s.Errorf("commit: %v", err)
				return
			}
		}
	})
	for seq := int64(0); seq < commits+1 && !s.Failed(); {
		snap := s.load(reader, run.ID)
		open := snap.Seq > 1 && snap.Seq%2 == 0
		if int64(len(snap.Events)) != snap.Seq || (len(snap.Open) == 1) != open {
			s.Errorf("seq %d with %d records and %d open", snap.Seq, len(snap.Events), len(snap.Open))
		}
		seq = snap.Seq
	}
	writing.Wait()
}

// copies spoils what it gave and was given.
func (s *suite) copies() {
	h, run := s.open(), newRun(id(1), 0)
	run.Error = &agent.RunError{Code: "provider"}
	c := change(run, 0, 1)
	c.Suspensions = []agent.Suspension{{ToolCallID: "c", N: 1, Kind: agent.KindCustom, State: agent.SuspensionOpen, Payload: json.RawMessage(`{}`)}}
	c.Blobs = [][]byte{[]byte("blob")}
	s.commit(h, c)
	digest := agent.Digest([]byte("blob"))
	spoil := func(e []agent.Event, open []agent.Suspension, fault *agent.RunError, blob []byte) {
		e[0].Payload[0], open[0].Payload[0], fault.Code, blob[0] = 'X', 'X', "X", 'X'
	}
	spoil(c.Events, c.Suspensions, run.Error, c.Blobs[0])
	for range 2 {
		snap := s.load(h, run.ID)
		blob, err := h.Blob(s.Context(), digest)
		if err != nil || string(blob) != "blob" || snap.Events[0].Payload[0] != '{' || snap.Open[0].Payload[0] != '{' || snap.Error.Code != "provider" {
			s.Fatalf("spoilt from outside: %+v, %q, %v", snap, blob, err)
		}
		spoil(snap.Events, snap.Open, snap.Error, blob)
	}
}

func (s *suite) eventsAfter() {
	h, run := s.open(), newRun(id(1), 0)
	s.commit(h, change(run, 0, 3))
	s.commit(h, change(newRun(id(2), 1), 0, 5))
	whole := s.load(h, run.ID).Events
	for after, want := range map[int64][]agent.Event{0: whole, 1: whole[1:], 2: whole[2:], 3: nil, 9: nil} {
		got, err := h.Events(s.Context(), run.ID, after)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			s.Errorf("after %d (-want +got): %v\n%s", after, err, diff)
		}
	}
	if got, err := h.Events(s.Context(), id(9), 0); err != nil || len(got) != 0 {
		s.Errorf("of no run: %v, %v", got, err)
	}
}
