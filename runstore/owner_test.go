package runstore

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestOwner_Alive(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "runs.db-owners")
	opts := Options{}.filled()
	us, them := newOwner(dir, opts), newOwner(dir, opts)
	self, err := them.claim()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = them.release() })
	other := func(alter func(*agent.Owner)) agent.Owner {
		o := self
		alter(&o)
		return o
	}
	for name, test := range map[string]struct {
		owner agent.Owner
		want  bool
	}{
		"holds its lock":                     {self, true},
		"this machine under another name":    {other(func(o *agent.Owner) { o.Host = "renamed" }), true},
		"no lock file":                       {other(func(o *agent.Owner) { o.ID = agent.NewID() }), false},
		"no lock file, renamed machine":      {other(func(o *agent.Owner) { o.ID, o.Host = agent.NewID(), "renamed" }), self.Boot == ""},
		"before this machine was booted":     {other(func(o *agent.Owner) { o.Boot = "earlier" }), self.Boot == ""},
		"another machine":                    {other(func(o *agent.Owner) { o.ID, o.Host, o.Boot = agent.NewID(), "elsewhere", "its own" }), true},
		"boot unknown, lock held":            {other(func(o *agent.Owner) { o.Boot = "" }), true},
		"boot unknown, no lock":              {other(func(o *agent.Owner) { o.ID, o.Boot = agent.NewID(), "" }), false},
		"an ID that leads out of the folder": {other(func(o *agent.Owner) { o.ID = "../x" }), false},
		"we, before our first claim":         {other(func(o *agent.Owner) { o.ID = us.id }), false},
	} {
		if got := us.alive(test.owner); got != test.want {
			t.Errorf("%s: alive is %v, want %v", name, got, test.want)
		}
	}
}

// TestOwner_Tidy leaves a lock file as a killed process does.
func TestOwner_Tidy(t *testing.T) {
	t.Parallel()
	o := newOwner(filepath.Join(t.TempDir(), "runs.db-owners"), Options{}.filled())
	self, err := o.claim()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.release() })
	self.ID = agent.NewID()
	if err := os.WriteFile(o.file(self.ID), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if o.alive(self) {
		t.Error("a free lock counts as held")
	}
	if _, err := os.Stat(o.file(self.ID)); !os.IsNotExist(err) {
		t.Errorf("the dead owner's file is still there: %v", err)
	}
}

// TestOwner_Sweep finds old lock files at the first claim.
func TestOwner_Sweep(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "runs.db-owners")
	live, o := newOwner(dir, Options{}.filled()), newOwner(dir, Options{}.filled())
	if _, err := live.claim(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = live.release(); _ = o.release() })
	old := time.Now().Add(-time.Hour)
	for name, age := range map[string]time.Time{"dead.lock": old, "new.lock": time.Now(), "notes": old} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, age, age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(live.file(live.id), old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := o.claim(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{o.file("dead"): false, o.file("new"): true, filepath.Join(dir, "notes"): true, live.file(live.id): true, o.file(o.id): true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", filepath.Base(path), err, want)
		}
	}
}

func TestCommit_Clock(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	path := filepath.Join(t.TempDir(), "runs.db")
	s, err := Open(t.Context(), path, Options{Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := s.Commit(t.Context(), agent.Change{Run: agent.Run{ID: "r", Created: at}, Own: true}); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Load(t.Context(), "r")
	if err != nil || !snap.Owner.Since.Equal(at) || snap.Owner.PID != os.Getpid() {
		t.Errorf("owner is %+v, %v", snap.Owner, err)
	}
}
