package agent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
	"github.com/seed-3e5a1d81/agent/tools"
)

// writer is a rig whose agent writes files, in mode build.
func writer(t testing.TB, turns ...any) *rig {
	return newRig(t, turns, tools.ReadFile(tools.Closed{}), tools.WriteFile("", tools.Closed{}), tools.EditFile("", tools.Closed{}))
}

func put(id, path, content string) agent.ToolCall {
	return call(id, "write_file", map[string]any{"path": path, "content": content})
}

func look(id, path string) agent.ToolCall {
	return call(id, "read_file", map[string]any{"path": path})
}

func (r *rig) undo(u agent.Undo) (agent.Undone, error) {
	if u.Files == nil {
		u.Files = tools.Files{}
	}
	return r.Undo(r.t.Context(), u)
}

// tree is every file below the workspace with its bits and content.
func (r *rig) tree() map[string]string {
	r.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(r.workspace, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		info, _ := e.Info()
		rel, _ := filepath.Rel(r.workspace, p)
		files[filepath.ToSlash(rel)] = fmt.Sprintf("%04o %s", info.Mode().Perm(), data)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return files
}

func (r *rig) wantTree(what string, want map[string]string) {
	r.t.Helper()
	if got := r.tree(); !maps.Equal(got, want) {
		r.t.Fatalf("%s: %q, want %q", what, got, want)
	}
}

// Whatever a run wrote, in whatever order: undo leaves the tree as it was to
// the byte and the bit, redo as the run left it, any number of times.
func TestUndo_IsTheInverse(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 1))
			r := writer(t)
			for i := range 4 {
				r.write(fmt.Sprintf("old%d", i), fmt.Sprintf("%d\r\nno end", rnd.IntN(100)))
				_ = os.Chmod(filepath.Join(r.workspace, fmt.Sprintf("old%d", i)), []fs.FileMode{0o600, 0o755, 0o644}[rnd.IntN(3)])
			}
			for step := range 8 {
				var cs []agent.ToolCall
				for i := range 1 + rnd.IntN(3) {
					path := []string{"old0", "old1", "old2", "old3", "new", "d/e/new", "d/other"}[rnd.IntN(7)]
					id := fmt.Sprintf("c%d-%d", step, i)
					cs = append(cs, look("r"+id, path), put("w"+id, path, fmt.Sprint(rnd.IntN(3))))
				}
				r.model.turns = append(r.model.turns, calls(cs...))
			}
			r.model.turns = append(r.model.turns, says("done"))
			before := r.tree()
			d := r.start(agent.Task{Mode: "build"}).wantStatus(agent.StatusFinished)
			after := r.tree()
			for range 2 {
				if _, err := r.undo(agent.Undo{RunID: d.runID}); err != nil {
					t.Fatal(err)
				}
				r.wantTree("after undo", before)
				if st, err := agent.Fold(r.load(d.runID).Events); err != nil || len(st.Changes()) != 0 {
					t.Fatalf("changes left: %v, %v", st.Changes(), err)
				}
				if _, err := r.undo(agent.Undo{RunID: d.runID, Redo: true}); err != nil {
					t.Fatal(err)
				}
				r.wantTree("after redo", after)
			}
			if got := r.load(d.runID).Run; got.Status != agent.StatusFinished || got.Text != "done" {
				t.Errorf("the run became %+v", got)
			}
		})
	}
}

// dying are the files and the store of a process that is killed at one moment:
// before its commit or write number left, or right after.
type dying struct {
	mortal
	files tools.Files
}

func (d *dying) moment(do func() error) error {
	if d.dead {
		return errKilled
	}
	if d.left--; d.left >= 0 {
		return do()
	}
	d.dead = true
	if d.after {
		_ = do()
	}
	return errors.Join(errKilled, d.Close())
}

func (d *dying) Commit(ctx context.Context, c agent.Change) (epoch int64, err error) {
	err = d.moment(func() error {
		epoch, err = d.MemoryStore.Commit(ctx, c)
		return err
	})
	return epoch, err
}

func (d *dying) ReadFile(dir, path string) ([]byte, fs.FileMode, error) {
	return d.files.ReadFile(dir, path)
}

func (d *dying) WriteFile(dir, path string, data []byte, perm fs.FileMode) error {
	return d.moment(func() error { return d.files.WriteFile(dir, path, data, perm) })
}

func (d *dying) RemoveFile(dir, path string) error {
	return d.moment(func() error { return d.files.RemoveFile(dir, path) })
}

// Killed before or after any commit and any write, an undo is finished by the
// same command, and can be taken back to what the files held before it, also
// where it was forced over a person's work.
func TestUndo_KilledAtEveryMoment(t *testing.T) {
	t.Parallel()
	const moments = 6 // two commits, four files
	for k := range moments + 1 {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("moment %d landed %t", k, after), func(t *testing.T) {
				t.Parallel()
				killedUndo(t, k, after, k < moments)
			})
		}
	}
}

func killedUndo(t *testing.T, k int, after, dies bool) {
	r := writer(t,
		calls(look("r1", "a"), look("r2", "b")),
		calls(put("1", "a", "A"), put("2", "b", "B"), put("3", "dir/c", "C"), put("4", "d", "D")),
		says("done"))
	r.write("a", "a")
	r.write("b", "b")
	before := r.tree()
	d := r.start(agent.Task{Mode: "build"}).wantStatus(agent.StatusFinished)
	r.write("b", "a person's")
	if err := os.Remove(filepath.Join(r.workspace, "d")); err != nil {
		t.Fatal(err)
	}
	r.write("d", "a person's too")
	left := r.tree()

	shared := r.cfg.Store.(*runstore.MemoryStore)
	p := &dying{mortal: mortal{MemoryStore: shared.Handle(), left: k, after: after}}
	r.rebuild(func(c *agent.Config) { c.Store = p })
	_, err := r.undo(agent.Undo{RunID: d.runID, Force: true, Files: p})
	if p.dead != dies || dies && err == nil {
		t.Fatalf("dead %t, error %v", p.dead, err)
	}
	r.rebuild(func(c *agent.Config) { c.Store = shared.Handle() })
	if _, err := r.undo(agent.Undo{RunID: d.runID, Force: true}); err != nil {
		t.Fatal(err)
	}
	r.wantTree("after undo", before)
	if _, err := r.undo(agent.Undo{RunID: d.runID, Redo: true}); err != nil {
		t.Fatal(err)
	}
	r.wantTree("after redo", left)
	snap := r.load(d.runID)
	if snap.Owner != nil || snap.Current() != agent.StatusFinished {
		t.Errorf("owner %v, status %s", snap.Owner, snap.Current())
	}
}

// Nothing is written where one file is not as the run left it; each is named.
func TestUndo_RefusesWhatChangedSince(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meddle  func(r *rig)
		problem string
		forced  bool
	}{
		"edited":  {func(r *rig) { r.write("a", "theirs") }, "changed since", true},
		"removed": {func(r *rig) { _ = os.Remove(filepath.Join(r.workspace, "a")) }, "was removed since", true},
		"link": {func(r *rig) {
			_ = os.Remove(filepath.Join(r.workspace, "a"))
			_ = os.Symlink("b", filepath.Join(r.workspace, "a"))
		}, "goes through a link", false},
		"directory": {func(r *rig) {
			_ = os.Remove(filepath.Join(r.workspace, "a"))
			_ = os.Mkdir(filepath.Join(r.workspace, "a"), 0o755)
		}, "is a directory", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := writer(t, calls(look("r", "a")), calls(put("1", "a", "A"), put("2", "b", "B")), says("done"))
			r.write("a", "a")
			before := r.tree()
			d := r.start(agent.Task{Mode: "build"}).wantStatus(agent.StatusFinished)
			c.meddle(r)
			_, err := r.undo(agent.Undo{RunID: d.runID})
			var changed *agent.FilesChangedError
			if !errors.As(err, &changed) || !errors.Is(err, agent.ErrFilesChanged) {
				t.Fatalf("error %v", err)
			}
			wantContains(t, err.Error(), "a: "+c.problem)
			if _, err := os.Stat(filepath.Join(r.workspace, "b")); err != nil {
				t.Fatal("b was undone")
			}
			_, err = r.undo(agent.Undo{RunID: d.runID, Force: true})
			if c.forced != (err == nil) {
				t.Fatalf("forced: %v", err)
			}
			if c.forced {
				r.wantTree("after force", before)
			}
		})
	}
}

// Where a person changed a file between two changes of the run, undoing both
// would undo theirs: that is refused too.
func TestUndo_RefusesMixedWork(t *testing.T) {
	t.Parallel()
	var r *rig
	r = writer(t, calls(look("r", "a")), calls(put("1", "a", "A")), func(agent.Request) (agent.Reply, error) {
		r.write("a", "theirs")
		return calls(look("r2", "a")), nil
	}, calls(put("2", "a", "theirs and ours")), says("done"))
	r.write("a", "a")
	d := r.start(agent.Task{Mode: "build"}).wantStatus(agent.StatusFinished)
	_, err := r.undo(agent.Undo{RunID: d.runID})
	if !errors.Is(err, agent.ErrFilesChanged) || !d.state.Mixed("a") {
		t.Fatalf("error %v, mixed %t", err, d.state.Mixed("a"))
	}
	wantContains(t, err.Error(), "somebody else changed it too")
}

// The agent learns what was taken back, and may not overwrite what it has not
// read since.
func TestUndo_TellsTheAgent(t *testing.T) {
	t.Parallel()
	r := writer(t, calls(look("r", "a")), calls(put("1", "a", "A"), put("2", "b", "B")), says("done"),
		calls(put("3", "a", "again")), says("done"))
	r.write("a", "a")
	d := r.start(agent.Task{Mode: "build"}).wantStatus(agent.StatusFinished)
	if _, err := r.undo(agent.Undo{RunID: d.runID}); err != nil {
		t.Fatal(err)
	}
	d = drain(t, r.Send(t.Context(), "Go on", agent.Resume{RunID: d.runID})).wantStatus(agent.StatusFinished)
	asked := r.model.requests()[3].Messages
	note, next := asked[len(asked)-2].Text, asked[len(asked)-1].Text
	if want := "[The user took back changes you made. Put back: a. Removed: b. Read a file again before you rely on it.]"; note != want || next != "Go on" {
		t.Errorf("told %q and %q", note, next)
	}
	wantContains(t, results(t, d.events)["3"], "was not read in this run")
}

// A run that is being driven is not undone; nor is anything written in a dry
// run.
func TestUndo_RefusesALiveRun(t *testing.T) {
	t.Parallel()
	var r *rig
	var live error
	r = writer(t, calls(put("1", "a", "A")), func(req agent.Request) (agent.Reply, error) {
		runs, _ := r.cfg.Store.Runs(t.Context(), agent.RunQuery{})
		_, live = r.undo(agent.Undo{RunID: runs[0].ID})
		return says("done"), nil
	})
	d := r.start(agent.Task{Mode: "build"}).wantStatus(agent.StatusFinished)
	if !errors.Is(live, agent.ErrBusy) {
		t.Fatalf("undo of a live run: %v", live)
	}
	seq := r.load(d.runID).Seq
	done, err := r.undo(agent.Undo{RunID: d.runID, DryRun: true})
	if err != nil || len(done.Files) != 1 || done.Files[0].Action != agent.UndoRemove {
		t.Fatalf("dry run: %+v, %v", done, err)
	}
	if r.load(d.runID).Seq != seq || len(r.tree()) != 1 {
		t.Error("a dry run left something")
	}
}

// A content that holds a secret is not kept, so a file that had it cannot be
// put back, and one that has it now only by force.
func TestUndo_Secrets(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	mask := func(c *agent.Config) {
		c.Mask = func(data []byte) []byte { return bytes.ReplaceAll(data, []byte(secret), []byte("[secret PW]")) }
	}
	r := writer(t, calls(look("r", "a")), calls(put("1", "a", "A")), says("done"))
	r.rebuild(mask)
	r.write("a", secret)
	d := r.start(agent.Task{Mode: "build"}).wantStatus(agent.StatusFinished)
	_, err := r.undo(agent.Undo{RunID: d.runID, Force: true})
	wantContains(t, fmt.Sprint(err), "was not kept")
	if got := r.tree()["a"]; got != "0644 A" {
		t.Errorf("a holds %q", got)
	}

	r = writer(t, calls(put("1", "b", "key = ?")), says("done"))
	r.rebuild(mask)
	d = r.start(agent.Task{Mode: "build"}).wantStatus(agent.StatusFinished)
	r.write("b", "key = "+secret)
	_, err = r.undo(agent.Undo{RunID: d.runID})
	wantContains(t, fmt.Sprint(err), "changed since; it holds a secret now")
	if _, err := r.undo(agent.Undo{RunID: d.runID, Force: true}); err != nil || len(r.tree()) != 0 {
		t.Errorf("forced: %v, %q", err, r.tree())
	}
}

// A file that cannot be written is named; the others are done, and a repetition
// does the rest.
func TestUndo_AFaultOfOneFile(t *testing.T) {
	t.Parallel()
	r := writer(t, calls(look("r1", "a"), look("r2", "b")), calls(put("1", "a", "A"), put("2", "b", "B")), says("done"))
	r.write("a", "a")
	r.write("b", "b")
	before := r.tree()
	d := r.start(agent.Task{Mode: "build"}).wantStatus(agent.StatusFinished)
	done, err := r.undo(agent.Undo{RunID: d.runID, Files: fullDisk{path: "b"}})
	if err != nil || len(done.Files) != 1 || len(done.Failed) != 1 || done.Failed[0].Path != "b" {
		t.Fatalf("%+v, %v", done, err)
	}
	if done, err = r.undo(agent.Undo{RunID: d.runID}); err != nil || len(done.Files) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	r.wantTree("after both", before)
}

// fullDisk cannot write one path.
type fullDisk struct {
	tools.Files
	path string
}

func (f fullDisk) WriteFile(dir, path string, data []byte, perm fs.FileMode) error {
	if path == f.path {
		return errors.New("no space left on device")
	}
	return f.Files.WriteFile(dir, path, data, perm)
}
