package sandbox

import (
	"slices"
	"strconv"
)

// Files that bubblewrap is given, by their numbers in it.
const (
	filterFile = 3 + iota // the system calls that are refused
	statusFile            // what becomes of the command
	aliveFile             // closed when nothing of the command lives any more
)

// bubblewrapArgs are the arguments of bubblewrap that confine a command to p.
// Sockets are hidden beside what p hides. PathVar is the command's PATH, home
// its home directory.
func bubblewrapArgs(p policy, sockets []string, pathVar, home string) []string {
	args := []string{
		"--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL",
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run",
	}
	if !p.network {
		args = slices.Insert(args, 0, "--unshare-net")
	}
	for _, temp := range temporary() {
		args = append(args, "--bind", p.private.temp, temp)
	}
	for _, place := range kept(append(temporary(), "/run"), pathVar, home) {
		args = append(args, "--ro-bind", place, place)
	}
	for _, m := range p.mounts() {
		args = append(args, m.args()...)
	}
	for _, s := range sockets {
		args = append(args, mount{path: s, access: hidden}.args()...)
	}
	return append(args, "--remount-ro", "/run", "--chdir", p.dir,
		"--seccomp", strconv.Itoa(filterFile), "--json-status-fd", strconv.Itoa(statusFile), "--sync-fd", strconv.Itoa(aliveFile), "--")
}

// temporary are the directories that programs use for temporary files unasked.
func temporary() []string {
	dirs := existing(eachReal([]string{"/tmp", "/var/tmp"}))
	return slices.DeleteFunc(dirs, func(d string) bool {
		return slices.ContainsFunc(dirs, func(other string) bool { return d != other && within(d, other) })
	})
}

func (m mount) args() []string {
	switch {
	case m.access == hidden && m.dir:
		return []string{"--tmpfs", m.path, "--remount-ro", m.path}
	case m.access == hidden: // a device on a file system without devices
		return []string{"--ro-bind", "/dev/null", m.path}
	case m.access == writable || m.access == pinned:
		return []string{"--bind", m.path, m.path}
	}
	return []string{"--ro-bind", m.path, m.path}
}
