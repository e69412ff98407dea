package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// Confined is one command under the rules of a Policy. It belongs to the
// goroutine that made it.
type Confined struct {
	theirs []*os.File // ends the command's side uses, closed here once it has begun
	lead   *os.File   // closed here when all is over; nil: the engine needs none
	status *os.File   // what the engine says became of the command
	alive  *os.File   // at its end when nothing of the command lives any more
	watch  *witness   // what must be as it was
	inner  *embedded  // the repositories that the workspace's names
	held   []string   // empty files that keep the place of what must not be made
	report report
	failed func() // told when the engine could not do what it could before
}

// Free is a Confined for a command that nothing confines, so that who runs both
// kinds need not tell them apart.
func Free() *Confined { return &Confined{} }

// These times only matter when something is wrong: pipes are read to their end.
const (
	settleTime = 100 * time.Millisecond
	endTime    = 5 * time.Second
)

// Started gives up what belongs to the command. It is called when cmd.Start
// has returned.
func (c *Confined) Started() {
	for _, f := range c.theirs {
		_ = f.Close() // the command has its own
	}
	c.theirs = nil
}

// Kept reports whether a keeper ends the command when this process ends, so that
// nobody else need do it.
func (c *Confined) Kept() bool { return c.lead != nil }

// Settle is called when cmd.Wait has returned, and says whether the command
// left anything running.
func (c *Confined) Settle() (left bool) {
	c.report = statusOf(c.status)
	if c.alive != nil && !atEnd(c.alive, settleTime) {
		return true
	}
	c.reaperGone()
	return c.report.Left
}

// End is called after Settle, when what the command left running has been
// ended. It returns what it had to put back because the command changed it,
// though it must not. The error is ErrSetup when the command never ran; state
// is what became of the process.
func (c *Confined) End(state *os.ProcessState) (restored []string, err error) {
	defer c.close()
	if c.alive != nil && !atEnd(c.alive, endTime) || !c.reaperGone() {
		return nil, errors.New("something of the command still runs")
	}
	restored, err = c.putBack()
	c.letGo()
	switch {
	case c.report.Error != "":
		err = fmt.Errorf("%w: %s", ErrSetup, c.report.Error)
	case c.report.ExitCode == nil && c.report.Started && state != nil && state.Exited():
		err = errors.New("the command's keeper ended before it, and what became of it is unknown")
	case c.report.ExitCode == nil && state != nil && state.Exited():
		err = ErrSetup
	}
	if errors.Is(err, ErrSetup) && c.failed != nil {
		c.failed()
	}
	return restored, err
}

// putBack names what the command changed though it must not, and undoes that.
func (c *Confined) putBack() (restored []string, err error) {
	restored, err = c.watch.restore()
	indexes, one := c.inner.restore()
	return append(restored, indexes...), errors.Join(err, one)
}

// Abort is End for a command that could not be started.
func (c *Confined) Abort() {
	c.Started()
	_, _ = c.watch.restore() // nothing ran
	c.letGo()
	c.close()
}

// reaperGone waits for the end of the process with which all others of the
// command end. Its files are closed a little earlier.
func (c *Confined) reaperGone() bool {
	return c.report.Reaper == 0 || waitEnded(c.report.Reaper, endTime)
}

// hold makes empty files where those may come to lie that belong to a hidden
// file, as a database's journal does, in places a command may write: only what
// is there can be hidden. What reads them finds nothing in them.
func (c *Confined) hold(p policy) error {
	for _, path := range p.hide {
		beside := func(other string) bool { return strings.HasPrefix(path, other+"-") && isFile(other) }
		if !p.writable(path) || !slices.ContainsFunc(p.hide, beside) {
			continue
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		switch {
		case errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return fmt.Errorf("keep the place of %s: %w", path, err)
		}
		_ = f.Close() // empty
		c.held = append(c.held, path)
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// letGo removes the files hold made, as far as they are still its own.
func (c *Confined) letGo() {
	for _, path := range c.held {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			_ = os.Remove(path) // an empty file does no harm
		}
	}
	c.held = nil
}

func (c *Confined) close() {
	for _, f := range []*os.File{c.lead, c.status, c.alive} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// report is what an engine says of a command. Without an exit code, the
// command did not run, or was ended together with the engine.
type report struct {
	ExitCode *int   `json:"exit-code,omitempty"`
	Reaper   int    `json:"child-pid,omitempty"` // with which all of it ends; 0: none
	Started  bool   `json:"started,omitempty"`   // the command did begin
	Left     bool   `json:"left,omitempty"`      // the engine ended what it left running
	Error    string `json:"error,omitempty"`
}

// statusOf reads what an engine said, one JSON object a line.
func statusOf(f *os.File) report {
	var r report
	if f == nil {
		zero := 0
		return report{ExitCode: &zero}
	}
	_ = f.SetReadDeadline(time.Now().Add(endTime)) // a pipe has deadlines
	data, _ := io.ReadAll(io.LimitReader(f, 1<<20))
	dec := json.NewDecoder(bytes.NewReader(data))
	for dec.More() {
		if dec.Decode(&r) != nil {
			break
		}
	}
	return r
}

// atEnd waits for the end of a pipe nobody writes to, as long as patience.
func atEnd(f *os.File, patience time.Duration) bool {
	_ = f.SetReadDeadline(time.Now().Add(patience)) // a pipe has deadlines
	_, err := f.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}
