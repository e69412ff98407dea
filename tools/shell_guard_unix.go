//go:build unix

package tools

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// guard is a process that waits beside a command, and kills the command's
// family if the agent ends first, however it does: a second Ctrl-C, a panic,
// kill -9. PR_SET_PDEATHSIG would not do: it reaches the shell alone, not what
// the shell started, and it hangs on the thread that made the process.
type guard struct {
	cmd  *exec.Cmd
	lead *os.File // the guard's input; the kernel closes it when the agent ends
}

// guarding reads the family to guard, then word that the command is over. What
// left the group is looked for twice, because it may start more meanwhile.
const guarding = `read -r group mark || exit 0
read -r over && exit 0
[ "$group" -gt 1 ] && [ -n "$mark" ] || exit 1
kill -s KILL -- "-$group"
for again in 1 2; do
	for environ in $(grep -lsF "$mark" /proc/[0-9]*/environ); do
		pid=${environ#/proc/}
		kill -s KILL "${pid%/environ}"
	done
done`

// newGuard starts a guard, in a session of its own: what a terminal sends to
// the agent does not reach it.
func newGuard() (*guard, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd := exec.Command("sh", "-c", guarding)
	cmd.Stdin, cmd.Dir, cmd.Env = r, "/", []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		_ = w.Close() // the first error is the one to tell
		return nil, err
	}
	return &guard{cmd: cmd, lead: w}, nil
}

// watch names the family of a command that has just begun.
func (g *guard) watch(f family) error {
	_, err := fmt.Fprintf(g.lead, "%d %s=%s\n", f.group, markVariable, f.mark)
	return err
}

// end dismisses the guard: the command is over, or was never begun. What
// becomes of the guard changes nothing any more.
func (g *guard) end() {
	_, _ = fmt.Fprintln(g.lead, "over")
	_ = g.lead.Close()
	_ = g.cmd.Wait()
}
