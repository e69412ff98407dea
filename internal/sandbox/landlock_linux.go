package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// landlock confines commands by rules of the kernel about paths, which a child
// of this program takes on before it starts the command.
type landlock struct {
	program string
	abi     int
	netns   bool // the child can have a network of its own
}

// childName is how the child is called. Its program is this one; see Child.
const childName = "agent-sandbox"

// minABI is the first version that also keeps files from being cut short.
const minABI = 3

func (l landlock) detail() string { return fmt.Sprintf("version %d of the kernel's interface", l.abi) }

func (l landlock) limits() limits {
	out := limits{
		readOnly: seccompWorks, network: seccompWorks,
		enforced: []string{
			"writes outside the workspace, its repository, private caches and sandbox.write are impossible",
			"in modes that may not write, every write but to private temporary files and caches is impossible, and so are changes of modes, owners and times",
			"hooks and configuration of git, and of the agent, are put back when a command changed them, and the call fails",
			"the agent's data and keys cannot be read",
			"sockets of other programs cannot be reached, nor can a command make a unix socket of its own",
			"none of the command's processes outlives it, while the agent lives",
		},
		open: []string{
			"in modes that may write, .env files in the workspace can be read",
			"names of files in hidden directories can be listed",
			"in modes that may write, modes, owners and times of files anywhere can be changed as far as the user may",
			"processes of others can be seen, and System V shared memory of the user's programs reached",
		},
	}
	if l.netns {
		out.enforced = append(out.enforced, "without the network there is none but the command's own loopback")
	} else {
		out.enforced = append(out.enforced, "without the network there is none, not even a loopback")
	}
	if l.abi < 6 {
		out.open = append(out.open, "signals can be sent to other processes of the user (this needs version 6)")
	}
	if !seccompWorks {
		out.open = append(out.open, "the network cannot be closed: there is no filter of system calls for this processor")
	}
	return out
}

// order is what the child is told.
type order struct {
	Program  string        `json:"program"`
	Args     []string      `json:"args"`
	Dir      string        `json:"dir"`
	Env      []string      `json:"env"`
	Read     []string      `json:"read"`  // may be read and run, with all below
	List     []string      `json:"list"`  // may be listed, with all below
	Write    []string      `json:"write"` // may be written, with all below
	Devices  []string      `json:"devices"`
	Rules    rules         `json:"rules"`
	ABI      int           `json:"abi"`
	Loopback bool          `json:"loopback"` // it has a network of its own, which is down
	Grace    time.Duration `json:"grace"`
}

func (l landlock) confine(cmd *exec.Cmd, p policy, grace time.Duration) (*Confined, error) {
	if err := usable(cmd); err != nil {
		return nil, err
	}
	o, err := l.order(cmd, p, grace)
	if err != nil {
		return nil, err
	}
	c := &Confined{}
	if c.watch, err = watch(p, p.protect); err != nil {
		return nil, err
	}
	if cmd.ExtraFiles, err = c.childFiles(o); err != nil {
		c.Abort()
		return nil, err
	}
	cmd.Path, cmd.Args, cmd.Dir = l.program, []string{childName}, "/"
	// The child ends what is left, and needs its time for it.
	cmd.WaitDelay = grace + endTime
	if o.Loopback {
		ownNetwork(cmd)
	}
	return c, nil
}

// ownNetwork starts cmd in a network namespace of its own. Who is not root
// needs a user namespace for that.
func ownNetwork(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWNET
	if os.Geteuid() == 0 {
		return
	}
	cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
	cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN} // the child switches its loopback on, then gives it up
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
}

// order is what the child is told about cmd.
func (l landlock) order(cmd *exec.Cmd, p policy, grace time.Duration) (order, error) {
	hide := p.hide
	for _, path := range hide {
		if p.writable(path) {
			return order{}, fmt.Errorf("%s lies in a place that commands may write, and Landlock cannot hide it there", path)
		}
	}
	if p.readOnly {
		hide = slices.Concat(hide, p.mask)
	}
	hide = slices.DeleteFunc(slices.Concat(hide, []string{"/dev"}), func(h string) bool {
		return slices.ContainsFunc(p.write, func(w string) bool { return within(h, w) })
	})
	o := order{
		Program: cmd.Path, Args: cmd.Args, Dir: p.dir, Env: p.environ(cmd.Env, p.private.temp),
		List: []string{"/"}, Write: slices.Concat(p.write, []string{p.private.temp, p.private.caches}),
		Devices: []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"},
		Rules:   rules{NoUnix: true, NoNetwork: !p.network && !l.netns, NoMetadata: p.readOnly},
		ABI:     l.abi, Loopback: !p.network && l.netns, Grace: grace,
	}
	o.Read = around("/", hide)
	return o, nil
}

// around are the paths that together hold all of dir but what is hidden. Links
// are left out: what they lead to counts.
func around(dir string, hide []string) []string {
	if slices.Contains(hide, dir) {
		return nil
	}
	if !slices.ContainsFunc(hide, func(h string) bool { return within(h, dir) }) {
		return []string{dir}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // who cannot list it may still reach what lies there, but not here
	}
	var out []string
	for _, e := range entries {
		switch {
		case e.IsDir():
			out = append(out, around(filepath.Join(dir, e.Name()), hide)...)
		case e.Type() != os.ModeSymlink && !slices.Contains(hide, filepath.Join(dir, e.Name())):
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// childFiles are the files the child gets, in the order of their numbers: its
// order, where it tells what became of the command, what it holds while
// anything of the command lives, and what tells it that the agent does.
func (c *Confined) childFiles(o order) ([]*os.File, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	file, err := memoryFile("order", data)
	if err != nil {
		return nil, err
	}
	c.theirs = append(c.theirs, file)
	var status, alive, lead *os.File
	if c.status, status, err = os.Pipe(); err != nil {
		return nil, err
	}
	c.theirs = append(c.theirs, status)
	if c.alive, alive, err = os.Pipe(); err != nil {
		return nil, err
	}
	c.theirs = append(c.theirs, alive)
	if lead, c.lead, err = os.Pipe(); err != nil {
		return nil, err
	}
	c.theirs = append(c.theirs, lead)
	return c.theirs, nil
}

// landlockHere is what the kernel offers.
func landlockHere(program string) (landlock, error) {
	if program == "" {
		return landlock{}, errors.New("this program does not start its own children")
	}
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch {
	case errno != 0:
		return landlock{}, fmt.Errorf("the kernel has no Landlock, or it is switched off: %w", errno)
	case int(abi) < minABI:
		return landlock{}, fmt.Errorf("the kernel's Landlock has version %d, which cannot keep files from being cut short; version %d can", abi, minABI)
	}
	return landlock{program: program, abi: int(abi)}, nil
}
