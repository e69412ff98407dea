package tools

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/atomicfile"
)

// DefaultPlansDir is where plans lie in a workspace unless configured.
const DefaultPlansDir = ".mastracode/plans"

const maxPlan = 1 << 20

// PlanDir reads and restores the plans of a workspace's plans directory. It is
// an agent.PlanReader and safe for concurrent use.
type PlanDir struct {
	// Dir is the directory, relative to the workspace; "": DefaultPlansDir.
	Dir string
	// OpenElsewhere returns another run that has the plan at path (relative,
	// cleaned) open, "" if none has. May be nil.
	OpenElsewhere func(ctx context.Context, workspace, path, runID string) (otherRun string, err error)
}

var _ agent.PlanReader = PlanDir{}

// ReadPlan checks and reads the plan at p. It must be a Markdown file of at
// most 1 MiB of UTF-8 text, not blank, in the plans directory, with no link on
// the way from the workspace to it, and not open in another run. The bytes are
// read once: what is checked is what is returned. The error wraps
// fs.ErrNotExist exactly when no file is there but one could be, and is a PlanFault
// where only its content is at fault.
func (d PlanDir) ReadPlan(ctx context.Context, runID, workspace, p string) (agent.PlanFile, error) {
	rel, err := d.locate(workspace, p)
	if err != nil {
		return agent.PlanFile{}, err
	}
	source, err := readPlanFile(workspace, rel)
	if err != nil {
		return agent.PlanFile{}, fmt.Errorf("read plan %s: %w", rel, err)
	}
	if err := checkPlan(source); err != nil {
		return agent.PlanFile{}, fmt.Errorf("read plan %s: %w", rel, err)
	}
	if d.OpenElsewhere != nil {
		other, err := d.OpenElsewhere(ctx, workspace, rel, runID)
		if err != nil {
			return agent.PlanFile{}, fmt.Errorf("look for other runs with plan %s: %w", rel, err)
		}
		if other != "" {
			return agent.PlanFile{}, fmt.Errorf("plan %s is open for a decision in run %s: write yours under another name", rel, other)
		}
	}
	title, body := splitPlan(rel, source)
	return agent.PlanFile{Path: rel, Title: title, Plan: body, Digest: agent.Digest(source), Source: source}, nil
}

// RestorePlan writes plan.Source to plan.Path, where no file may be. It makes
// the directories that are missing and follows no link.
func (d PlanDir) RestorePlan(_ context.Context, workspace string, plan agent.PlanFile) (err error) {
	rel, err := d.locate(workspace, plan.Path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return fmt.Errorf("restore plan %s: %w", rel, err)
	}
	defer root.Close()
	dir, err := openDir(root, path.Dir(rel), true)
	if err != nil {
		return fmt.Errorf("restore plan %s: %w", rel, err)
	}
	defer dir.Close()
	if _, err := dir.Lstat(path.Base(rel)); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("restore plan %s: %w", rel, cmp.Or(err, fs.ErrExist))
	}
	if err := atomicfile.Write(dir, path.Base(rel), plan.Source, 0); err != nil {
		return fmt.Errorf("restore plan %s: %w", rel, err)
	}
	return nil
}

// dir is the plans directory, cleaned.
func (d PlanDir) dir() string {
	return path.Clean(filepath.ToSlash(cmp.Or(d.Dir, DefaultPlansDir)))
}

// locate returns the workspace-relative path of a plan by its text alone. It
// must agree with how the loop names plans, so links are not resolved here;
// they are refused later.
func (d PlanDir) locate(workspace, p string) (string, error) {
	dir := d.dir()
	if !filepath.IsLocal(dir) || dir == "." {
		return "", fmt.Errorf("plans directory %s does not lie inside the workspace: change plansDir", dir)
	}
	if strings.TrimSpace(p) == "" {
		return "", fmt.Errorf("path is empty: name the plan file, for example %s/add-dark-mode.md", dir)
	}
	if strings.ContainsFunc(p, unicode.IsControl) {
		return "", fmt.Errorf("path %q holds control characters: rename the plan file", p)
	}
	rel := p
	if filepath.IsAbs(p) && workspace != "" {
		var err error
		if rel, err = filepath.Rel(workspace, p); err != nil {
			return "", fmt.Errorf("plan %s does not lie in %s/ of the workspace: write it there", p, dir)
		}
	}
	rel = path.Clean(filepath.ToSlash(rel))
	if !strings.HasPrefix(rel, dir+"/") || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("plan %s does not lie in %s/ of the workspace: write it there", p, dir)
	}
	if !markdownName(rel) {
		return "", fmt.Errorf("plan %s does not end in .md or .markdown: write it as a Markdown file", p)
	}
	return rel, nil
}

func markdownName(name string) bool {
	ext := path.Ext(name)
	return ext == ".md" || ext == ".markdown"
}

func readPlanFile(workspace, rel string) ([]byte, error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		// Not wrapped: a missing workspace is no missing plan.
		return nil, errors.New("open the workspace: " + err.Error())
	}
	defer root.Close()
	f, info, err := openFile(root, rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("write the file first, then submit its path again: %w", fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > maxPlan {
		return nil, errPlanSize
	}
	return io.ReadAll(io.LimitReader(f, maxPlan+1))
}

// PlanFault is what makes the content of a plan's file useless: the file is in
// its place and may be edited. It says what to do.
type PlanFault string

func (f PlanFault) Error() string { return string(f) }

const errPlanSize PlanFault = "it is larger than 1 MiB: shorten it"

func checkPlan(source []byte) error {
	switch {
	case len(source) > maxPlan: // it grew since it was opened
		return errPlanSize
	case !utf8.Valid(source):
		return PlanFault("it is not valid UTF-8 text: write it again as UTF-8")
	case len(bytes.TrimSpace(bytes.TrimPrefix(source, []byte(byteOrderMark)))) == 0:
		return PlanFault("it is empty: write the plan first")
	}
	return nil
}
