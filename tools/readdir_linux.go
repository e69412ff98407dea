package tools

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// entriesOf reads a directory with the kinds of its entries as the kernel tells
// them. The standard library looks at each entry of a directory in an os.Root
// once more, which takes longer than all the rest.
func entriesOf(dir *os.Root) ([]dirEntry, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var entries []dirEntry
	buf := make([]byte, 16<<10)
	for {
		n, err := unix.Getdents(int(f.Fd()), buf)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || n == 0:
			return entries, err
		}
		for rest := buf[:n]; len(rest) > 0; {
			var e dirEntry
			e, rest = nextDirent(rest)
			if e.name == "." || e.name == ".." {
				continue
			}
			if e.typ == fs.ModeIrregular {
				info, err := dir.Lstat(e.name)
				if err != nil {
					continue // gone
				}
				e.typ = info.Mode().Type()
			}
			entries = append(entries, e)
		}
	}
}

// nextDirent takes the first struct linux_dirent64 (getdents64(2)): inode and
// offset of 8 bytes each, the record's length, a byte for the kind, the name.
// The kind is fs.ModeIrregular where the file system does not tell.
func nextDirent(buf []byte) (dirEntry, []byte) {
	record, rest := buf[:binary.NativeEndian.Uint16(buf[16:])], buf[binary.NativeEndian.Uint16(buf[16:]):]
	name, _, _ := bytes.Cut(record[19:], []byte{0})
	e := dirEntry{name: string(name)}
	switch record[18] {
	case unix.DT_REG:
	case unix.DT_DIR:
		e.typ = fs.ModeDir
	case unix.DT_LNK:
		e.typ = fs.ModeSymlink
	case unix.DT_FIFO:
		e.typ = fs.ModeNamedPipe
	case unix.DT_SOCK:
		e.typ = fs.ModeSocket
	case unix.DT_BLK:
		e.typ = fs.ModeDevice
	case unix.DT_CHR:
		e.typ = fs.ModeDevice | fs.ModeCharDevice
	default:
		e.typ = fs.ModeIrregular
	}
	return e, rest
}
