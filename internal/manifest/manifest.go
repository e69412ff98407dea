// Package manifest takes down what a directory tree looks like, so that a later
// look can tell what was touched in between: for each file its size, times,
// mode and inode, and its content's digest where these differ from the manifest
// before. Nothing is read of a file that was not touched.
//
// All files count, ignored ones too. Of a .git directory only what decides what
// git does next is taken: HEAD, config, refs, packed-refs, hooks, info. Of
// directories only name and mode: their times change with every file in them.
package manifest

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// Entry is a file, a directory or a link. Two looks with equal entries saw a
// file that nobody wrote between them, as far as the system keeps times.
type Entry struct {
	Path  string      // from the root of the tree, with slashes
	Mode  fs.FileMode // type and permission bits
	Size  int64       // bytes, of a regular file
	MTime int64       // nanoseconds; when the content was changed
	CTime int64       // likewise, content, mode or name; 0 where the system has none
	Inode uint64      // 0 where the system has none
	Sum   string      // hexadecimal SHA-256 of content or link target; "" if it was not read
}

// touched reports whether anything but Sum differs.
func (e Entry) touched(other Entry) bool {
	e.Sum, other.Sum = "", ""
	return e != other
}

// Inode is the number by which the system knows a file; 0 where it has none.
func Inode(info fs.FileInfo) uint64 {
	_, inode := system(info)
	return inode
}

// Manifest is a tree at one moment. Entries are sorted by path, and not altered
// any more once Text was asked for. It is not safe for concurrent use.
type Manifest struct {
	Entries []Entry
	text    []byte
}

// ErrTooLarge is a tree with more entries than were asked for, or one that took
// too long.
var ErrTooLarge = errors.New("too large to be surveyed")

// Files returns how many regular files there are, and their size in bytes.
func (m *Manifest) Files() (n, bytes int64) {
	for _, e := range m.Entries {
		if e.Mode.IsRegular() {
			n, bytes = n+1, bytes+e.Size
		}
	}
	return n, bytes
}

// Kind says how an entry differs.
type Kind string

// Kinds of differences.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed" // another content, size or type
	Mode    Kind = "mode"    // only other permission bits
	// Touched is an entry that was written, replaced or renamed over, though
	// its size is the same; what it held before is not known.
	Touched Kind = "touched"
)

// Difference is one entry that is not as it was.
type Difference struct {
	Path string `json:"path"`
	Kind Kind   `json:"kind"`
}

// Compare says what differs from before to after, by path. A file that was
// touched and is known to hold what it held does not.
func Compare(before, after *Manifest) []Difference {
	diffs := []Difference{}
	each(before.Entries, after.Entries, func(was, is *Entry) {
		if d, ok := difference(was, is); ok {
			diffs = append(diffs, d)
		}
	})
	return diffs
}

// each visits two sorted lists side by side; of what only one has, the other is
// nil.
func each(before, after []Entry, visit func(was, is *Entry)) {
	for i, j := 0, 0; i < len(before) || j < len(after); {
		order := -1
		switch {
		case i == len(before):
			order = 1
		case j < len(after):
			order = strings.Compare(before[i].Path, after[j].Path)
		}
		switch order {
		case -1:
			visit(&before[i], nil)
			i++
		case 1:
			visit(nil, &after[j])
			j++
		default:
			visit(&before[i], &after[j])
			i, j = i+1, j+1
		}
	}
}

func difference(was, is *Entry) (Difference, bool) {
	switch {
	case was == nil:
		return Difference{is.Path, Added}, true
	case is == nil:
		return Difference{was.Path, Removed}, true
	case !was.touched(*is):
		return Difference{}, false
	case was.Mode.Type() != is.Mode.Type() || was.Size != is.Size || was.Sum != "" && is.Sum != "" && was.Sum != is.Sum:
		return Difference{is.Path, Changed}, true
	case was.Mode != is.Mode:
		return Difference{is.Path, Mode}, true
	case was.Sum == "" || is.Sum == "":
		return Difference{is.Path, Touched}, true
	}
	return Difference{}, false
}

func sorted(entries []Entry) []Entry {
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return entries
}
