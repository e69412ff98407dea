package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/config/repofile"
)

// ProjectPath is the project's file, relative to the root of the project: the
// repository the workspace lies in, else the workspace.
const ProjectPath = ".mastracode/config.toml"

// Project is the file of the workspace's project.
type Project struct {
	Root    string // "" if no workspace was given
	Digest  string // of the file, as agent.Digest; "" where there is none to read
	Trusted bool   // the user trusts exactly these bytes
}

// Ignored is a setting of the project file that does not hold.
type Ignored struct {
	Key    string `json:"key"` // "model", "modes.review", "providers.local"
	Line   int    `json:"line"`
	Never  bool   `json:"never"`  // trusting the project would not change it
	Reason string `json:"reason"` // beyond that; "" if there is none
}

// IgnoredLine is one line that names what of the project file does not hold,
// and what would change that; "" if everything holds.
func (c *Config) IgnoredLine() string {
	var untrusted, never []string
	for _, i := range c.Ignored {
		if i.Never {
			never = append(never, i.Key)
		} else {
			untrusted = append(untrusted, i.Key)
		}
	}
	var parts []string
	if len(untrusted) > 0 {
		parts = append(parts, fmt.Sprintf("(not trusted): %s; to allow: agent trust", few(untrusted)))
	}
	if len(never) > 0 {
		parts = append(parts, "(never taken from a project): "+few(never))
	}
	if len(parts) == 0 {
		return ""
	}
	return "ignored from " + ProjectPath + " " + strings.Join(parts, "; ignored ")
}

// few names the first of a list, each once.
func few(keys []string) string {
	const named = 12
	var out []string
	seen := map[string]bool{}
	for _, k := range keys {
		if !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	if more := len(out) - named; more > 0 {
		out = append(out[:named], fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

// project reads the project's file, as far as it is trusted.
func (l *loader) project() error {
	if l.opts.Workspace == "" {
		return nil
	}
	root := repofile.Root(l.opts.Workspace)
	l.cfg.Project.Root = root
	data, err := readProject(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	origin := Origin{Source: SourceProject, Name: ProjectPath}
	if err != nil {
		l.projectFaults(l.opts.TrustWorkspace, Problem{Origin: origin, Message: "was not read: " + err.Error()})
		return nil //nolint:nilerr // told with the other problems
	}
	p := &l.cfg.Project
	p.Digest = agent.Digest(data)
	if p.Trusted, err = l.trusts(root, p.Digest); err != nil {
		return err
	}
	r, fault := l.read(SourceProject, ProjectPath, data)
	if fault != nil {
		l.projectFaults(p.Trusted, *fault)
		return nil //nolint:nilerr // told with the other problems
	}
	r.trusted = p.Trusted
	r.all()
	l.projectModes = r.found
	l.projectFaults(p.Trusted, r.faults...)
	l.cfg.Warnings = append(l.cfg.Warnings, r.strange...)
	return nil
}

func readProject(root string) ([]byte, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return repofile.Read(dir, ProjectPath, MaxFile)
}

// ProjectDigest is the digest of the project's file at root, as Entry has it.
// The error wraps fs.ErrNotExist where there is none.
func ProjectDigest(root string) (string, error) {
	data, err := readProject(root)
	if err != nil {
		return "", err
	}
	return agent.Digest(data), nil
}

func (l *loader) trusts(root, digest string) (bool, error) {
	if l.opts.TrustWorkspace {
		return true, nil
	}
	if l.opts.Trusted == nil {
		return false, nil
	}
	return l.opts.Trusted(root, digest)
}

// projectFaults are errors where the user relies on the file, else warnings.
func (l *loader) projectFaults(trusted bool, faults ...Problem) {
	if trusted {
		l.problems = append(l.problems, faults...)
		return
	}
	l.cfg.Warnings = append(l.cfg.Warnings, faults...)
}

// permits decides whether the project's file may set k, and notes it if not.
func (r *reading) permits(k Key, raw any) bool {
	switch {
	case k.Project == Never || k.Project == NoFile:
		r.ignore(k.Name, k.Name, true, "")
	case k.Name == "model" && isScript(raw):
		r.ignore(k.Name, k.Name, true, "a script model is not taken from a project")
	case k.Project == WhenTrusted && !r.trusted:
		r.ignore(k.Name, k.Name, false, "")
	default:
		return true
	}
	return false
}

func isScript(raw any) bool {
	v, ok := raw.(string)
	return ok && script(v)
}

func (r *reading) ignore(key, path string, never bool, reason string) {
	r.cfg.Ignored = append(r.cfg.Ignored, Ignored{Key: shorten(key), Line: r.doc.origin(path).Line, Never: never, Reason: reason})
}
