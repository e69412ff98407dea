package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// What tool results say: how they begin, and what they contain.
const (
	answered  = "User answered: "
	skipped   = "The user skipped this question."
	nobody    = "[Question for user]:"
	approved  = "Plan approved."
	rejected  = "Plan rejected"
	feedback  = "Feedback from the user:\n"
	elsewhere = "another name" // the plan file is another run's
)

const maxNames = 5 // names tried for one file

// scene is where the conversation stands.
type scene struct {
	task    string
	asked   bool
	answer  string // what was chosen, or is assumed
	assumed string // why it is assumed; "" if a person chose
	files   []string
	notes   []string // feedback and messages the plan must take in
	plan    file
	made    file
	verdict verdict
	stop    string // a call that ended the demo
	talking bool   // the person wrote again after the end
}

type verdict int

const (
	undecided verdict = iota // not submitted, or to be submitted again
	waiting                  // submitted; only a person can move it
	approval
)

// file is one of the two files the demo writes.
type file struct {
	path    string   // "" until it was written
	current bool     // holds what it should
	changed bool     // somebody else changed it: it must be read before it is written
	reads   int      // in a row, for that reason
	refused []string // names that were taken
}

// read follows the conversation from its beginning.
func read(messages []agent.Message) scene {
	s := scene{answer: choices()[0].Label, assumed: "no question could be asked"}
	calls := map[string]agent.ToolCall{}
	for _, m := range messages {
		switch m.Role {
		case agent.RoleUser:
			s.hear(m.Text)
		case agent.RoleAssistant:
			for _, c := range m.ToolCalls {
				calls[c.ID] = c
			}
		case agent.RoleTool:
			for _, o := range m.Outputs {
				s.see(o, pathOf(calls[o.CallID]))
			}
		}
	}
	return s
}

func pathOf(c agent.ToolCall) string {
	var args struct {
		Path string `json:"path"`
	}
	_ = json.Unmarshal(c.Args, &args) // calls without a path have none
	return args.Path
}

// hear takes a message of the person in.
func (s *scene) hear(text string) {
	s.stop = ""
	switch {
	case s.task == "":
		s.task = oneLine(text, 80)
	case s.verdict == approval || s.made.path != "":
		s.talking = true
	case s.verdict == waiting && strings.HasPrefix(text, approved):
		s.verdict = approval
	case s.verdict == undecided && strings.Contains(text, "\n"+approved):
		s.restart(text)
	default:
		_, words, told := strings.Cut(text, feedback)
		if !told || !strings.HasPrefix(text, rejected) {
			words = text
		}
		s.revise(words)
	}
}

// restart goes on from a conversation that was shortened to what was decided.
func (s *scene) restart(text string) {
	s.asked, s.verdict = true, approval
	for line := range strings.Lines(text) {
		if answer, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), answered); ok {
			s.answer, s.assumed = answer, ""
		}
	}
}

// revise makes the plan one to write and submit again.
func (s *scene) revise(note string) {
	s.notes = append(s.notes, note)
	s.plan.current = false
	s.verdict = undecided
}

// see takes the result of a call in. path is the path the call named.
func (s *scene) see(o agent.ToolOutput, path string) {
	switch o.Name {
	case "list_files":
		if !o.IsError {
			s.files = names(o.Content)
		}
	case "ask_user":
		s.seeAnswer(o)
	case "submit_plan":
		s.seeVerdict(o)
	case "read_file":
		s.plan.changed = false
		if o.IsError {
			s.halt(o)
		}
	case "write_file":
		s.seeWrite(o, path)
	}
}

func (s *scene) seeAnswer(o agent.ToolOutput) {
	s.asked = true
	answer, ok := strings.CutPrefix(o.Content, answered)
	switch {
	case o.IsError:
		s.halt(o)
	case ok:
		s.answer, s.assumed = answer, ""
	case strings.HasPrefix(o.Content, nobody):
		s.assumed = "nobody could be asked"
	case strings.HasPrefix(o.Content, skipped):
		s.assumed = "the question was skipped"
	}
}

func (s *scene) seeVerdict(o agent.ToolOutput) {
	_, words, _ := strings.Cut(o.Content, feedback)
	switch {
	case o.IsError && strings.Contains(o.Content, elsewhere) && len(s.plan.refused)+1 < maxNames:
		s.plan = file{refused: append(s.plan.refused, s.plan.path)}
	case o.IsError:
		s.halt(o)
	case strings.HasPrefix(o.Content, approved):
		s.verdict = approval
	case strings.HasPrefix(o.Content, rejected) && strings.TrimSpace(words) != "":
		s.revise(words)
	default:
		s.verdict = waiting
	}
}

func (s *scene) seeWrite(o agent.ToolOutput, path string) {
	f := &s.made
	if strings.HasPrefix(path, plansDir) {
		f = &s.plan
	}
	switch {
	case !o.IsError:
		f.path, f.current, f.reads = path, true, 0
	case f.path == path && f.reads == 0: // its own file, changed since
		f.changed = true
		f.reads++
	case f.path == "" && taken(o.Content) && len(f.refused)+1 < maxNames:
		f.refused = append(f.refused, path)
	default:
		s.halt(o)
	}
}

// taken reports whether a refusal to write means that the file is another's.
func taken(refusal string) bool {
	refusal = strings.ToLower(refusal)
	return slices.ContainsFunc([]string{"exist", "not read", "not been read", "read it"}, func(w string) bool {
		return strings.Contains(refusal, w)
	})
}

// halt ends the demo until the person writes again.
func (s *scene) halt(o agent.ToolOutput) {
	s.stop = fmt.Sprintf("%s did not work: %s", o.Name, oneLine(o.Content, 200))
}
