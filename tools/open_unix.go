//go:build unix

package tools

import "syscall"

// openNoWait keeps the opening of a pipe from waiting for its other end.
const openNoWait = syscall.O_NONBLOCK
