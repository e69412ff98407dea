package runstore

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// networkFS returns the name of the network file system dir lies on, "" if it
// is a local one or cannot be told.
func networkFS(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return ""
	}
	magic := uint32(st.Type) // some architectures sign it
	if magic != fuseMagic {
		return networkMagic(magic)
	}
	var node unix.Stat_t
	if unix.Stat(dir, &node) != nil {
		return ""
	}
	mounts, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	defer func() { _ = mounts.Close() }()
	device := fmt.Sprintf("%d:%d", unix.Major(node.Dev), unix.Minor(node.Dev))
	return networkFUSE(fuseType(bufio.NewScanner(mounts), device))
}

const fuseMagic = 0x65735546

// networkMagic names the network and cluster file systems by the numbers of
// statfs(2). 9p is left out: it is also how virtual machines and containers
// see their own host's disk.
func networkMagic(magic uint32) string {
	switch magic {
	case 0x6969:
		return "nfs"
	case 0x517b, 0xff534d42, 0xfe534d42:
		return "smb"
	case 0x564c:
		return "ncp"
	case 0x5346414f, 0x6b414653:
		return "afs"
	case 0x73757245:
		return "coda"
	case 0x00c36400:
		return "ceph"
	case 0x0bd00bd0:
		return "lustre"
	case 0x47504653:
		return "gpfs"
	case 0x19830326:
		return "beegfs"
	}
	return ""
}

// fuseType finds the type of the mount of a device ("fuse.sshfs") in the
// format of /proc/self/mountinfo, see proc(5).
func fuseType(mounts *bufio.Scanner, device string) string {
	for mounts.Scan() {
		before, after, ok := strings.Cut(mounts.Text(), " - ")
		fields := strings.Fields(before)
		if !ok || len(fields) < 3 || fields[2] != device {
			continue
		}
		kind, _, _ := strings.Cut(after, " ")
		return kind
	}
	return ""
}

// networkFUSE returns the type if it is known to reach over a network. Most
// file systems in user space are local ones (encryption, unions, NTFS).
func networkFUSE(kind string) string {
	switch strings.TrimPrefix(kind, "fuse.") {
	case "sshfs", "s3fs", "rclone", "gcsfuse", "blobfuse", "blobfuse2", "glusterfs", "davfs", "davfs2",
		"curlftpfs", "smbnetfs", "ceph-fuse", "cephfs", "juicefs", "JuiceFS", "goofys", "mount-s3", "seaweedfs":
		return kind
	}
	return ""
}
