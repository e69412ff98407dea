package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// counting is an engine that counts how often it is asked to confine.
type counting struct {
	engine
	asked *int
	fails bool
}

func (c counting) confine(cmd *exec.Cmd, p policy, grace time.Duration) (*Confined, error) {
	*c.asked++
	if c.fails {
		return nil, errors.New("cannot")
	}
	return c.engine.confine(cmd, p, grace)
}

func TestMemory(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *host) {
		real, asked := h.sandbox.probe().engine, 0
		s := New(Config{Memory: filepath.Join(h.root, "sandbox.json")})
		variants := []engine{counting{real, &asked, true}, counting{real, &asked, false}}
		find := func(mark string) {
			t.Helper()
			if e, err := s.firstThatWorks("x", variants, mark); err != nil || e != variants[1] {
				t.Fatalf("found %v, %v", e, err)
			}
		}
		find("one")
		info, err := os.Stat(s.cfg.Memory)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("memory: %v, %v", info, err)
		}
		if find("one"); asked != 2 {
			t.Errorf("tried %d times, want the two of the first time", asked)
		}
		if find("two"); asked != 4 { // another kernel, another start, another program
			t.Errorf("tried %d times, want two more", asked)
		}
		if s.forget(); exists(s.cfg.Memory) {
			t.Error("it is not forgotten")
		}
		if find("two"); asked != 6 {
			t.Errorf("tried %d times, want two more", asked)
		}
		// What another wrote there may cost a refusal, never the sandbox.
		for _, lie := range []string{"", "{", `{"engine":"x","mark":"two","variant":7}`, `{"engine":"x","mark":"two","variant":-1}`, `{"engine":"none","mark":"two"}`} {
			if err := os.WriteFile(s.cfg.Memory, []byte(lie), 0o600); err != nil {
				t.Fatal(err)
			}
			find("two")
		}
	})
}

func TestMemory_WithoutADirectory(t *testing.T) {
	t.Parallel()
	s := New(Config{Memory: filepath.Join(t.TempDir(), "none", "sandbox.json")})
	s.remember("x", "y", 0)
	if _, ok := s.recall("x", "y"); ok || exists(filepath.Dir(s.cfg.Memory)) {
		t.Error("a directory was made")
	}
}

// PATH may begin with a directory of the workspace.
func TestInstalled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sh"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := installed("sh", dir+":relative:"+usualPath); err != nil || within(got, dir) {
		t.Errorf("found %s, %v", got, err)
	}
	if got, err := installed("sh", dir); err == nil {
		t.Errorf("found %s", got)
	}
}

func TestEngineNone(t *testing.T) {
	t.Parallel()
	s := New(Config{Engine: None})
	if r := s.Report(); r.Engine != None || r.ReadOnly || len(r.NotEnforced) == 0 || s.Confines() || s.ReadOnly() {
		t.Errorf("report %+v", r)
	}
	if _, err := s.Confine(exec.Command("true"), Policy{Workspace: t.TempDir()}, 0); !errors.Is(err, ErrNone) {
		t.Errorf("error %v", err)
	}
}
