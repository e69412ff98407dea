package sandbox

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// access is what a command may do at a place of the file system. A later one
// wins over an earlier one at the same place.
type access int

const (
	readable access = iota
	writable
	pinned // writable, and neither moved nor removed
	fixed  // readable, and neither written, moved nor removed
	hidden
)

// mount is a place with an access of its own.
type mount struct {
	path   string
	access access
	dir    bool
}

// mounts are the places of p that need one of their own, parents before what
// lies in them. What is missing cannot have one.
func (p policy) mounts() []mount {
	want := map[string]access{}
	put := func(a access, paths ...string) {
		for _, path := range paths {
			want[path] = max(want[path], a)
		}
	}
	put(readable, realPath(p.dir))
	put(writable, p.write...)
	put(writable, p.private.caches)
	put(pinned, p.pinned...)
	put(fixed, existing(p.protect)...)
	put(hidden, existing(p.hide)...)
	put(hidden, p.mask...)
	var out []mount
	for _, path := range slices.Sorted(maps.Keys(want)) {
		info, err := os.Stat(path)
		inHidden := slices.ContainsFunc(out, func(m mount) bool { return m.access == hidden && within(path, m.path) })
		if err != nil || inHidden {
			continue
		}
		out = append(out, mount{path: path, access: want[path], dir: info.IsDir()})
	}
	return out
}

// kept are the places below dirs, which are hidden, that a command needs all
// the same: programs and its home, the configuration of names, and where some
// systems keep all their programs.
func kept(dirs []string, pathVar, home string) []string {
	want := append(filepath.SplitList(pathVar), home, "/etc/resolv.conf", "/run/current-system", "/run/booted-system")
	var out []string
	for _, p := range want {
		real, err := filepath.EvalSymlinks(p)
		if err != nil || !filepath.IsAbs(p) {
			continue
		}
		for _, place := range []string{filepath.Clean(p), real} {
			if slices.ContainsFunc(dirs, func(dir string) bool { return place != dir && within(place, dir) }) {
				out = append(out, place)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// socketsIn are the sockets of other programs that lie in the file system, as
// the kernel lists them in table: whoever may connect to one asks a program
// outside to act for it.
func socketsIn(table string) []string {
	var out []string
	for line := range strings.Lines(table) {
		_, path, ok := strings.Cut(line, " /")
		if !ok {
			continue
		}
		path = "/" + strings.TrimSuffix(path, "\n")
		if info, err := os.Lstat(path); err == nil && info.Mode().Type() == os.ModeSocket {
			out = append(out, path)
		}
	}
	slices.SortFunc(out, cmp.Compare)
	return slices.Compact(out)
}
