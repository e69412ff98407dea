package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rules are the system calls that are refused beside those that always are.
type rules struct {
	NoUnix     bool `json:"noUnix"`     // no sockets that lie in the file system
	NoNetwork  bool `json:"noNetwork"`  // no sockets of any kind
	NoMetadata bool `json:"noMetadata"` // modes, owners, times and attributes of files stay
}

// filter is a program for the kernel that looks at each system call.
type filter []unix.SockFilter

// Where the kernel puts what a filter looks at: struct seccomp_data.
const (
	callNumber = 0
	callArch   = 4
	firstArg   = 16
	secondArg  = 24
)

// seccompWorks reports whether there are filters for this processor.
const seccompWorks = runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"

// refused are the calls that no command may make: io_uring does what other
// calls do unseen by filters, and keys of the kernel are the user's.
func (r rules) refused() []uint32 {
	calls := []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL}
	if r.NoMetadata {
		calls = append(calls, metadataCalls()...)
	}
	return calls
}

// metadataCalls change what the kernel keeps about a file, and Landlock does
// not look at them.
func metadataCalls() []uint32 {
	return append(oldMetadataCalls(),
		unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
		unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
		unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR)
}

// refusedIoctls let a command type into a terminal, and, for files, change
// what the kernel keeps about them.
func (r rules) refusedIoctls() []uint32 {
	calls := []uint32{unix.TIOCSTI, unix.TIOCLINUX}
	if r.NoMetadata {
		calls = append(calls, unix.FS_IOC_SETFLAGS, 0x40046602, 0x401c5820) // FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR
	}
	return calls
}

// families are the kinds of sockets a command may make. What is not in a
// network namespace, such as the line from a virtual machine to its host, is in
// none of the lists.
func (r rules) families() []uint32 {
	switch {
	case r.NoNetwork:
		return nil
	case r.NoUnix:
		return []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
	}
	return []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK, unix.AF_UNIX}
}

// filterFor is the filter of r; empty where there is none for the processor.
func filterFor(r rules) filter {
	if !seccompWorks {
		return filter{give(unix.SECCOMP_RET_ALLOW)}
	}
	refuse := give(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	unknown := give(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS))
	f := filter{load(callArch), skip(unix.BPF_JEQ, auditArch, 1), unknown, load(callNumber)}
	if runtime.GOARCH == "amd64" { // the calls of x32 have this bit
		f = append(f, skipUnless(unix.BPF_JGE, 1<<30, 1), unknown)
	}
	for _, call := range r.refused() {
		f = append(f, skipUnless(unix.BPF_JEQ, call, 1), refuse)
	}
	ioctl := filter{load(secondArg)}
	for _, number := range r.refusedIoctls() {
		ioctl = append(ioctl, skipUnless(unix.BPF_JEQ, number, 1), refuse)
	}
	f = f.on(unix.SYS_IOCTL, append(ioctl, give(unix.SECCOMP_RET_ALLOW)))
	socket := filter{load(firstArg)}
	for _, family := range r.families() {
		socket = append(socket, skipUnless(unix.BPF_JEQ, family, 1), give(unix.SECCOMP_RET_ALLOW))
	}
	f = f.on(unix.SYS_SOCKET, append(socket, refuse))
	return append(f, give(unix.SECCOMP_RET_ALLOW))
}

// on appends what is to be done for one call.
func (f filter) on(call uint32, do filter) filter {
	return append(append(f, skipUnless(unix.BPF_JEQ, call, len(do))), do...)
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func give(result uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: result}
}

// skip passes over n instructions if the comparison holds, skipUnless if it
// does not.
func skip(compare uint16, with uint32, n int) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | compare, K: with, Jt: uint8(n)}
}

func skipUnless(compare uint16, with uint32, n int) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | compare, K: with, Jf: uint8(n)}
}

// bytes is the filter as programs pass it on.
func (f filter) bytes() []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.NativeEndian, []unix.SockFilter(f)) // a buffer takes everything
	return b.Bytes()
}

// install sets the filter for the calling thread and what it starts.
func (f filter) install() error {
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("set filter of system calls: %w", errno)
	}
	return nil
}

// memoryFile is a file that lies nowhere, and holds data.
func memoryFile(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make file in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err = f.Write(data); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = f.Close() // the first error is the one to tell
		return nil, fmt.Errorf("fill file in memory: %w", err)
	}
	return f, nil
}
