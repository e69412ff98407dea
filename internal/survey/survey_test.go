package survey

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// journal keeps looks as a run does.
type journal struct {
	t         *testing.T
	workspace string
	surveyor  *Surveyor
	blobs     map[string][]byte
	looks     []agent.Surveyed
}

func newJournal(t *testing.T, denied ...string) *journal {
	t.Helper()
	j := &journal{t: t, workspace: t.TempDir(), blobs: map[string][]byte{}}
	for i, d := range denied {
		denied[i] = filepath.Join(j.workspace, d)
	}
	j.surveyor = New(j, denied, func(data []byte) bool { return bytes.Contains(data, []byte("hunter2")) })
	return j
}

func (j *journal) Blob(_ context.Context, digest string) ([]byte, error) {
	data, ok := j.blobs[digest]
	if !ok {
		return nil, fmt.Errorf("blob %s: %w", digest, fs.ErrNotExist)
	}
	return data, nil
}

func (j *journal) write(name, content string) {
	j.t.Helper()
	file := filepath.Join(j.workspace, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		j.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		j.t.Fatal(err)
	}
}

func (j *journal) look(when agent.SurveyMoment, readOnly bool) {
	j.t.Helper()
	previous := ""
	if n := len(j.looks); n > 0 {
		previous = j.looks[n-1].Manifest
	}
	s, err := j.surveyor.Look(j.t.Context(), j.workspace, previous)
	if err != nil {
		j.t.Fatal(err)
	}
	manifest := agent.Digest(s.Manifest)
	j.blobs[manifest] = s.Manifest
	j.looks = append(j.looks, agent.Surveyed{
		SurveyPayload: agent.SurveyPayload{When: when, Mode: "plan", ReadOnly: readOnly, Workspace: j.workspace, Digest: s.Digest, Manifest: manifest, Files: s.Files},
		At:            time.Date(2026, 12, 1, 0, 0, len(j.looks), 0, time.UTC),
	})
}

func (j *journal) stretches() []Stretch {
	j.t.Helper()
	list, err := j.surveyor.Stretches(j.t.Context(), j.looks, "plans")
	if err != nil {
		j.t.Fatal(err)
	}
	return list
}

// TestStretches: what changed is told by who could have done it, plans apart.
func TestStretches(t *testing.T) {
	t.Parallel()
	j := newJournal(t, "own")
	j.write("a", "one")
	j.look(agent.SurveyBegin, true)
	j.write("plans/p.md", "# P")
	j.write("own/agent.db", "records")
	j.look(agent.SurveyEnd, true)
	j.write("a", "another")
	j.look(agent.SurveyBegin, true)
	list := j.stretches()
	if len(list) != 3 || !list[0].Driven || list[1].Driven || !list[2].Open {
		t.Fatalf("stretches: %+v", list)
	}
	if one := list[0]; len(one.Differences) != 0 || fmt.Sprint(one.Plans) != "[plans/p.md]" {
		t.Errorf("at work: %+v", one)
	}
	if one := list[1]; fmt.Sprint(one.Differences) != "[{a changed}]" {
		t.Errorf("while the run waited: %+v", one)
	}
	if got := VerdictOf(list); got != Unknown {
		t.Errorf("verdict on a run at work: %s", got)
	}
	if got := VerdictOf(list[:2]); got != Unchanged {
		t.Errorf("verdict on a run whose plan alone was written: %s", got)
	}
	j.write("b", "new")
	j.look(agent.SurveyEnd, true)
	if got := VerdictOf(j.stretches()); got != Changed {
		t.Errorf("verdict on a run that wrote: %s", got)
	}
	delete(j.blobs, j.looks[0].Manifest)
	j.surveyor = New(j, nil, nil) // another process, which has seen none of them
	if one := j.stretches()[0]; one.Problem == "" {
		t.Errorf("without the first look: %+v", one)
	}
}

// TestVerdictOf_none: work in modes that may write, and waiting, prove nothing.
func TestVerdictOf_none(t *testing.T) {
	t.Parallel()
	if got := VerdictOf([]Stretch{{Driven: true}, {ReadOnly: true}}); got != None {
		t.Errorf("verdict %s", got)
	}
}

func TestSince(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	run, now := agent.Run{Workspace: j.workspace}, time.Date(2026, 12, 2, 0, 0, 0, 0, time.UTC)
	if one, err := j.surveyor.Since(t.Context(), run, nil, "plans", now); err != nil || one.Problem == "" {
		t.Errorf("without a look: %+v, %v", one, err)
	}
	j.look(agent.SurveyBegin, true)
	j.write("a", "one")
	one, err := j.surveyor.Since(t.Context(), run, j.looks, "plans", now)
	if err != nil || fmt.Sprint(one.Differences) != "[{a added}]" || one.To != now || one.Files != 1 {
		t.Errorf("since the look: %+v, %v", one, err)
	}
}

// TestLook_secret: a name that holds a secret is kept nowhere.
func TestLook_secret(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.write("hunter2.txt", "")
	if s, err := j.surveyor.Look(t.Context(), j.workspace, ""); err == nil || s.Manifest != nil {
		t.Errorf("kept %q, %v", s.Manifest, err)
	}
}
