package runstore

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// networkFS returns the name of the network file system dir lies on, "" if it
// is a local one or cannot be told.
func networkFS(dir string) string {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	if err != nil || windows.GetDriveType(root) != windows.DRIVE_REMOTE {
		return ""
	}
	return "remote drive"
}
