//go:build linux || darwin

package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/report"
)

// TestWait_stopped: a wait that a signal ends tells the run as it stands, with
// the code of the signal, which is no fault of the run.
func TestWait_stopped(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	words := strings.Fields(b.everyStatus().Replace("wait {running} --output json --result r.json"))
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		code, said := exiting{signal: sig}.ends(b, words)
		if code != exit.OfSignal(sig) {
			t.Errorf("%v: exit code %d, want %d\n%s", sig, code, exit.OfSignal(sig), said)
		}
		data, err := os.ReadFile(filepath.Join(b.dir, "r.json"))
		if err != nil {
			t.Fatalf("%v: no result: %v\n%s", sig, err, said)
		}
		if !strings.HasSuffix(said, string(data)) {
			t.Errorf("%v: the result holds\n%s\nand it said\n%s", sig, data, said)
		}
		var r report.Final
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
		if r.RunID != words[1] || r.Status != agent.StatusRunning || r.ExitCode != code || r.Error != nil {
			t.Errorf("%v: run %s is %s, code %d, error %v", sig, r.RunID, r.Status, r.ExitCode, r.Error)
		}
	}
}
