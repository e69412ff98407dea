package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// seatbeltProfile is the profile of macOS's sandbox-exec that confines a
// command to p. The last rule that fits decides. Temp are the directories that
// programs use for temporary files and must not, here.
func seatbeltProfile(p policy) string {
	var b strings.Builder
	b.WriteString(seatbeltBase)
	b.WriteString("\n; what may be written\n")
	for _, path := range slices.Concat(p.write, []string{p.private.temp, p.private.caches}) {
		fmt.Fprintf(&b, "(allow file-write* (subpath %s))\n", seatbeltString(path))
	}
	b.WriteString("\n; what stays where it is, and what stays as it is\n")
	for _, path := range p.pinned {
		fmt.Fprintf(&b, "(deny file-write-unlink (literal %s))\n", seatbeltString(path))
	}
	for _, path := range p.protect {
		fmt.Fprintf(&b, "(deny file-write* (subpath %s))\n", seatbeltString(path))
	}
	b.WriteString("\n; what is hidden\n")
	for _, path := range slices.Concat(p.hide, p.mask) {
		fmt.Fprintf(&b, "(deny file-read* file-write* (subpath %s))\n", seatbeltString(path))
	}
	if p.network {
		b.WriteString(seatbeltNetwork)
	}
	return b.String()
}

const seatbeltBase = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow file-read*)
(allow file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow ipc-posix-sem)
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership")
  (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.SystemConfiguration.configd"))
`

const seatbeltNetwork = `
; the network
(allow network-outbound (remote ip))
(allow network-inbound (local ip))
(allow network-bind (local ip))
(allow system-socket)
(allow network-outbound (literal "/private/var/run/mDNSResponder"))
(allow mach-lookup
  (global-name "com.apple.SecurityServer")
  (global-name "com.apple.trustd.agent")
  (global-name "com.apple.networkd"))
`

// seatbeltString quotes a path for a profile.
func seatbeltString(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}
