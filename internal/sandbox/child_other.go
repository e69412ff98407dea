//go:build !linux

package sandbox

// Child runs this process as the child of a sandbox if it was started as one.
// On this system there are none.
func Child([]string) (code int, ok bool) { return 0, false }
