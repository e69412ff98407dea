package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// candidates are bubblewrap, which can do all that is wanted, and Landlock.
func candidates(cfg Config) []candidate {
	return []candidate{
		{Bubblewrap, func() ([]engine, string, error) {
			b, err := bubblewrapHere(cfg.Path)
			return []engine{b}, markOf(machine(), fileMark(b.program)), err
		}},
		{Landlock, func() ([]engine, string, error) {
			l, err := landlockHere(cfg.Program)
			own := l
			own.netns = true
			return []engine{own, l}, markOf(machine(), fileMark(cfg.Program)), err
		}},
	}
}

// machine changes with the kernel, each time it is started, and with what it
// lets users do.
func machine() string {
	var name unix.Utsname
	_ = unix.Uname(&name) // cannot fail with memory of ours
	out := fmt.Sprint("1 ", os.Geteuid(), unix.ByteSliceToString(name.Release[:]), unix.ByteSliceToString(name.Version[:]))
	for _, file := range []string{
		"/proc/sys/kernel/random/boot_id", "/proc/sys/user/max_user_namespaces", "/proc/sys/user/max_net_namespaces",
		"/proc/sys/kernel/unprivileged_userns_clone", "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
	} {
		data, _ := os.ReadFile(file) // some systems lack some of them
		out += "\n" + string(data)
	}
	return out
}
