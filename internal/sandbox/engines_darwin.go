package sandbox

import (
	"errors"
	"os/exec"
	"slices"
	"time"
)

// candidates are what comes with the system.
func candidates(cfg Config) []candidate {
	return []candidate{{SandboxExec, func() ([]engine, string, error) {
		program, err := installed("sandbox-exec", cfg.Path)
		return []engine{sandboxExec{program}}, markOf("1", fileMark(program), fileMark("/System/Library/CoreServices/SystemVersion.plist")), err
	}}}
}

// sandboxExec confines commands with macOS's program of that name.
type sandboxExec struct{ program string }

func (s sandboxExec) detail() string { return s.program }

func (sandboxExec) limits() limits {
	return limits{
		readOnly: true, network: true,
		enforced: []string{
			"writes outside the workspace, its repository, private caches and sandbox.write are refused",
			"in modes that may not write, every write but to private temporary files and caches is refused",
			"hooks and configuration of git, and of the agent, cannot be written or moved away",
			"the agent's data, keys and .env files cannot be read",
			"without the network there is none, not even a loopback",
		},
		open: []string{
			"this engine is NOT tested: its rules are, the system's part is not",
			"processes that leave the command's session outlive it",
		},
	}
}

func (s sandboxExec) confine(cmd *exec.Cmd, p policy, _ time.Duration) (*Confined, error) {
	switch {
	case cmd.Err != nil:
		return nil, cmd.Err
	case len(cmd.Args) == 0:
		return nil, errors.New("the command has no name")
	}
	// What a rule forbids by name could be made under another and linked there.
	watch, err := watch(p, p.protect)
	if err != nil {
		return nil, err
	}
	cmd.Args = slices.Concat([]string{"sandbox-exec", "-p", seatbeltProfile(p), cmd.Path}, cmd.Args[1:])
	cmd.Path = s.program
	cmd.Env = p.environ(cmd.Env, p.private.temp)
	return &Confined{watch: watch}, nil
}
