package sandbox

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// descendants are the children of a process, their children, and so on. One
// whose parent has ended is a child of the process, if that is their reaper.
func descendants(pid int) []int {
	children := map[int][]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if child, err := strconv.Atoi(e.Name()); err == nil {
			parent := parentOf(child)
			children[parent] = append(children[parent], child)
		}
	}
	var out []int
	for todo := children[pid]; len(todo) > 0; todo = todo[1:] {
		out = append(out, todo[0])
		todo = append(todo, children[todo[0]]...)
	}
	return out
}

// parentOf is the parent of a process; 0 if it has ended.
func parentOf(pid int) int {
	fields := statusFields(pid)
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1]) // the kernel writes numbers
	return parent
}

// ended reports whether a process has ended, whether or not somebody waited
// for it.
func ended(pid int) bool {
	fields := statusFields(pid)
	return len(fields) == 0 || fields[0] == "Z" || fields[0] == "X"
}

// waitEnded waits for the end of a process that need not be a child, as long as
// patience.
func waitEnded(pid int, patience time.Duration) bool {
	limit := time.Now().Add(patience)
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil { // it is gone, or the kernel is too old
		for !ended(pid) && time.Now().Before(limit) {
			<-time.After(time.Millisecond)
		}
		return ended(pid)
	}
	defer unix.Close(fd)
	for wait := patience; wait > 0; wait = time.Until(limit) {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(wait.Milliseconds())+1)
		if n > 0 {
			return true
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			break
		}
	}
	return ended(pid)
}

// statusFields are what the kernel says of a process after its name: its state,
// its parent, and so on.
func statusFields(pid int) []string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	// pid (name) state parent …, where the name may hold anything.
	text := string(stat)
	return strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
}
