package runstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// owner is a handle's identity as an owner of runs, and its means to tell
// whether others live. Each owner holds a lock on a file named by its ID from
// its first claim to its end; the kernel ends the lock with the process.
type owner struct {
	id   string
	dir  string
	opts Options

	mu   sync.Mutex
	self agent.Owner // zero until needed
	lock *os.File    // held; nil before the first claim and after release
	gone bool
}

func newOwner(dir string, opts Options) *owner {
	return &owner{id: agent.NewID(), dir: dir, opts: opts}
}

// claim returns who we are, and sees to it that the others can tell that we
// live.
func (o *owner) claim() (agent.Owner, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	self, err := o.identify()
	if err != nil || o.lock != nil {
		return self, err
	}
	if o.gone {
		return self, closedError("claim", strings.TrimSuffix(o.dir, "-owners"))
	}
	if err := os.Mkdir(o.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return self, fileError("claim", o.dir, err)
	}
	f, err := os.OpenFile(o.file(o.id), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return self, fileError("claim", o.file(o.id), err)
	}
	if err := errors.Join(f.Chmod(0o600), lockExclusive(f)); err != nil {
		return self, errors.Join(fileError("claim", f.Name(), err), f.Close(), os.Remove(f.Name()))
	}
	o.lock = f
	o.sweep()
	return self, nil
}

// sweep puts away what processes left that died when they owned nothing:
// nobody will ask for them. Younger files may be about to be locked.
func (o *owner) sweep() {
	own, err := o.lock.Stat()
	if err != nil {
		return
	}
	files, _ := os.ReadDir(o.dir) // what cannot be listed stays
	for _, file := range files {
		id, ok := strings.CutSuffix(file.Name(), ".lock")
		info, err := file.Info()
		if ok && err == nil && own.ModTime().Sub(info.ModTime()) > time.Minute {
			o.locked(id)
		}
	}
}

// identify fills self; o.mu is held.
func (o *owner) identify() (agent.Owner, error) {
	if o.self.ID != "" {
		return o.self, nil
	}
	host, err := os.Hostname()
	if err != nil {
		return agent.Owner{}, fmt.Errorf("name this host: %w", err)
	}
	o.self = agent.Owner{ID: o.id, Host: host, Boot: bootID(), PID: os.Getpid()}
	return o.self, nil
}

func (o *owner) file(id string) string { return filepath.Join(o.dir, id+".lock") }

// alive reports whether an owner may still be at work. Its death must be
// proven: the machine was booted since, or the lock is free.
func (o *owner) alive(other agent.Owner) bool {
	o.mu.Lock()
	self, err := o.identify()
	held := o.lock != nil
	o.mu.Unlock()
	switch {
	case other.ID == o.id:
		return held
	case err != nil:
		return true
	case self.Boot != "" && self.Boot == other.Boot:
		return o.locked(other.ID) // this machine, whatever it is called now
	case self.Host != other.Host:
		return true
	case self.Boot != "" && other.Boot != "":
		return false // this machine, before it was booted
	}
	return o.locked(other.ID)
}

// locked reports whether the owner's lock is held. A free one is put away; IDs
// are never used again. Those who look take the lock shared, so that two of
// them do not take each other for the owner.
func (o *owner) locked(id string) bool {
	if id != filepath.Base(id) {
		return false // no ID of ours
	}
	f, err := os.OpenFile(o.file(id), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	busy := lockShared(f) != nil
	_ = f.Close() // before removal, which Windows refuses otherwise
	if busy {
		return true
	}
	err = os.Remove(f.Name())
	o.opts.Logger.Debug("owner is dead, its lock file was put away", "owner", id, "err", err)
	return false
}

// release ends the identity: whatever it still owns has a dead owner.
func (o *owner) release() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gone = true
	if o.lock == nil {
		return nil
	}
	f := o.lock
	o.lock = nil
	closing := f.Close()
	err := os.Remove(f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // another handle was quicker
	}
	return errors.Join(closing, err)
}
