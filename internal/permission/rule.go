package permission

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Rule allows, asks about or denies calls: TOOL, TOOL(PATTERN), CATEGORY or
// CATEGORY(PATTERN). For shell the pattern is one of commands, for tools that
// read and edit one of paths; for every tool "sha256:…" is the digest of the
// arguments of one call. It is made by a Parser and does not change.
//
// Rules that allow are read narrowly, those that ask and deny widely: where it
// is only known when a command runs what it does, no rule allows it, and one
// that denies asks.
type Rule struct {
	Action agent.Action
	Text   string // as it was written
	Origin string // where: a file and line, a flag

	tool     string         // "": any of category
	category agent.Category // "": tool alone decides
	command  commandPattern
	path     *pathPattern
	digest   string // of the arguments
	exact    string // the pattern as Exact writes a whole command line
}

func (r *Rule) String() string { return string(r.Action) + " " + r.Text }

// bare reports whether the rule holds for every call of its tools.
func (r *Rule) bare() bool { return r.command == nil && r.path == nil && r.digest == "" }

// names reports whether the rule is about calls of a tool.
func (r *Rule) names(t agent.Definition) bool {
	if r.tool != "" {
		return r.tool == t.Name
	}
	return r.category == t.Category
}

// Parser reads rules. The zero value knows the built-in categories and no tool.
type Parser struct {
	Tools []agent.Definition // the tools rules may name
	Home  string             // what "~/" stands for at the start of a path; "": no such pattern
}

const (
	shellTool    = "shell"
	digestPrefix = "sha256:"
	maxRule      = 8 << 10 // bytes
)

func ruled() []agent.Category {
	return []agent.Category{agent.CategoryRead, agent.CategoryEdit, agent.CategoryExecute}
}

// Parse reads one rule. Origin is kept for whoever is told why. The error says
// what is allowed instead, without the text of the rule.
func (p Parser) Parse(action agent.Action, text, origin string) (*Rule, error) {
	r := &Rule{Action: action, Text: strings.TrimSpace(text), Origin: origin}
	if len(text) > maxRule {
		return nil, fmt.Errorf("it has %d bytes, at most %d are read", len(text), maxRule)
	}
	name, pattern, found := strings.Cut(r.Text, "(")
	if name == "" {
		return nil, errors.New("no tool is named: write TOOL or TOOL(PATTERN), such as shell(go test *)")
	}
	if err := p.name(r, name); err != nil {
		return nil, err
	}
	if !found {
		return r, nil
	}
	pattern, closed := strings.CutSuffix(pattern, ")")
	switch {
	case !closed:
		return nil, fmt.Errorf("it does not end with a parenthesis: write %s(PATTERN)", name)
	case strings.TrimSpace(pattern) == "":
		return nil, fmt.Errorf("its pattern is empty: write %s alone for all its calls", name)
	}
	return r, p.pattern(r, pattern)
}

// name finds out what a rule is about.
func (p Parser) name(r *Rule, name string) error {
	if slices.Contains(ruled(), agent.Category(name)) {
		r.category = agent.Category(name)
		return nil
	}
	for _, t := range p.Tools {
		switch {
		case t.Name != name:
			continue
		case t.Asks == agent.KindQuestion || t.Asks == agent.KindPlan:
			return fmt.Errorf("%s asks a person, which no rule allows or denies", name)
		}
		r.tool, r.category = name, t.Category
		return nil
	}
	return fmt.Errorf("%q is no tool and no category: use %s", name, strings.Join(p.known(), ", "))
}

// known lists what rules may be about.
func (p Parser) known() []string {
	var names []string
	for _, c := range ruled() {
		names = append(names, string(c))
	}
	for _, t := range p.Tools {
		if t.Asks != agent.KindQuestion && t.Asks != agent.KindPlan {
			names = append(names, t.Name)
		}
	}
	return names
}

func (p Parser) pattern(r *Rule, pattern string) (err error) {
	switch {
	case isDigest(pattern):
		r.digest = pattern
	case r.tool == shellTool || r.tool == "" && r.category == agent.CategoryExecute:
		r.exact = pattern
		r.command, err = parseCommandPattern(pattern)
	case r.category == agent.CategoryRead || r.category == agent.CategoryEdit:
		r.path, err = p.pathPattern(pattern)
	default:
		err = fmt.Errorf("%s has neither commands nor paths: write %s alone, or the digest of the arguments as %s(sha256:…)", r.tool, r.tool, r.tool)
	}
	return err
}

func isDigest(s string) bool {
	sum, ok := strings.CutPrefix(s, digestPrefix)
	return ok && len(sum) == 64 && strings.Trim(sum, "0123456789abcdef") == ""
}

// pathPattern is a glob over paths with slashes.
type pathPattern struct {
	glob     string
	absolute bool // else from the workspace
	name     bool // a name alone, without a slash
	plain    string
}

func (p Parser) pathPattern(pattern string) (*pathPattern, error) {
	out := &pathPattern{plain: pattern}
	glob := strings.TrimPrefix(pattern, "./")
	if rest, ok := strings.CutPrefix(glob, "~/"); ok {
		if p.Home == "" {
			return nil, errors.New("it begins with ~/, and there is no home directory")
		}
		glob = strings.TrimSuffix(escapeGlob(slashed(p.Home)), "/") + "/" + rest
	}
	switch {
	case strings.ContainsFunc(glob, isControl):
		return nil, errors.New("its path holds control characters")
	case strings.Contains("/"+glob+"/", "/../"):
		return nil, errors.New("its path holds .., write the path it means")
	case !doublestar.ValidatePattern(glob):
		return nil, errors.New("it is no pattern of paths: *, **, ?, [ ] and { } are, a backslash takes one its meaning")
	}
	out.absolute = isAbsolute(glob)
	out.name = !strings.Contains(strings.TrimSuffix(glob, "/"), "/")
	if dir, ok := strings.CutSuffix(glob, "/"); ok && dir != "" { // "docs/" is all in it
		glob = dir + "/**"
	}
	out.glob = glob
	return out, nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
