//go:build !linux && !darwin

package sandbox

// candidates are none: this system has nothing for a program to confine what it
// starts that is not made for it.
func candidates(Config) []candidate { return nil }
