//go:build !linux

package sandbox

// ended is not asked on systems whose engines name no reaper.
func ended(int) bool { return true }
