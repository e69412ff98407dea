// Package answers reads files that answer for a person: rules for questions, a
// policy for plans, and what becomes of everything else.
package answers

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/seed-3e5a1d81/agent/internal/yamlfile"
)

// MaxSize bounds a file of answers, in bytes.
const MaxSize = 1 << 20

// File is a file of answers. It is not safe for concurrent use: rules are used
// up.
type File struct {
	Path        string
	Rules       []*Rule
	Plan        *Plan  // nil: plans are not answered
	OnUnmatched string // "suspend", "fallback", "fail", or "" where the file does not say
}

// Rule answers questions with one text, or all whose whole text a pattern
// matches. It answers one question unless it repeats.
type Rule struct {
	Line     int
	Question string
	Match    *regexp.Regexp
	Answer   json.RawMessage // as the resume data of a question
	Repeat   bool

	asked string // the request it is kept for, see File.Rule
	used  bool
}

// Plan says what becomes of plans: of one with the digest, or where that is ""
// of any. It decides one plan unless it repeats.
type Plan struct {
	Line     int
	Action   string // "approve", "reject" or "suspend"
	Feedback string
	Digest   string
	AnyPlan  bool
	Repeat   bool

	asked string
	used  bool
}

// Actions of a Plan, and what becomes of what is not matched.
const (
	Approve  = "approve"
	Reject   = "reject"
	Suspend  = "suspend"
	Fallback = "fallback"
	Fail     = "fail"
)

// Rule returns the rule for a question, nil if none is left. ref names the
// request: a rule that was found for one is kept for it until Used says that
// it answered.
func (f *File) Rule(ref, question string) *Rule {
	for _, r := range f.Rules {
		if r.asked == ref && r.matches(question) {
			return r
		}
	}
	for _, r := range f.Rules {
		if (r.asked == "" && !r.used || r.Repeat) && r.matches(question) {
			r.asked = ref
			return r
		}
	}
	return nil
}

func (r *Rule) matches(question string) bool {
	if r.Match != nil {
		return r.Match.MatchString(question)
	}
	return strings.TrimSpace(question) == r.Question
}

// Used marks that the rule's answer was given.
func (r *Rule) Used() { r.used, r.asked = true, "" }

// Decides reports whether the policy is about the plan of a digest. ref is as
// for Rule.
func (p *Plan) Decides(ref, digest string) bool {
	if p == nil || p.Digest != "" && p.Digest != digest {
		return false
	}
	free := p.asked == ref || p.asked == "" && !p.used || p.Repeat || p.Action == Suspend
	if free {
		p.asked = ref
	}
	return free
}

// Used marks that the plan was decided.
func (p *Plan) Used() { p.used, p.asked = true, "" }

// Idle says, a line each, which rules matched nothing.
func (f *File) Idle() []string {
	var out []string
	for _, r := range f.Rules {
		if r.used || r.asked != "" {
			continue
		}
		what := "question " + quoted(r.Question)
		if r.Match != nil {
			what = "match " + quoted(pattern(r.Match))
		}
		out = append(out, fmt.Sprintf("%s:%d: %s answered nothing", f.Path, r.Line, what))
	}
	if p := f.Plan; p != nil && !p.used && p.asked == "" {
		out = append(out, fmt.Sprintf("%s:%d: plan: %s met no plan%s", f.Path, p.Line, p.Action, withDigest(p.Digest)))
	}
	return out
}

func withDigest(digest string) string {
	if digest == "" {
		return ""
	}
	return " with digest " + digest
}

func quoted(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		s = string(r[:most-1]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// Parse reads a file of answers, YAML or JSON. path names it in errors, which
// begin with it and a line.
func Parse(path string, data []byte) (*File, error) {
	r := reader{yamlfile.Reader{Path: path}}
	root, err := r.Document(data, "answers: or plan:")
	if err != nil {
		return nil, err
	}
	f := &File{Path: path}
	err = r.Record(root, "an answers file", map[string]func(ast.Node) error{
		"answers":     func(n ast.Node) error { return r.rules(n, f) },
		"plan":        func(n ast.Node) (err error) { f.Plan, err = r.plan(n); return err },
		"onUnmatched": r.word(&f.OnUnmatched, "onUnmatched", Suspend, Fallback, Fail),
	}, "answers, plan, onUnmatched")
	return f, err
}

// reader reads the values of a file.
type reader struct{ yamlfile.Reader }

func (r reader) rules(n ast.Node, f *File) error {
	nodes, err := r.List(n, "answers")
	if err != nil {
		return err
	}
	for _, n := range nodes {
		rule, err := r.rule(n)
		if err != nil {
			return err
		}
		f.Rules = append(f.Rules, rule)
	}
	return nil
}

func (r reader) rule(n ast.Node) (*Rule, error) {
	rule := &Rule{Line: first(n)}
	err := r.Record(n, "an answer", map[string]func(ast.Node) error{
		"question": r.Text(&rule.Question, "question"),
		"match":    func(n ast.Node) error { return r.match(n, rule) },
		"answer":   func(n ast.Node) (err error) { rule.Answer, err = r.answer(n); return err },
		"repeat":   r.Bool(&rule.Repeat, "repeat"),
	}, "question, match, answer, repeat")
	rule.Question = strings.TrimSpace(rule.Question)
	switch {
	case err != nil:
		return nil, err
	case (rule.Question == "") == (rule.Match == nil):
		return nil, r.Errorf(n, "an answer needs the question it is for: question (its exact text) or match (a pattern), one of them")
	case rule.Answer == nil:
		return nil, r.Errorf(n, "an answer is missing: add answer: a text, a list, {custom: text} or {skipped: true}")
	}
	return rule, nil
}

// first is the line a mapping begins on.
func first(n ast.Node) int {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		return yamlfile.Line(m.Values[0].Key)
	}
	return yamlfile.Line(n)
}

// anchorLeft and anchorRight make a pattern match whole questions, over lines too.
const anchorLeft, anchorRight = `\A(?s:`, `)\z`

func (r reader) match(n ast.Node, rule *Rule) error {
	var source string
	if err := r.Text(&source, "match")(n); err != nil {
		return err
	}
	if source == "" {
		return r.Errorf(n, "match is empty: .* matches every question")
	}
	if _, err := regexp.Compile(source); err != nil { // by itself: its brackets are not ours to close
		return r.Errorf(n, "match: %v", err)
	}
	var err error
	rule.Match, err = regexp.Compile(anchorLeft + source + anchorRight)
	return err
}

func pattern(re *regexp.Regexp) string {
	return strings.TrimSuffix(strings.TrimPrefix(re.String(), anchorLeft), anchorRight)
}

// answer takes what the resume data of a question may be; whether it fits the
// question is seen when that is asked.
func (r reader) answer(n ast.Node) (json.RawMessage, error) {
	if _, ok := yamlfile.StringOf(n); ok {
		return r.JSON(n, "answer")
	}
	switch n := n.(type) {
	case *ast.SequenceNode:
		for _, item := range n.Values {
			if err := r.Text(new(string), "each of answer")(item); err != nil {
				return nil, err
			}
		}
		return r.JSON(n, "answer")
	case *ast.MappingNode, *ast.MappingValueNode:
		return r.words(n)
	}
	return nil, r.Text(new(string), "answer")(n)
}

// words are {custom: text} and {skipped: true}.
func (r reader) words(n ast.Node) (json.RawMessage, error) {
	var custom string
	var skipped bool
	err := r.Record(n, "answer", map[string]func(ast.Node) error{
		"custom": r.Text(&custom, "custom"), "skipped": r.Bool(&skipped, "skipped"),
	}, "custom, skipped")
	if err == nil && (custom == "") != skipped {
		err = r.Errorf(n, "answer: use {custom: text} or {skipped: true}")
	}
	if err != nil {
		return nil, err
	}
	return r.JSON(n, "answer")
}

func (r reader) plan(n ast.Node) (*Plan, error) {
	p := &Plan{Line: first(n)}
	err := r.Record(n, "plan", map[string]func(ast.Node) error{
		"action":   r.word(&p.Action, "action", Approve, Reject, Suspend),
		"feedback": r.Text(&p.Feedback, "feedback"),
		"digest":   r.Text(&p.Digest, "digest"),
		"anyPlan":  r.Bool(&p.AnyPlan, "anyPlan"),
		"repeat":   r.Bool(&p.Repeat, "repeat"),
	}, "action, feedback, digest, anyPlan, repeat")
	switch {
	case err != nil:
		return nil, err
	case p.Action == "":
		return nil, r.Errorf(n, "plan: action is missing: use approve, reject or suspend")
	case p.Action == Approve && (p.Digest == "") != p.AnyPlan:
		return nil, r.Errorf(n, "plan: approve needs the digest of the plan, or anyPlan: true to approve whatever is submitted; one of them")
	case p.Digest != "" && !isDigest(p.Digest):
		return nil, r.Errorf(n, "plan: digest %s is none: it is sha256: and 64 hexadecimal digits", quoted(p.Digest))
	case p.Action == Suspend && p.Feedback != "":
		return nil, r.Errorf(n, "plan: suspend decides nothing, so that feedback goes nowhere")
	}
	return p, nil
}

// isDigest reports whether s looks like the digest of a plan.
func isDigest(s string) bool {
	sum, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(sum) == 64 && strings.Trim(sum, "0123456789abcdef") == ""
}

// word reads one of a few words.
func (r reader) word(s *string, what string, words ...string) func(ast.Node) error {
	return func(n ast.Node) error {
		if err := r.Text(s, what)(n); err != nil {
			return err
		}
		for _, w := range words {
			if *s == w {
				return nil
			}
		}
		return r.Errorf(n, "%s %q: use one of %s", what, *s, strings.Join(words, ", "))
	}
}
