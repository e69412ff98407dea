package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// bubblewrap confines commands with the program of that name: namespaces of
// their own for the file system, processes and the network.
type bubblewrap struct {
	program string
}

func (b bubblewrap) detail() string {
	out, err := exec.Command(b.program, "--version").Output()
	if err != nil {
		return b.program
	}
	return strings.TrimSpace(strings.TrimPrefix(string(out), "bubblewrap")) + ", " + b.program
}

func (bubblewrap) limits() limits {
	l := limits{
		readOnly: seccompWorks, network: true,
		enforced: []string{
			"writes outside the workspace, its repository, private caches and sandbox.write are impossible",
			"in modes that may not write, every write but to private temporary files and caches is impossible",
			"hooks and configuration of git, and of the agent, cannot be written or moved away",
			"the agent's data, keys and .env files cannot be read",
			"without the network there is none: no TCP, no UDP, no names, no sockets of other programs",
			"processes of others cannot be seen; none of the command's own outlives it",
		},
		open: []string{
			"with the network, abstract sockets of other programs can be reached",
		},
	}
	if !seccompWorks {
		l.open = append(l.open, "sockets of other programs that lie in the file system can be reached: there is no filter of system calls for this processor")
	}
	return l
}

func (b bubblewrap) confine(cmd *exec.Cmd, p policy, _ time.Duration) (*Confined, error) {
	if err := usable(cmd); err != nil {
		return nil, err
	}
	c := &Confined{}
	files, err := c.files(p)
	if err != nil {
		c.Abort()
		return nil, err
	}
	if err = c.hold(p); err == nil {
		c.watch, err = watch(p, missing(slices.Concat(p.protect, p.hide)))
	}
	if err != nil {
		c.Abort()
		return nil, err
	}
	var sockets []string
	if !p.readOnly {
		sockets = socketsToHide(p)
	}
	args := bubblewrapArgs(p, sockets, valueOf(cmd.Env, "PATH"), valueOf(cmd.Env, "HOME"))
	cmd.Args = slices.Concat([]string{"bwrap"}, args, []string{cmd.Path}, cmd.Args[1:])
	cmd.Path = b.program
	cmd.ExtraFiles = files
	cmd.Env = p.environ(cmd.Env, temporary()[0])
	cmd.Dir = "/"
	return c, nil
}

// usable refuses a command that was given more than confine knows of.
func usable(cmd *exec.Cmd) error {
	switch {
	case cmd.Err != nil:
		return cmd.Err
	case len(cmd.ExtraFiles) > 0:
		return errors.New("the command has files of its own")
	case len(cmd.Args) == 0:
		return errors.New("the command has no name")
	}
	return nil
}

// files are the files bubblewrap gets, in the order of their numbers.
func (c *Confined) files(p policy) ([]*os.File, error) {
	filter, err := memoryFile("filter", filterFor(rules{NoUnix: p.readOnly}).bytes())
	if err != nil {
		return nil, err
	}
	c.theirs = append(c.theirs, filter)
	var status, alive *os.File
	if c.status, status, err = os.Pipe(); err != nil {
		return nil, err
	}
	c.theirs = append(c.theirs, status)
	if c.alive, alive, err = os.Pipe(); err != nil {
		return nil, err
	}
	c.theirs = append(c.theirs, alive)
	return c.theirs, nil
}

// missing are the paths that do not exist, so that nothing can be laid over
// them: they are watched instead.
func missing(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		info, err := os.Lstat(p)
		return err == nil && info.Mode().Type() != os.ModeSymlink
	})
}

// socketsToHide are the sockets of other programs that p's command could reach.
// /run and the temporary directories are hidden anyway; with a network, those
// in places the command may write are left to it.
func socketsToHide(p policy) []string {
	table, err := os.ReadFile("/proc/self/net/unix")
	if err != nil {
		return nil
	}
	gone := append(temporary(), "/run", "/proc", "/dev")
	return slices.DeleteFunc(socketsIn(string(table)), func(s string) bool {
		inWritable := p.writable(s)
		if inWritable {
			return p.network
		}
		return slices.ContainsFunc(gone, func(g string) bool { return within(s, g) })
	})
}

// bubblewrapHere is bubblewrap as it is installed, outside of what a model may
// have written.
func bubblewrapHere(path string) (bubblewrap, error) {
	program, err := installed("bwrap", path)
	return bubblewrap{program: program}, err
}
