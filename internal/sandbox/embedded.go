package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/internal/gitdir"
)

// maxEmbedded is how deep repositories in repositories are followed.
const maxEmbedded = 4

// embedded watches which repositories the index of another one names. Where git
// is asked for the state of a repository it looks into these too, and runs what
// their configuration says.
type embedded struct {
	top, gitDir string
	indexes     map[string][]byte // by git directory, as they were; nil: none
	known       []string          // the directories named before: they are protected
}

// embed takes up the repositories that the index in gitDir names.
func (r *repository) embed(top, gitDir string, depth int) {
	index, _ := gitdir.ReadFile(filepath.Join(gitDir, "index")) // a new repository has none
	r.indexes[gitDir] = index
	for _, link := range gitlinks(gitDir, index) {
		at := filepath.Join(top, link)
		r.known = append(r.known, at)
		inner := filepath.Join(at, ".git")
		if info, err := os.Lstat(inner); err == nil && !info.IsDir() {
			r.protect = append(r.protect, inner)
		} else {
			r.protect = append(r.protect, guarded(inner)...)
			r.protect = append(r.protect, inner+"/commondir")
		}
		if depth < maxEmbedded {
			r.embed(at, gitDirOf(at), depth+1)
		}
	}
}

// restore puts back an index that names a repository it did not name before,
// and of which more is known than what git makes of a new one. It names what it
// put back.
func (e *embedded) restore() (restored []string, err error) {
	if e == nil || e.gitDir == "" {
		return nil, nil
	}
	return e.check(e.top, e.gitDir, 0)
}

func (e *embedded) check(top, gitDir string, depth int) (restored []string, err error) {
	path := filepath.Join(gitDir, "index")
	index, _ := gitdir.ReadFile(path) // what is not there names nothing
	for _, link := range gitlinks(gitDir, index) {
		at := filepath.Join(top, link)
		if depth == maxEmbedded || !slices.Contains(e.known, at) && !fresh(filepath.Join(at, ".git")) {
			return []string{path}, putIndex(path, e.indexes[gitDir])
		}
		inner, one := e.check(at, gitDirOf(at), depth+1)
		restored, err = append(restored, inner...), errors.Join(err, one)
	}
	return restored, err
}

func putIndex(path string, was []byte) error {
	err := os.Remove(path)
	if err == nil && was != nil {
		err = os.WriteFile(path, was, 0o644)
	}
	if err != nil {
		return fmt.Errorf("put %s back: %w", path, err)
	}
	return nil
}

// fresh reports whether a git directory is missing, or has nothing that git
// would run.
func fresh(gitDir string) bool {
	info, err := os.Lstat(gitDir)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if !info.IsDir() {
		return false
	}
	for _, path := range append(guarded(gitDir), filepath.Join(gitDir, "commondir")) {
		if _, err := os.Lstat(path); err == nil && !harmless(path) {
			return false
		}
	}
	return true
}

// gitDirOf is the git directory of a repository that lies in another one.
func gitDirOf(dir string) string {
	dotGit := filepath.Join(dir, ".git")
	data, err := gitdir.ReadFile(dotGit)
	if err != nil {
		return dotGit // a directory
	}
	return realPath(absoluteFrom(dir, strings.TrimPrefix(strings.TrimSpace(string(data)), "gitdir: ")))
}

// gitlinks are the directories of repositories that an index names, those in
// the files it shares entries with too.
func gitlinks(gitDir string, index []byte) []string {
	out := linksIn(index)
	if bytes.Contains(index, []byte("link")) {
		shared, _ := filepath.Glob(filepath.Join(gitDir, "sharedindex.*")) // the pattern is well-formed
		for _, path := range shared {
			data, _ := gitdir.ReadFile(path) // git could not read it either
			out = append(out, linksIn(data)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// gitlink is the mode of an entry that is a repository.
const gitlink = 0o160000

func linksIn(index []byte) []string {
	if len(index) < 12 || !bytes.Contains(index, binary.BigEndian.AppendUint32(nil, gitlink)) {
		return nil
	}
	return append(entriesIn(index, 20), entriesIn(index, 32)...) // SHA-1 and SHA-256
}

// entriesIn reads the entries of an index as gitformat-index has them and gives
// those that are repositories. It ends where it does not understand one.
func entriesIn(index []byte, hash int) []string {
	var out []string
	version, count := binary.BigEndian.Uint32(index[4:]), binary.BigEndian.Uint32(index[8:])
	name := ""
	at := 12
	for range count {
		start := at
		if at+40+hash+2 > len(index) {
			break
		}
		mode := binary.BigEndian.Uint32(index[at+24:])
		extended := index[at+40+hash]&0x40 != 0
		at += 40 + hash + 2
		if extended {
			at += 2
		}
		if version == 4 {
			drop, n := prefixLength(index[min(at, len(index)):])
			if n == 0 || drop > len(name) {
				break
			}
			name, at = name[:len(name)-drop], at+n
		} else {
			name = ""
		}
		end := bytes.IndexByte(index[min(at, len(index)):], 0)
		if end < 0 {
			break
		}
		name += string(index[at : at+end])
		at += end + 1
		if version < 4 {
			at = start + (at-1-start)/8*8 + 8 // at least one NUL, up to a multiple of 8
		}
		if mode == gitlink && filepath.IsLocal(name) {
			out = append(out, name)
		}
	}
	return out
}

// prefixLength is a number as version 4 of the index has it, and how many bytes
// it takes; 0: none.
func prefixLength(b []byte) (value, n int) {
	for i, c := range b {
		if i == 0 {
			value = int(c & 0x7f)
		} else {
			value = (value+1)<<7 | int(c&0x7f)
		}
		if c&0x80 == 0 {
			return value, i + 1
		}
		if i == 4 {
			break
		}
	}
	return 0, 0
}
