package tools

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"syscall"
)

// signal signals every process of the family that lives, and says whether there
// was one. 0 only looks.
func (f family) signal(sig syscall.Signal) (found bool) {
	pids := processes()
	for _, pid := range pids {
		if f.left(pid) {
			found = f.signalStray(pid, sig) || found
		}
	}
	if f.groupLives(pids) { // signalled at once, so that none misses it
		_ = syscall.Kill(-f.group, sig) // they may be gone by now, which is well
		found = true
	}
	return found
}

// left reports whether the process carries the family's mark, but is not of
// its group.
func (f family) left(pid int) bool {
	environ, err := os.ReadFile(procFile(pid, "environ"))
	if err != nil || !bytes.Contains(environ, []byte(markVariable+"="+f.mark)) {
		return false // or another user's, which could not be signalled either
	}
	group, err := syscall.Getpgid(pid)
	return err == nil && group != f.group
}

// signalStray holds on to the process and looks at it again, since its number
// may have gone to another.
func (f family) signalStray(pid int, sig syscall.Signal) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }() // nothing waits for it
	return f.left(pid) && p.Signal(sig) == nil
}

// groupLives reports whether one of the processes is of the group and has not
// ended: one that has stays in it until somebody waits for it, which in a
// container may be never.
func (f family) groupLives(pids []int) bool {
	if syscall.Kill(-f.group, 0) != nil {
		return false
	}
	return slices.ContainsFunc(pids, func(pid int) bool {
		group, err := syscall.Getpgid(pid)
		return err == nil && group == f.group && !ended(pid)
	})
}

// ended reports whether the process is a zombie, or no more.
func ended(pid int) bool {
	stat, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return true
	}
	// pid (name) state …, where the name may hold anything.
	state := bytes.TrimSpace(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(state) == 0 || bytes.IndexByte([]byte("ZX"), state[0]) >= 0
}

func procFile(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

// processes are the numbers of all processes this one can see.
func processes() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // as many as there are
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
