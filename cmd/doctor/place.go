package doctor

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/seed-3e5a1d81/agent/internal/sandbox"
)

// Sandbox puts a report into words: what holds, what does not, and why no
// better engine is used.
func Sandbox(r sandbox.Report) []Check {
	engine := Passed("engine", "%s", strings.TrimSpace(r.Engine+" "+r.Detail))
	if r.Engine == sandbox.None {
		engine = Warned("engine", "", "nothing confines commands")
	}
	if runtime.GOOS == "linux" && r.Engine != sandbox.Bubblewrap {
		engine.Hint = "install bubblewrap with your system's package manager"
	}
	checks := []Check{engine}
	for _, words := range r.Enforced {
		checks = append(checks, Passed("enforced", "%s", words))
	}
	for _, words := range r.NotEnforced {
		checks = append(checks, Warned("not enforced", "", "%s", words))
	}
	for _, a := range r.Tried {
		checks = append(checks, Warned("tried", "", "%s: %s", a.Engine, a.Reason))
	}
	return checks
}

// Terminal is what a command meets where it is called.
type Terminal struct {
	Streams []string // those of stdin, stdout and stderr that are terminals
	Columns int      // 0: unknown
	Term    string
	CI      bool // it is set
	Asks    bool // a person can be asked
	Colours bool
}

// Checks say whether a person can be asked, and how.
func (t Terminal) Checks() []Check {
	streams := "none of stdin, stdout and stderr is a terminal"
	if len(t.Streams) > 0 {
		streams = strings.Join(t.Streams, ", ") + " on a terminal"
		if t.Columns > 0 {
			streams += fmt.Sprintf(" of %d columns", t.Columns)
		}
	}
	prompts := Passed("prompts", "you are asked where a question arises")
	switch {
	case t.CI:
		prompts = Passed("prompts", "CI is set: nobody is asked in modes that cannot write the workspace")
	case !t.Asks:
		prompts = Passed("prompts", "nobody can be asked here: a question suspends the run")
	}
	colours := "on"
	if !t.Colours {
		colours = "off"
	}
	return []Check{Passed("streams", "%s, TERM %q", streams, t.Term), prompts, Passed("colours", "%s", colours)}
}
