package sandbox

import "io/fs"

// ownedByUser trusts the directory of the user's profile that these files lie
// in.
func ownedByUser(fs.FileInfo) bool { return true }
