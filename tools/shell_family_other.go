//go:build unix && !linux

package tools

import "syscall"

// signal signals the processes of the group, and says whether there was one. 0
// only looks. What left the group is not to be found here.
func (f family) signal(sig syscall.Signal) bool {
	return syscall.Kill(-f.group, sig) == nil
}
