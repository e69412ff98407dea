//go:build linux || darwin

package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// store opens the database of a desk.
func (b *bench) store() *runstore.SQLite {
	b.t.Helper()
	store, err := runstore.Open(b.t.Context(), b.env["AGENT_DB"], runstore.Options{})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = store.Close() })
	return store
}

// ended puts runs that ended long ago into a store and returns their IDs, the
// oldest first. Those that are large make a store delete few of them at once,
// and what is printed of them more than a pipe holds.
func (b *bench) ended(store runstore.Store, n int, large bool) []string {
	b.t.Helper()
	var ids []string
	for i := range n {
		at := time.Date(2025, 1, 1, 0, 0, i, 0, time.UTC)
		run := agent.Run{
			ID: fmt.Sprintf("01941f29-7c00-7000-8000-%012d", i), Title: fmt.Sprintf("Task %d", i), Workspace: b.dir, Project: b.dir,
			Status: agent.StatusFinished, Mode: "build", Model: "script:x", Created: at, Updated: at,
		}
		c := agent.Change{ID: agent.NewID(), Run: run, Events: []agent.Event{{Seq: 1, At: at, Type: agent.Start, RunID: run.ID, From: agent.From, Payload: json.RawMessage(`{}`)}}}
		if large {
			c.Run.Title = strings.Repeat("long ", 10_000)
			c.Blobs = [][]byte{bytes.Repeat([]byte(run.ID), 12_000)}
		}
		if _, err := store.Commit(b.t.Context(), c); err != nil {
			b.t.Fatal(err)
		}
		ids = append(ids, run.ID)
	}
	return ids
}

// left are the IDs of the runs that are there, the oldest first.
func (b *bench) left(store runstore.Store) []string {
	b.t.Helper()
	runs, err := store.Runs(b.t.Context(), agent.RunQuery{})
	if err != nil {
		b.t.Fatal(err)
	}
	var ids []string
	for _, r := range slices.Backward(runs) {
		ids = append(ids, r.ID)
	}
	return ids
}

// prunedIn reads the one object of prune and the IDs in it.
func prunedIn(t *testing.T, out string) (deletedRuns, []string) {
	t.Helper()
	var doc deletedRuns
	if err := json.Unmarshal([]byte(out), &doc); err != nil || strings.Count(out, "\n") != 1 || !strings.HasSuffix(out, "\n") {
		t.Fatalf("stdout is no object on a line: %v\n%.200s", err, out)
	}
	var ids []string
	for _, d := range doc.Deleted {
		ids = append(ids, d.RunID)
	}
	var again bytes.Buffer
	if err := printJSON(&again, doc); err != nil || again.String() != out {
		t.Errorf("written anew it is %.200s, not %.200s", again.String(), out)
	}
	return doc, ids
}

func TestPrune_many(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	store := b.store()
	ids := b.ended(store, shownPruned+7, false)
	r := b.run("prune", "--older-than", "1d", "--dry-run")
	r.wants(t, 0, "Task 0", "… and 7 more (--output json has all)", "57 runs would be deleted")
	if rows := strings.Count(r.out, "\n"); rows != 1+shownPruned+1 {
		t.Errorf("%d rows", rows)
	}
	r = b.run("prune", "--older-than", "1d", "--dry-run", "-o", "json")
	if doc, all := prunedIn(t, r.out); !doc.DryRun || !slices.Equal(all, ids) {
		t.Errorf("%+v", doc)
	}
	b.run("prune", "--older-than", "1d").wants(t, 2, "add --yes")
	b.run("prune", "--older-than", "1d", "--yes").wants(t, 0, "Task 49", "… and 7 more", "57 runs deleted")
	r = b.run("prune", "--older-than", "1d", "--yes", "-o", "json")
	if doc, _ := prunedIn(t, r.out); len(doc.Deleted) != 0 || doc.DryRun || len(b.left(store)) != 0 {
		t.Errorf("%+v", doc)
	}
}

// cutShort is a store whose Prune ends with the first runs that are gone.
type cutShort struct {
	runstore.Store
	how func(cancel context.CancelCauseFunc) error
}

func (s cutShort) Prune(ctx context.Context, q runstore.EndedQuery, gone func([]runstore.EndedRun)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var fault error
	err := s.Store.Prune(ctx, q, func(runs []runstore.EndedRun) {
		gone(runs)
		fault = s.how(cancel)
		cancel(nil)
	})
	return errors.Join(fault, err)
}

// TestPruning_cutShort: whatever ends a prune, what is gone until then is told.
func TestPruning_cutShort(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		signal os.Signal
		fault  error
		output string
		code   int
		words  []string
	}{
		{"signal", syscall.SIGTERM, nil, outputText, 143, []string{"Task 0", "stopped: ", " of 20 runs deleted"}},
		{"signal, JSON", syscall.SIGINT, nil, outputJSON, 130, []string{`"error":null`}},
		{"fault", nil, &runstore.Error{Op: "prune runs", Path: "x.db", Reason: "the disk is full"}, outputText, 1, []string{"Task 0", " of 20 runs deleted", "the disk is full"}},
		{"fault, JSON", nil, &runstore.Error{Op: "prune runs", Path: "x.db", Reason: "the disk is full"}, outputJSON, 1, []string{`"error":{"code":"store"`, "agent: prune runs: "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			store := b.store()
			b.ended(store, 20, true)
			var out, errw bytes.Buffer
			w := &wiring{io: b.streams(&out, &errw), g: &globals{Output: test.output}}
			p := &pruning{w: w, out: bufio.NewWriter(&out), selected: 20}
			ctx, cancel := context.WithCancelCause(t.Context())
			err := p.delete(ctx, cutShort{store, func(context.CancelCauseFunc) error {
				if test.signal != nil {
					cancel(&exit.SignalError{Signal: test.signal})
				}
				return test.fault
			}}, runstore.EndedQuery{Before: time.Now()})
			code := conclude(w.io, w.g, p.end(ctx, err))
			said := strings.ReplaceAll(out.String(), "long long", "Task 0")
			ran{code, said, errw.String()}.wants(t, test.code, test.words...)
			gone := p.done
			if test.output == outputJSON {
				doc, _ := prunedIn(t, out.String())
				gone = len(doc.Deleted)
			}
			if left := len(b.left(store)); gone == 0 || left == 0 || gone+left != 20 {
				t.Errorf("%d told gone, %d left", gone, left)
			}
		})
	}
}

// TestPrune_stopped stops real processes that are at work: nobody reads what
// they print, so that they wait between two transactions.
func TestPrune_stopped(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			store := b.store()
			ids := b.ended(store, 20, true)
			c := b.command("prune", "--older-than", "1d", "--yes", "-o", "json")
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			first := make([]byte, 1)
			if _, err := out.Read(first); err != nil {
				t.Fatal(err)
			}
			_ = c.Process.Signal(sig)
			rest, _ := io.ReadAll(out)
			if code := shellCode(c.Wait()); code != 128+int(sig) {
				t.Errorf("exit code %d", code)
			}
			doc, gone := prunedIn(t, string(first)+string(rest))
			if left := b.left(store); doc.Error != nil || len(left) == 0 || !slices.Equal(slices.Concat(gone, left), ids) {
				t.Errorf("told gone %v, left %v, %+v", gone, left, doc.Error)
			}
		})
	}
}

// TestPrune_onATerminal shows how far it is, and is stopped by Ctrl-C.
func TestPrune_onATerminal(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	store := b.store()
	ids := b.ended(store, 20, true)
	out, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	x := dial(b, wired{columns: 80, stdout: write}, "prune", "--older-than", "1d", "--yes", "-o", "json")
	_ = write.Close()
	x.until("how far it is", func(screen string) bool {
		return strings.Contains(screen, "deleting runs: ") && strings.Contains(screen, " of 20 runs gone")
	})
	x.keys(ctrlC)
	printed, _ := io.ReadAll(out)
	if code := x.exits(); code != 130 {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(x.screen(), "deleting runs") {
		t.Errorf("the spinner still stands there:\n%s", x.screen())
	}
	if _, gone := prunedIn(t, string(printed)); len(gone) == 0 || !slices.Equal(slices.Concat(gone, b.left(store)), ids) {
		t.Errorf("told gone %v", gone)
	}
}

// TestPrune_asks asks about the runs there are, and keeps them unless it is
// told to delete them.
func TestPrune_asks(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	store := b.store()
	b.ended(store, 3, false)
	x := dial(b, wired{columns: 80}, "prune", "--older-than", "1d")
	x.sees("Delete 3 runs for good?", "Keep")
	x.keys(ctrlC)
	if code := x.exits(); code != exit.Suspended || len(b.left(store)) != 3 {
		t.Errorf("exit code %d, left %v", code, b.left(store))
	}
	x = dial(b, wired{columns: 80}, "prune", "--older-than", "1d")
	x.sees("Delete 3 runs for good?", "Keep")
	x.move(down)
	x.keys(enter)
	x.sees("3 runs deleted")
	if code := x.exits(); code != 0 || len(b.left(store)) != 0 {
		t.Errorf("exit code %d, left %v", code, b.left(store))
	}
}

// TestPrune_together: of two that prune at once each tells what it deleted
// itself.
func TestPrune_together(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	store := b.store()
	ids := b.ended(store, 20, true)
	outs := make(chan []byte, 2)
	for range 2 {
		c := b.command("prune", "--older-than", "1d", "--yes", "-o", "json")
		go func() {
			out, err := c.Output()
			if err != nil {
				t.Error(err)
			}
			outs <- out
		}()
	}
	_, one := prunedIn(t, string(<-outs))
	_, other := prunedIn(t, string(<-outs))
	if all := slices.Sorted(slices.Values(slices.Concat(one, other))); !slices.Equal(all, ids) {
		t.Errorf("told gone %v and %v", one, other)
	}
}

// TestPrune_driven leaves alone what another process drives.
func TestPrune_driven(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.ended(b.store(), 2, false)
	b.write("slow.yaml", "turns:\n  - {text: Late., delay: 60s}\n")
	id := b.live("script:" + filepath.Join(b.dir, "slow.yaml"))
	r := b.run("prune", "--older-than", "0s", "--yes", "-o", "json")
	if _, gone := prunedIn(t, r.out); r.code != 0 || len(gone) != 2 || slices.Contains(gone, id) {
		t.Errorf("exit code %d, gone %v", r.code, gone)
	}
	b.run("show", id).wants(t, 0)
}

// TestPrune_followed deletes a run between two looks of the processes that
// follow it, wait for it and drive it: each ends, and says why.
func TestPrune_followed(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.write("slow.yaml", "turns:\n  - {text: Early., toolCalls: [{name: list_files, args: {}}]}\n  - {text: Late., delay: 60s}\n")
	driver := b.begin("run", "--model", "script:"+filepath.Join(b.dir, "slow.yaml"), "-o", "jsonl", "Go")
	driver.says(`"type":"step-finish"`) // what is told is committed: it holds no lock
	id := b.newest()
	follower, waiter := b.begin("events", id, "--follow"), b.begin("wait", id)
	follower.says(`"type":"message"`)
	waiter.says("waiting for run " + id)
	for _, p := range []*started{driver, follower, waiter} {
		p.halt()
	}
	for _, words := range []string{"cancel " + id, "prune --older-than 0s --yes"} {
		if r := b.run(strings.Fields(words)...); r.code != 0 {
			t.Fatalf("%s: exit code %d\n%s", words, r.code, r.err)
		}
	}
	for name, p := range map[string]*started{"events": follower, "wait": waiter} {
		p.goOn()
		if code, said := p.ends(); code != 2 || !strings.Contains(said, "somebody deleted it meanwhile") {
			t.Errorf("%s: exit code %d\n%s", name, code, said)
		}
	}
	driver.goOn()
	if code, said := driver.ends(); code != 5 || !strings.Contains(said, "agent: fenced: run "+id+" was deleted meanwhile\n") {
		t.Errorf("run: exit code %d\n%s", code, said)
	}
}

// started is a process whose output can be waited for.
type started struct {
	b    *bench
	proc *os.Process
	wait func() error
	out  *bufio.Reader
	said strings.Builder
}

// begin starts a command.
func (b *bench) begin(words ...string) *started {
	b.t.Helper()
	c := b.command(words...)
	out, err := c.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	c.Stderr = c.Stdout
	if err := c.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed, or has ended
	})
	return &started{b: b, proc: c.Process, wait: c.Wait, out: bufio.NewReader(out)}
}

// says waits until the process has said something.
func (p *started) says(words string) {
	p.b.t.Helper()
	for !strings.Contains(p.said.String(), words) {
		r, err := p.out.ReadByte()
		if err != nil {
			p.b.t.Fatalf("the process never said %q: %v\n%s", words, err, &p.said)
		}
		p.said.WriteByte(r)
	}
}

// halt stops the process until goOn.
func (p *started) halt() {
	p.b.t.Helper()
	_ = p.proc.Signal(syscall.SIGSTOP)
	var status unix.WaitStatus
	if _, err := unix.Wait4(p.proc.Pid, &status, unix.WUNTRACED, nil); err != nil || !status.Stopped() {
		p.b.t.Fatalf("the process did not halt: %v, %v\n%s", status, err, &p.said)
	}
}

func (p *started) goOn() { _ = p.proc.Signal(syscall.SIGCONT) }

// ends is the exit code and all that was said.
func (p *started) ends() (int, string) {
	rest, _ := io.ReadAll(p.out)
	p.said.Write(rest)
	return shellCode(p.wait()), p.said.String()
}

// TestOutcomeOf_deleted: what a command did is told although the run was
// deleted since.
func TestOutcomeOf_deleted(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.write("says.yaml", "turns:\n  - text: Done.\n")
	b.run("run", "--model", "script:"+filepath.Join(b.dir, "says.yaml"), "Go").wants(t, 0)
	st, snap, err := loadRun(t.Context(), b.store(), b.newest())
	if err != nil {
		t.Fatal(err)
	}
	o, err := outcomeOf(t.Context(), runstore.Memory(), snap.ID, nil, st, nil)
	if err != nil || o.code != 0 || o.report().Text != "Done." {
		t.Errorf("%+v, %v", o, err)
	}
}
