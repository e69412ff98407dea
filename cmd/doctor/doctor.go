// Package doctor looks at what runs depend on. It changes nothing; each look
// takes what it is about and returns checks.
package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// States of checks.
const (
	OK   = "ok"
	Warn = "warn"
	Fail = "fail"
)

// Check is one thing doctor looked at. Detail and Hint may hold what files and
// servers said.
type Check struct {
	Section string `json:"section"`
	Name    string `json:"name"`
	Status  string `json:"status"`
	Detail  string `json:"detail"`
	Hint    string `json:"hint"` // next step; "" for none
}

// Passed is a check that holds.
func Passed(name, format string, args ...any) Check {
	return Check{Name: name, Status: OK, Detail: fmt.Sprintf(format, args...)}
}

// Warned is a check of something that may be in the way; hint is the next step,
// "" for none.
func Warned(name, hint, format string, args ...any) Check {
	return Check{Name: name, Status: Warn, Hint: hint, Detail: fmt.Sprintf(format, args...)}
}

// Failed is a check that does not hold; hint as for Warned.
func Failed(name, hint, format string, args ...any) Check {
	return Check{Name: name, Status: Fail, Hint: hint, Detail: fmt.Sprintf(format, args...)}
}

// Examination is the JSON of doctor.
type Examination struct {
	OK     bool    `json:"ok"` // no check failed
	Checks []Check `json:"checks"`
}

// New is an examination that has looked at nothing yet.
func New() *Examination { return &Examination{OK: true, Checks: []Check{}} }

// Add takes the checks of a section in, in the words mask leaves of them.
func (x *Examination) Add(section string, checks []Check, mask func(string) string) {
	for _, c := range checks {
		c.Section, c.Detail, c.Hint = section, mask(c.Detail), mask(c.Hint)
		x.Checks = append(x.Checks, c)
		x.OK = x.OK && c.Status != Fail
	}
}

// Show shows the examination to a person; quiet leaves out what holds.
func (x *Examination) Show(on *screen.Screen, quiet bool) error {
	section := ""
	for _, c := range x.Checks {
		if quiet && c.Status == OK {
			continue
		}
		if c.Section != section {
			on.Line(on.Look.Strong(c.Section))
		}
		section = c.Section
		on.Line("  ", statusInk(on.Look, c.Status), "  ", fmt.Sprintf("%-12s", text.Field(c.Name, 40)), "  ", text.Field(c.Detail, 400))
		for hint := range strings.Lines(c.Hint) {
			on.Line("        ", on.Look.Ours(text.Field(hint, 300)))
		}
	}
	on.Line(summaryOf(x.Checks))
	return on.Flush()
}

func statusInk(look screen.Palette, status string) screen.Ink {
	padded := fmt.Sprintf("%-4s", status)
	switch status {
	case Fail:
		return look.Bad(padded)
	case Warn:
		return look.Warn(padded)
	}
	return look.Good(padded)
}

func summaryOf(checks []Check) string {
	count := func(status string) int {
		return len(slices.DeleteFunc(slices.Clone(checks), func(c Check) bool { return c.Status != status }))
	}
	return fmt.Sprintf("%d ok, %d warned, %d failed", count(OK), count(Warn), count(Fail))
}
