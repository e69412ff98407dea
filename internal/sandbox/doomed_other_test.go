//go:build !linux

package sandbox

// doomed is an agent that is killed; only Linux has keepers.
func doomed(string) int { return 1 }
