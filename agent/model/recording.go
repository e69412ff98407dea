package model

import (
	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model/script"
)

// Record writes the replies in a run's journal as a script that "script:FILE"
// plays literally; nil if there is none yet. It holds what the journal holds,
// whose secrets were masked before.
func Record(events []agent.Event) ([]byte, error) { return script.Record(events) }

// IsRecording reports whether a file that begins with head was written by
// Record.
func IsRecording(head []byte) bool { return script.IsRecording(head) }
