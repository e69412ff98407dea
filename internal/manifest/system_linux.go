package manifest

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// system returns what only the system knows of a file.
func system(info fs.FileInfo) (ctime int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano(), st.Ino
	}
	return 0, 0
}

// entryIn looks at a name in a directory. To ask relative to the directory
// spares the kernel the way to it, which is a third of a survey's time.
func entryIn(dir *os.File, item fs.DirEntry, rel string) (Entry, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(int(dir.Fd()), item.Name(), &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Entry{}, err
	}
	e := Entry{Path: rel, Mode: modeOf(st.Mode)}
	if e.Mode.IsDir() {
		return e, nil
	}
	if e.Mode.IsRegular() {
		e.Size = st.Size
	}
	e.MTime, e.CTime, e.Inode = st.Mtim.Nano(), st.Ctim.Nano(), st.Ino
	return e, nil
}

// modeOf is the system's mode as package os gives it.
func modeOf(bits uint32) fs.FileMode {
	mode := fs.FileMode(bits & 0o777)
	switch bits & unix.S_IFMT {
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	}
	if bits&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if bits&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if bits&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}
