package sandbox

import (
	"os"
	"testing"
)

// The test program is its own child, as the agent is.
func TestMain(m *testing.M) {
	if code, ok := Child(os.Args); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
