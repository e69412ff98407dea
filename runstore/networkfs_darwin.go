package runstore

import "golang.org/x/sys/unix"

// networkFS returns the name of the network file system dir lies on, "" if it
// is a local one or cannot be told.
func networkFS(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil || st.Flags&unix.MNT_LOCAL != 0 {
		return ""
	}
	return unix.ByteSliceToString(st.Fstypename[:])
}
