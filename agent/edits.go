package agent

import (
	"fmt"
	"slices"
	"strings"
)

// edits is what became of the files a run's tools changed.
type edits struct {
	files  []*edited // in the order of the first change
	byPath map[string]*edited
	undos  []UndoPayload         // that were not taken back, oldest first
	open   map[string]FileChange // by path: of undos that began and of whose end nothing is known
}

// edited is a file from before the first change to after the last. One that
// was put back has no entry: the next change is a first one again.
type edited struct {
	FileChange
	mixed bool // somebody else changed it between two changes
}

// Changes returns the files that are not as they were before the run's tools
// first changed them, in the order of the first change: Before and Mode are
// from before it, After is from after the last change ("" if the file was
// removed). Blobs of the store hold the contents, but for those with secrets.
func (st *State) Changes() []FileChange {
	changes := []FileChange{}
	for _, f := range st.edits.files {
		changes = append(changes, f.FileChange)
	}
	return changes
}

// Mixed reports whether somebody else changed a file between two changes of
// the run, so that Changes shows theirs as well.
func (st *State) Mixed(path string) bool {
	f := st.edits.byPath[path]
	return f != nil && f.mixed
}

// Undone returns what can be redone: the files of the last undo that was not
// taken back.
func (st *State) Undone() []FileChange {
	if n := len(st.edits.undos); n > 0 {
		return slices.Clone(st.edits.undos[n-1].Files)
	}
	return []FileChange{}
}

// add takes one more change in.
func (ed *edits) add(c FileChange) {
	delete(ed.open, c.Path)
	f := ed.byPath[c.Path]
	if f == nil {
		if ed.byPath == nil {
			ed.byPath = map[string]*edited{}
		}
		f = &edited{FileChange: c}
		ed.byPath[c.Path] = f
		ed.files = append(ed.files, f)
	} else {
		f.mixed = f.mixed || f.After != c.Before
		f.After = c.After
	}
	if f.Before == f.After {
		delete(ed.byPath, c.Path)
		ed.files = slices.DeleteFunc(ed.files, func(g *edited) bool { return g == f })
	}
}

func fileIn(changes []FileChange, path string) (FileChange, bool) {
	i := slices.IndexFunc(changes, func(c FileChange) bool { return c.Path == path })
	if i < 0 {
		return FileChange{}, false
	}
	return changes[i], true
}

// reversed is a change and what is left by taking it back.
type reversed struct {
	FileChange
	expected string // what the file holds if nobody changed it since
	target   string // what it is to hold
	mode     string // permission bits it is to have
	mixed    bool
}

// reversal returns what there is to take back, the last first.
func (ed *edits) reversal(redo bool) []reversed {
	var list []reversed
	if redo {
		if n := len(ed.undos); n > 0 {
			for _, c := range ed.undos[n-1].Files {
				list = append(list, reversed{FileChange: c, expected: c.After, target: c.Before, mode: c.Mode})
			}
		}
		return list
	}
	for _, f := range slices.Backward(ed.files) {
		list = append(list, reversed{FileChange: f.FileChange, expected: f.After, target: f.Before, mode: f.Mode, mixed: f.mixed})
	}
	return list
}

// foldUndoStarted forgets what the agent has seen of the files, and tells it:
// whatever becomes of the undo, they are not what it read.
func (st *State) foldUndoStarted(_ Event, p UndoPayload) error {
	if st.edits.open == nil {
		st.edits.open = map[string]FileChange{}
	}
	for _, c := range p.Files {
		st.edits.open[c.Path] = c
		delete(st.seen, c.Path)
	}
	st.note(undoNote(p))
	return nil
}

func (st *State) foldUndo(_ Event, p UndoPayload) error {
	for _, c := range p.Files {
		st.edits.add(c)
		delete(st.seen, c.Path)
	}
	var failed []string
	for _, f := range p.Failed {
		delete(st.edits.open, f.Path)
		failed = append(failed, f.Path)
	}
	if len(failed) > 0 {
		st.note("These could not be written and are as they were: " + listed(failed) + ".")
	}
	switch {
	case p.Redo:
		st.edits.redone(p)
	case len(p.Files) > 0:
		st.edits.undos = append(st.edits.undos, p)
	}
	return nil
}

// redone takes the files of a redo out of the undo it took back.
func (ed *edits) redone(p UndoPayload) {
	n := len(ed.undos)
	if n == 0 {
		return
	}
	last := ed.undos[n-1]
	last.Files = slices.DeleteFunc(slices.Clone(last.Files), func(c FileChange) bool {
		_, back := fileIn(p.Files, c.Path)
		return back
	})
	ed.undos[n-1] = last
	if len(last.Files) == 0 {
		ed.undos = ed.undos[:n-1]
	}
}

// note tells the agent what happened beside its own work, when it goes on.
func (st *State) note(text string) {
	m := Message{Role: RoleUser, Text: "[" + text + "]"}
	if st.step != nil && st.step.replied {
		st.queued = append(st.queued, m)
		return
	}
	st.messages = append(st.messages, m)
}

// undoNote is what the agent reads of an undo.
func undoNote(p UndoPayload) string {
	var put, removed []string
	for _, c := range p.Files {
		if c.After == "" {
			removed = append(removed, c.Path)
			continue
		}
		put = append(put, c.Path)
	}
	words := []string{"The user took back changes you made."}
	if p.Redo {
		words[0] = "The user brought back changes of yours that had been taken back."
	}
	if len(put) > 0 {
		words = append(words, "Put back: "+listed(put)+".")
	}
	if len(removed) > 0 {
		words = append(words, "Removed: "+listed(removed)+".")
	}
	return strings.Join(append(words, "Read a file again before you rely on it."), " ")
}

// maxListed is how many paths a note names.
const maxListed = 40

func listed(paths []string) string {
	more := ""
	if n := len(paths) - maxListed; n > 0 {
		paths, more = paths[:maxListed], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(paths, ", ") + more
}
