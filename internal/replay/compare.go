package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/seed-3e5a1d81/agent/agent"
)

// compare tells how many records of a segment came out the same, and whether
// all did that a replay can tell.
func compare(want, got []agent.Event, end end) (matched int, same bool) {
	whole := len(want)
	if end == paused || end == dropped {
		whole--
	}
	for matched < whole && matched < len(got) && equal(want[matched], got[matched]) {
		matched++
	}
	switch {
	case matched < whole:
		return matched, false
	case end == ended:
		return matched, len(got) == whole
	case end == paused:
		return matched, len(got) == whole+1 && got[whole].Type == agent.Pause
	}
	return matched, true
}

// equal compares records but for what belongs to their time and place.
func equal(want, got agent.Event) bool {
	if want.Type != got.Type {
		return false
	}
	a, errA := Comparable(want)
	b, errB := Comparable(got)
	return errA == nil && errB == nil && reflect.DeepEqual(a, b)
}

// Comparable is the part of a record's payload that is compared, as values of
// encoding/json with numbers as they are written.
func Comparable(e agent.Event) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(e.Payload))
	dec.UseNumber()
	var p map[string]any
	if err := dec.Decode(&p); err != nil {
		return nil, fmt.Errorf("read %s record %d: %w", e.Type, e.Seq, err)
	}
	switch e.Type {
	case agent.Resumed: // who had owned the run
		delete(p, "takeOver")
		delete(p, "previousOwner")
	case agent.Summary: // follows from counts of tokens that are not recorded
		delete(p, "keep")
	case agent.ToolCallSuspended:
		if doubt, ok := p["suspendPayload"].(map[string]any); ok && p["kind"] == string(agent.KindInDoubt) {
			delete(doubt, "started")
		}
	}
	return p, nil
}

// timeless is a journal without limits of time.
func timeless(events []agent.Event) ([]agent.Event, error) {
	out := make([]agent.Event, len(events))
	for i, e := range events {
		out[i] = e
		if e.Type != agent.Start && e.Type != agent.Resumed {
			continue
		}
		var p map[string]json.RawMessage
		var limits map[string]json.RawMessage
		if err := json.Unmarshal(e.Payload, &p); err != nil {
			return nil, fmt.Errorf("replay: read %s record %d: %w", e.Type, e.Seq, err)
		}
		if json.Unmarshal(p["limits"], &limits) != nil || limits["timeout"] == nil {
			continue
		}
		delete(limits, "timeout")
		raw, err := json.Marshal(limits)
		if err == nil {
			p["limits"] = raw
			out[i].Payload, err = json.Marshal(p)
		}
		if err != nil {
			return nil, fmt.Errorf("replay: write %s record %d: %w", e.Type, e.Seq, err)
		}
	}
	return out, nil
}
