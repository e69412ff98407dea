package runstore

import (
	"os"
	"strings"
)

// bootID identifies this boot of this machine, "" if the system will not say.
func bootID() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
