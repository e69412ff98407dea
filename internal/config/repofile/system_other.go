//go:build !unix

package repofile

import "io/fs"

const nonblock = 0

// owner is not known here.
func owner(fs.FileInfo) (uint32, bool) { return 0, false }
