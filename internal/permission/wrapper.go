package permission

import "strings"

// wrapper is a program, or a command of one, that runs another program, which
// stands among its arguments. An option it does not know may have a value or
// none, so that it is not known what is run.
type wrapper struct {
	values   string   // letters of options whose value follows
	flags    string   // letters of options without one, or with one in the same word
	long     []string // long options whose value is the next word
	bare     []string // long options without one; all that are not in long, if that is "*"
	operands int      // words before the program
	assigns  bool     // NAME=VALUE may stand before it
	clear    string   // letters of options with which it adds nothing; "*": all
	plain    bool     // it adds nothing of its own
	script   string   // letters of options whose value is a command line
	joins    string   // letters of options after which the words are a command line
	joined   bool     // the words are joined to a command line
	queries  string   // letters of options with which nothing is run
	replaces byte     // option that names what is replaced in the words
	appends  bool     // words from elsewhere follow
	after    bool     // the program stands after "--", or nowhere
}

// everywhere stands for operands between which options may stand.
const everywhere = 1 << 20

// wrapperOf knows the programs that run others.
func wrapperOf(program string) (wrapper, bool) {
	for _, of := range []func(string) (wrapper, bool){plainWrapper, userWrapper, spaceWrapper, traceWrapper, manyWrapper, hostedWrapper} {
		if w, ok := of(program); ok {
			return w, true
		}
	}
	return wrapper{}, false
}

// plainWrapper knows those that only add priorities, time limits and the like:
// they are as allowed as what they run.
func plainWrapper(program string) (wrapper, bool) {
	switch program {
	case "command":
		return wrapper{plain: true, flags: "pvV", clear: "p", queries: "vV"}, true
	case "builtin", "nohup":
		return wrapper{plain: true}, true
	case "exec":
		return wrapper{plain: true, values: "a", flags: "cl", clear: "cl"}, true
	case "nice":
		return wrapper{plain: true, values: "n", flags: "0123456789", long: []string{"--adjustment"}, clear: "*"}, true
	case "ionice":
		return wrapper{plain: true, values: "cnpPu", flags: "t", long: []string{"--class", "--classdata", "--pid", "--pgid", "--uid"}, bare: []string{"--ignore"}, clear: "cnt"}, true
	case "timeout":
		return wrapper{plain: true, values: "sk", flags: "fpv", long: []string{"--signal", "--kill-after"}, bare: []string{"--foreground", "--preserve-status", "--verbose"}, operands: 1, clear: "*"}, true
	case "stdbuf":
		return wrapper{plain: true, values: "ioe", long: []string{"--input", "--output", "--error"}, clear: "*"}, true
	case "setsid", "chronic":
		return wrapper{plain: true, flags: "cefvw", bare: []string{"--ctty", "--fork", "--wait"}, clear: "*"}, true
	case "time":
		return wrapper{plain: true, values: "fo", flags: "aplqvh", long: []string{"--format", "--output"}, bare: []string{"--append", "--portability", "--quiet", "--verbose"}, clear: "pv"}, true
	case "env":
		return wrapper{plain: true, values: "uCa", flags: "i0v", long: []string{"--unset", "--chdir", "--argv0"}, bare: []string{"--ignore-environment", "--null", "--debug", "--list-signal-handling"}, assigns: true, script: "S"}, true
	}
	return wrapper{}, false
}

// userWrapper knows those that run a program as somebody else.
func userWrapper(program string) (wrapper, bool) {
	switch program {
	case "sudo":
		return wrapper{
			values: "ugpCTrtDRhU", flags: "ABbEeHiKklNnPSsVv", queries: "klKvV", assigns: true,
			long: []string{"--user", "--group", "--prompt", "--close-from", "--chdir", "--chroot", "--role", "--type", "--other-user", "--host", "--command-timeout"},
			bare: []string{"--askpass", "--background", "--bell", "--login", "--non-interactive", "--no-update", "--preserve-env", "--preserve-groups", "--reset-timestamp", "--set-home", "--shell", "--stdin"},
		}, true
	case "doas":
		return wrapper{values: "uC", flags: "Lns"}, true
	case "pkexec":
		return wrapper{long: []string{"--user"}, bare: []string{"--disable-internal-agent", "--keep-cwd"}}, true
	case "su", "runuser":
		w := wrapper{
			values: "cgGTw", flags: "flmpP", script: "c",
			long: []string{"--command", "--session-command", "--group", "--supp-group", "--whitelist-environment"},
			bare: []string{"--fast", "--login", "--preserve-environment", "--pty", "--no-pty"},
		}
		if w.operands = everywhere; program == "runuser" { // with a user it takes a program, as sudo does
			w.values, w.long, w.operands = w.values+"u", append(w.long, "--user"), 0
		}
		return w, true
	}
	return wrapper{}, false
}

// spaceWrapper knows those that run a program with another root, namespace,
// personality or machine.
func spaceWrapper(program string) (wrapper, bool) {
	switch program {
	case "chroot":
		return wrapper{operands: 1, long: []string{"--userspec", "--groups"}, bare: []string{"--skip-chdir"}}, true
	case "unshare":
		return wrapper{
			values: "wRSGl", flags: "CTUcfimnpru",
			long: []string{"--root", "--wd", "--setuid", "--setgid", "--map-user", "--map-group", "--map-users", "--map-groups", "--propagation", "--setgroups", "--load-interp", "--monotonic", "--boottime"},
			bare: []string{"--mount", "--mount-proc", "--uts", "--ipc", "--net", "--pid", "--user", "--cgroup", "--time", "--fork", "--kill-child", "--map-root-user", "--map-current-user", "--map-auto", "--keep-caps"},
		}, true
	case "nsenter":
		return wrapper{
			values: "tSGW", flags: "CFTUZaceimnpruw", long: []string{"--target", "--setuid", "--setgid", "--wdns"},
			bare: []string{"--all", "--mount", "--uts", "--ipc", "--net", "--pid", "--user", "--cgroup", "--time", "--root", "--wd", "--env", "--no-fork", "--preserve-credentials", "--keep-caps"},
		}, true
	case "systemd-run":
		return wrapper{
			values: "pEMHu", flags: "GPqrt",
			long: []string{"--unit", "--property", "--uid", "--gid", "--slice", "--host", "--machine", "--description", "--service-type", "--nice", "--working-directory", "--setenv", "--on-active", "--on-boot", "--on-calendar"},
			bare: []string{"--user", "--system", "--scope", "--remain-after-exit", "--wait", "--collect", "--pty", "--pipe", "--quiet", "--no-block", "--no-ask-password", "--same-dir"},
		}, true
	case "setarch", "linux32", "linux64", "i386", "i486", "i586", "i686", "x86_64", "aarch64", "arm64", "armv7l", "ppc", "ppc32", "ppc64", "riscv64", "s390", "s390x", "uname26":
		return wrapper{flags: "BFILRSTXZv3", bare: []string{"--32bit", "--3gb", "--4gb", "--addr-no-randomize", "--uname-2.6", "--verbose"}}, true
	case "setpriv":
		return wrapper{
			flags: "d", long: []string{"--reuid", "--regid", "--ruid", "--rgid", "--euid", "--egid", "--groups", "--inh-caps", "--ambient-caps", "--bounding-set", "--securebits", "--pdeathsig"},
			bare: []string{"--no-new-privs", "--nnp", "--clear-groups", "--keep-groups", "--init-groups", "--reset-env"},
		}, true
	case "fakeroot":
		return wrapper{values: "libs", flags: "u", long: []string{"--lib", "--faked"}, bare: []string{"--unknown-is-real"}}, true
	case "ssh":
		return wrapper{values: "BbcDEeFIiJLlmOopPQRSWw", flags: "46AaCfGgKkMNnqsTtVvXxYy", operands: 1, joined: true}, true
	case "busybox", "toybox":
		return wrapper{bare: []string{"--install", "--list", "--list-full", "--long"}}, true
	}
	return wrapper{}, false
}

// traceWrapper knows those that watch, bind or time a program.
func traceWrapper(program string) (wrapper, bool) {
	switch program {
	case "strace":
		return wrapper{values: "abeEoOpPsSuUIX", flags: "cCdDfFhikLnNqrtTvVwxyYzZ", long: []string{"--output", "--trace", "--attach", "--user", "--env", "--signal", "--string-limit"}, bare: []string{"--follow-forks", "--quiet", "--summary-only", "--absolute-timestamps"}}, true
	case "ltrace":
		return wrapper{values: "aeFlnopsuxAD", flags: "bcCfhiLrStTV", long: []string{"--output"}}, true
	case "taskset":
		return wrapper{operands: 1, flags: "ac", bare: []string{"--all-tasks", "--cpu-list"}}, true
	case "chrt":
		return wrapper{operands: 1, values: "TPD", flags: "abdfioremv", bare: []string{"--all-tasks", "--batch", "--deadline", "--fifo", "--idle", "--other", "--rr", "--reset-on-fork", "--verbose"}}, true
	case "choom":
		return wrapper{values: "n", long: []string{"--adjust"}}, true
	case "prlimit":
		return wrapper{values: "po", flags: "cdefilmnqrstuvxy", long: []string{"--pid", "--output"}, bare: []string{"--verbose", "--noheadings", "--raw"}}, true
	case "xvfb-run":
		return wrapper{values: "efnpsw", flags: "al", long: []string{"--error-file", "--auth-file", "--server-num", "--xauth-protocol", "--server-args", "--wait"}, bare: []string{"--auto-servernum", "--auto-display", "--listen-tcp"}}, true
	case "caffeinate":
		return wrapper{values: "tw", flags: "dimsu"}, true
	case "dbus-run-session":
		return wrapper{long: []string{"--config-file", "--dbus-daemon"}}, true
	case "script":
		return wrapper{
			values: "cEIOoBTm", flags: "aefqrt", script: "c", operands: everywhere,
			long: []string{"--command", "--echo", "--log-in", "--log-out", "--log-io", "--log-timing", "--logging-format", "--output-limit"},
			bare: []string{"--append", "--return", "--flush", "--force", "--quiet", "--timing"},
		}, true
	case "valgrind", "rlwrap", "unbuffer", "dotenv", "cross-env", "torsocks", "proxychains", "proxychains4":
		return wrapper{flags: "afpq", assigns: true}, true
	}
	return wrapper{}, false
}

// manyWrapper knows those that run a program once and again.
func manyWrapper(program string) (wrapper, bool) {
	switch program {
	case "xargs":
		return wrapper{
			values: "adEIJLnPRSs", flags: "0eiloprtx", replaces: 'I', appends: true,
			long: []string{"--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars", "--process-slot-var"},
			bare: []string{"--null", "--open-tty", "--interactive", "--no-run-if-empty", "--verbose", "--exit", "--eof", "--replace", "--max-lines"},
		}, true
	case "parallel", "sem":
		return wrapper{
			values: "aCEIjJLNnPsSU", flags: "0kmqrtuXxvz", joined: true, appends: true,
			long: []string{"--arg-file", "--colsep", "--delay", "--halt", "--jobs", "--joblog", "--max-args", "--max-procs", "--results", "--retries", "--sshlogin", "--timeout", "--tmpdir", "--workdir"},
			bare: []string{"--bar", "--citation", "--dry-run", "--eta", "--group", "--keep-order", "--line-buffer", "--no-notice", "--no-run-if-empty", "--null", "--progress", "--quote", "--tag", "--ungroup", "--verbose", "--will-cite", "--xargs", "--fg", "--bg"},
		}, true
	case "flock":
		return wrapper{
			values: "wEc", flags: "Feonsuvx", operands: 1, script: "c", long: []string{"--timeout", "--wait", "--conflict-exit-code", "--command"},
			bare: []string{"--shared", "--exclusive", "--unlock", "--nonblock", "--nb", "--close", "--no-fork", "--verbose"},
		}, true
	case "watch":
		return wrapper{values: "nqs", flags: "bcCdefgprtwx", joined: true, long: []string{"--interval", "--equexit", "--shotsdir"}, bare: []string{"--beep", "--color", "--differences", "--errexit", "--chgexit", "--exec", "--precise", "--no-rerun", "--no-title", "--no-wrap"}}, true
	case "entr":
		return wrapper{flags: "acdnprxz", joins: "s"}, true
	case "watchexec":
		return wrapper{values: "wefiEds", flags: "cqrpv", joined: true, long: []string{"--watch", "--exts", "--filter", "--ignore", "--env", "--delay-run", "--signal", "--debounce"}, bare: []string{"--clear", "--quiet", "--restart", "--postpone", "--verbose"}}, true
	}
	return wrapper{}, false
}

// hostedWrapper knows those that run a program of packages or in a container.
// Such a one has two words.
func hostedWrapper(program string) (wrapper, bool) {
	switch program {
	case "npx", "npm exec", "npm x":
		return wrapper{values: "pcw", flags: "nqy", script: "c", long: []string{"--package", "--call", "--workspace", "--prefix"}, bare: []string{"--yes", "--no", "--no-install", "--quiet", "--ignore-existing", "--prefer-offline", "--offline", "--workspaces"}}, true
	case "pnpm exec", "pnpm dlx", "pnpx":
		return wrapper{values: "C", flags: "r", joins: "c", long: []string{"--package", "--dir", "--filter"}, bare: []string{"--recursive", "--parallel", "--silent"}}, true
	case "yarn exec", "yarn dlx", "bun x", "bunx":
		return wrapper{values: "p", flags: "q", joined: strings.HasSuffix(program, "exec"), long: []string{"--package"}, bare: []string{"--bun", "--quiet"}}, true
	case "uvx", "uv run", "pipx run":
		return wrapper{values: "pw", flags: "mnqsv", long: []string{"--from", "--with", "--python", "--extra", "--group", "--package", "--project", "--directory", "--env-file", "--spec", "--index-url"}, bare: []string{"--all-extras", "--dev", "--frozen", "--isolated", "--locked", "--module", "--no-cache", "--no-dev", "--no-project", "--no-sync", "--offline", "--quiet"}}, true
	case "poetry run", "pipenv run", "pdm run", "rye run", "hatch run", "bundle exec", "rbenv exec", "pyenv exec", "asdf exec", "opam exec", "stack exec", "cabal exec", "dune exec", "perf stat", "perf record":
		return wrapper{flags: "aq", bare: []string{"--quiet"}}, true
	case "conda run", "mamba run", "micromamba run":
		return wrapper{values: "np", flags: "v", long: []string{"--name", "--prefix", "--cwd"}, bare: []string{"--no-capture-output", "--live-stream"}}, true
	case "direnv exec", "rustup run", "ip netns exec":
		return wrapper{operands: 1, bare: []string{"--install"}}, true
	case "mise exec", "mise x", "op run", "doppler run", "aws-vault exec", "kubectl exec", "oc exec", "heroku run", "flatpak run":
		return wrapper{after: true}, true
	case "docker run", "podman run", "nerdctl run", "docker exec", "podman exec", "nerdctl exec", "docker compose run", "docker compose exec", "docker-compose run", "docker-compose exec", "docker container run", "docker container exec":
		return wrapper{
			values: "acehlmpuvw", flags: "diPqtT", operands: 1, long: []string{"*"},
			bare: []string{"--detach", "--init", "--interactive", "--no-healthcheck", "--no-deps", "--oom-kill-disable", "--privileged", "--publish-all", "--quiet", "--read-only", "--rm", "--service-ports", "--sig-proxy", "--tty", "--use-aliases", "--build"},
		}, true
	}
	return wrapper{}, false
}

// hosts are the programs of which only some commands run others.
func hosts() []string {
	return []string{"npm", "pnpm", "yarn", "bun", "uv", "pipx", "poetry", "pipenv", "pdm", "rye", "hatch", "bundle", "rbenv", "pyenv", "asdf", "opam", "stack", "cabal", "dune", "perf", "conda", "mamba", "micromamba", "direnv", "rustup", "ip", "mise", "op", "doppler", "aws-vault", "kubectl", "oc", "heroku", "flatpak", "docker", "docker-compose", "podman", "nerdctl"}
}
