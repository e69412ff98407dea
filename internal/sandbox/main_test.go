package sandbox

import (
	"os"
	"syscall"
	"testing"
)

// The test program is its own child, as the agent is; and where a test says
// so, an agent that is about to be killed.
func TestMain(m *testing.M) {
	if code, ok := Child(os.Args); ok {
		syscall.Exit(code) // os.Exit takes a second with the race detector
	}
	if root := os.Getenv(doomedVariable); root != "" {
		os.Exit(doomed(root))
	}
	os.Exit(m.Run())
}

// doomedVariable names the directory a doomed agent works in.
const doomedVariable = "TEST_DOOMED_AGENT"
