//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package terminal

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

// typed is FREAD of sys/fcntl.h: the input side of a terminal.
const typed = 1

// dropTyped drops what was typed on a terminal and not read.
func dropTyped(fd int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, typed) }
